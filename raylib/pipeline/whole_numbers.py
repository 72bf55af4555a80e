"""Whole numbers on a command line, as types for argparse."""

import argparse


def positive(text: str) -> int:
    """Return a whole number of 1 or more, or raise argparse's error."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def whole(text: str) -> int:
    """Return a whole number of 0 or more, below 2**63, or raise argparse's error."""
    if not text.isdecimal() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)
