"""The command line of `jobs/stereotypes.py`."""

import argparse

from raylib.pipeline.arguments import add_run_options, bare_parser
from raylib.pipeline.whole_numbers import positive, whole


def parse_stereotypes(description: str, prog: str, argv: list[str] | None = None) -> argparse.Namespace:
    """Return the arguments; `command` says which. Raises ConfigError for a wrong one (exit code 2)."""
    parser = bare_parser(description, prog)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    search = commands.add_parser("search", help="find identity terms in a run's stories, and count the stories")
    add_run_options(search)
    search.add_argument("--terms", metavar="FILE.yaml", help="another list of terms than the study's")
    search.add_argument("--window", type=positive, default=10, metavar="N", help="words on each side of a hit (10)")

    sample = commands.add_parser("sample", help="choose stories by the most frequent racialised names")
    add_run_options(sample)
    sample.add_argument("--threshold", type=float, default=0.6, help="likelihood of a race that a name exceeds (0.6)")
    sample.add_argument("--names", type=positive, default=3, metavar="N", help="names a race, gender and role (3)")
    sample.add_argument("--per-stratum", type=positive, default=5, metavar="N",
                        help="stories of each race, gender, role, domain and condition (5)")  # fmt: skip
    sample.add_argument("--race", action="append", default=[], metavar="RACE", help="only this race (repeatable)")
    _add_seed(sample)

    sheet = commands.add_parser("sheet", help="write an empty coding sheet for each rater")
    _add_sample(sheet)
    sheet.add_argument("--rater", action="append", required=True, metavar="NAME", help="who will rate (repeatable)")

    agreement = commands.add_parser("agreement", help="read filled sheets and say how far raters agree")
    _add_sample(agreement)
    _add_sheets(agreement)
    agreement.add_argument("--replicates", type=positive, default=2_000, metavar="N", help="of the bootstrap (2000)")
    agreement.add_argument("--unsure", choices=("category", "missing"), default="category",
                           help="whether unsure is an answer or none (category)")  # fmt: skip
    _add_seed(agreement)

    clusters = commands.add_parser("clusters", help="group stories by agreed codes and choose exemplars")
    _add_sample(clusters)
    _add_sheets(clusters)
    clusters.add_argument(
        "--adjudicator", metavar="NAME", help="the rater whose yes and no stand instead of a majority"
    )
    clusters.add_argument("--exemplars", type=positive, default=1, metavar="N", help="stories a race and gender (1)")
    _add_seed(clusters)

    for command in (search, sample, sheet, agreement, clusters):
        command.add_argument("--out", required=True, metavar="FOLDER", help="where the files go")
    return parser.parse_args(argv)


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", required=True, metavar="FILE.parquet", help="sample.parquet of `sample`")
    parser.add_argument("--codebook", metavar="FILE.yaml", help="another codebook than the study's")


def _add_sheets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sheet", action="append", required=True, metavar="FILE", dest="sheets",
                        help="a filled sheet, .csv or .parquet (repeatable)")  # fmt: skip


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="the same seed, the same result (0)")
