"""The command line of `jobs/compare.py`."""

import argparse

from raylib.pipeline.arguments import bare_parser


def parse_compare(description: str, prog: str, argv: list[str] | None = None) -> argparse.Namespace:
    """Return the arguments. Raises ConfigError for a wrong one (exit code 2)."""
    parser = bare_parser(description, prog)
    parser.add_argument("a", metavar="RUN_A", help="name of the run to compare with (the base)")
    parser.add_argument("b", metavar="RUN_B", help="name of the run that is compared")
    parser.add_argument(
        "--store", required=True, metavar="URL", help="folder or s3://bucket/prefix that holds the runs"
    )
    parser.add_argument("--store-b", metavar="URL", help="where RUN_B lies, if elsewhere")
    parser.add_argument("--out", metavar="FOLDER", help="write tables and an HTML report; without it, only a summary")
    parser.add_argument(
        "--replicates", type=_replicates, metavar="N", help="of the bootstrap, instead of RUN_A's; at least 100"
    )
    for option, what in (
        ("endpoint", "http(s)://host:port of an S3-compatible server"),
        ("region", "of the bucket"),
        ("access-key-env", "NAME of the environment variable with the access key"),
        ("secret-key-env", "NAME of the environment variable with the secret key"),
    ):
        parser.add_argument(f"--{option}", metavar="TEXT", help=f"S3: {what}")
    return parser.parse_args(argv)


def _replicates(text: str) -> int:
    if not text.isdecimal() or int(text) < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 100")
    return int(text)
