"""What a report is made of. Studies build these; `page.py` turns them into HTML and escapes every text."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A picture with its title, caption and a text for those who cannot see it."""

    title: str
    png: bytes
    """At two pixels a CSS pixel: shown at half its size in pixels."""
    alt: str
    caption: str = ""
    narrow_png: bytes = b""
    """The same figure laid out for a phone, where there is one."""


@dataclass(frozen=True)
class DataTable:
    """A table of texts, already formatted. `numeric` names the columns that are aligned right."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""
    numeric: frozenset[str] = frozenset()
    groups: tuple[tuple[str, int], ...] = ()
    """Headings inside the table: each with the number of rows below it, in order; they cover all rows, or none."""
    notes: tuple[str, ...] = ()
    """Small print below the table."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list of points, each a lead in bold and a sentence or two."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Warning:
    """A paragraph that the reader must not miss: a limit, a missing unit, a number that is not to be trusted."""

    text: str


@dataclass(frozen=True)
class Excerpt:
    """A generated text with its id and what was read out of it."""

    sample_id: str
    text: str
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Excerpts:
    """Generated texts, closed behind a content warning until the reader opens them."""

    title: str
    warning: str
    items: Sequence[Excerpt]


@dataclass(frozen=True)
class Folded:
    """Tables, and figures above them, that a reader opens when wanted; in print they are all there."""

    title: str
    summary: str
    """What is inside, in a few words."""
    tables: Sequence[DataTable]
    figures: Sequence[Figure] = ()


Block = Figure | DataTable | Paragraph | Points | Warning | Excerpts | Folded


@dataclass(frozen=True)
class Section:
    """A titled part of the page."""

    title: str
    blocks: Sequence[Block]
