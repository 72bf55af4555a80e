"""Files of people's labels, as the command line names them."""

from pathlib import Path

from raylib.errors import ConfigError
from raylib.imported.files import RawFile
from raylib.imported.parquet_files import read_parquet
from raylib.imported.text_files import read_csv
from raylib.pipeline.table_files import read_bytes, read_text_file
from raylib.studies.ltf.calibration.labels import FILE_COLUMNS, HumanLabels, read_labels


def labels_file(path: str, option: str) -> HumanLabels:
    """Return the labels of a .csv or .parquet file; an annotator without a name is called as the file.

    Args:
        path: of the file.
        option: what a message calls it, such as --labels.

    Raises:
        ConfigError: it cannot be read, or is of another kind.
        DataError: a label breaks the rules of `read_labels`.
    """
    return read_labels(_raw(Path(path), option), Path(path).stem)


def _raw(path: Path, option: str) -> RawFile:
    if path.suffix in (".parquet", ".pq"):
        return read_parquet(read_bytes(path, option), path.name, FILE_COLUMNS)
    if path.suffix != ".csv":
        raise ConfigError(f"{option} {path} must end in .csv or .parquet")
    return read_csv(read_text_file(path, option).encode(), path.name, "utf-8", ",", FILE_COLUMNS)
