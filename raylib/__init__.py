"""fairsweep: audits of bias in what language models write at length, as resumable batch jobs on Ray."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("fairsweep")
except PackageNotFoundError:  # run from a working folder that was never installed (a Ray job's working_dir)
    __version__ = "0.1.0"
