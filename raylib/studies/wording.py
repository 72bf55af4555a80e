"""Texts with places to fill in: `{name}` stands for a value, as in the prompt files of the studies."""

import re

_PLACE = re.compile(r"\{(\w+)\}")


def fill(template: str, **values: str) -> str:
    """Put values in the place of {name}, in one pass: what a value holds is never looked at. Other braces stay.

    Raises:
        KeyError: the template has a place without a value.
    """
    return _PLACE.sub(lambda found: values[found[1]], template)


def places(template: str) -> list[str]:
    """Return the names of a template's places in their order, each as often as it stands there."""
    return _PLACE.findall(template)
