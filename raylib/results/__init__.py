"""A run's results for notebooks and exports: `open_run("runs", "quickstart").estimates.to_pandas()`."""

from raylib.results.run import RunResults, open_run

__all__ = ["RunResults", "open_run"]
