"""Which items of the files are asked about: some categories, and of each as many as the options allow."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from raylib.errors import ConfigError, nearest
from raylib.ids import digest
from raylib.studies.bbq.items import Condition, Item


def chosen_items(
    items: Sequence[Item], categories: Sequence[str] | None, limits: Mapping[Condition, int]
) -> list[Item]:
    """Return the items that are asked about, in the order of the files.

    A limit takes items by turns from each template and polarity, so that few of them are of many templates and the bias
    score is of both polarities. Which ones does not depend on chance, and a higher limit only adds some.

    Raises:
        ConfigError: a category that the files do not have.
    """
    known = dict.fromkeys(item.category for item in items)
    for name in categories or ():
        if name not in known:
            raise ConfigError(f"study.options.categories: the files hold no category {name!r}.{nearest(name, known)}")
    wanted = [item for item in items if categories is None or item.category in categories]
    groups: dict[tuple[str, Condition], list[Item]] = defaultdict(list)
    for item in wanted:
        groups[item.category, item.condition].append(item)
    kept = {
        (item.category, item.example_id)
        for (_, condition), group in groups.items()
        for item in (_by_turns(group)[: limits[condition]] if condition in limits else group)
    }
    return [item for item in wanted if (item.category, item.example_id) in kept]


def _by_turns(items: Sequence[Item]) -> list[Item]:
    """Return the first item of each template and polarity, then the second of each, ...; which is first, a hash says."""
    rows: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: digest([item.category, item.example_id])):
        rows[item.question_index, item.polarity].append(item)
    ordered = [rows[key] for key in sorted(rows, key=lambda key: (len(key[0]), *key))]
    return [item for turn in zip_longest(*ordered) for item in turn if item is not None]
