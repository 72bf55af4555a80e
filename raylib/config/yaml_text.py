"""YAML as every file of a user is read: safe values only, and no key twice in one mapping.

YAML readers keep the last of two equal keys and say nothing, so that a group, an option or a model would be lost.
"""

import yaml


def parse_yaml(text: str) -> object:
    """Return the value of a YAML text.

    Raises:
        yaml.YAMLError: it is not YAML, or a mapping holds a key twice; its `problem_mark` is the place.
        ValueError: a value cannot be, such as a date that does not exist.
        RecursionError: it is nested too deeply.
    """
    value: object = yaml.load(text, Loader=_Once)  # noqa: S506 (a SafeLoader)
    return value


class _Once(yaml.SafeLoader):  # type: ignore[misc]  # untyped
    """A safe loader that refuses a key that stands twice; what `<<` merges in may be overridden."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._checked: set[int] = set()

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Check a mapping as it was written; once merged, a key may be there twice."""
        if id(node) not in self._checked:
            self._checked.add(id(node))
            _check(node)
        super().flatten_mapping(node)


def _check(node: yaml.MappingNode) -> None:
    first: dict[tuple[str, str], yaml.ScalarNode] = {}
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        before = first.setdefault((key.tag, key.value), key)
        if before is not key:
            raise yaml.constructor.ConstructorError(
                problem=f"the key {key.value!r} is there twice (first in line {before.start_mark.line + 1})",
                problem_mark=key.start_mark,
            )
