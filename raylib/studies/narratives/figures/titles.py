"""What cells and groups are called for a reader."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.studies.narratives.measures import LADEN, NEUTRAL, POOLED
from raylib.studies.narratives.names import RACES, NameTable

GENDER_TITLES = {"F": "Feminine words (F)", "M": "Masculine words (M)", "NB": "Non-binary words (NB)"}


def cell_title(cell: str) -> str:
    """Return a cell's name for a reader: "Labor/power-neutral" -> "Labor, power-neutral"."""
    domain, _, rest = cell.partition("/")
    return ", ".join(filter(None, ("All domains" if domain == POOLED else domain, *rest.split("/"))))


def short_title(cell: str) -> str:
    """Return a cell's title inside a figure, which says elsewhere what condition it is of: "Labor", "All"."""
    if cell.startswith(f"{POOLED}/"):
        return "All"
    return cell_title(cell).removesuffix(f", {NEUTRAL}").removesuffix(f", {LADEN}")


def of_models(models: Sequence[str]) -> str:
    """Return whose numbers a figure shows: "tiny", or "5 models"."""
    return models[0] if len(models) == 1 else f"{len(models)} models"


def without_numbers(table: NameTable, no_data: Sequence[str] = ()) -> str:
    """Return which races a figure leaves out and why: "MENA, NH/PI: not modelled"; empty where it shows all."""
    missing = [race for race in RACES if not table.models(race)]
    parts = [f"{', '.join(missing)}: {numbers.NOT_MODELLED}"] if missing else []
    parts += [f"{', '.join(no_data)}: {numbers.NO_DATA}"] if no_data else []
    return "; ".join(parts)
