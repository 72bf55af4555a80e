"""Texts to prompts: which text is which sample, and what does not fit, counted and named."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from raylib.config.imported import ImportedOptions
from raylib.errors import DataError, nearest
from raylib.imported.files import file_hashes, names_of
from raylib.imported.texts import ImportedText

_NAMED = 3


class Matched(NamedTuple):
    """Every planned prompt with its texts; sample k of a prompt is its text k, in the order of the files."""

    texts: Mapping[str, Sequence[ImportedText]]
    """prompt id -> texts; a prompt without any is left out."""
    report: Mapping[str, Any]
    """For the manifest: files and hashes, and what was counted, the first three of each kind named."""


def match(
    texts: Sequence[ImportedText],
    prompts: Sequence[tuple[str, str]],
    planned: Collection[str],
    samples: int,
    options: ImportedOptions,
) -> Matched:
    """Return the texts of each planned prompt.

    Args:
        texts: as they were read.
        prompts: (id, text) of all prompts of the study.
        planned: ids of the prompts that the run takes.
        samples: texts of each prompt that the run takes.
        options: say whether unknown prompts and gaps are allowed.

    Raises:
        DataError: a sample id comes twice, a prompt is unknown or has too few texts (unless that is allowed) or too many.
    """
    _check_sample_ids(texts)
    known = _known(prompts, by_id=options.columns.prompt is None)
    by_prompt: dict[str, list[ImportedText]] = {}
    unknown: list[ImportedText] = []
    for text in texts:
        prompt_id = known.get(_normal(text.prompt))
        if prompt_id is None:
            unknown.append(text)
        else:
            by_prompt.setdefault(prompt_id, []).append(text)
    if unknown and options.unknown == "refuse":
        raise DataError(_unknown_problem(unknown, prompts, options))
    kept = {prompt_id: by_prompt[prompt_id] for prompt_id in planned if prompt_id in by_prompt}
    _check_too_many(kept, samples)
    gaps = {prompt_id: samples - len(kept.get(prompt_id, ())) for prompt_id in planned}
    gaps = {prompt_id: lacking for prompt_id, lacking in gaps.items() if lacking}
    if gaps and options.gaps == "refuse":
        raise DataError(
            f"{len(gaps)} of {len(planned)} prompts have fewer than {samples} texts, {sum(gaps.values())} are missing: "
            f"{_some(_gap_texts(gaps, samples))}. Add them, or set model.engine.gaps=allow (missing texts are then reported "
            "and in no estimate)"
        )
    return Matched(kept, _report(texts, kept, unknown, gaps, samples, options))


def _check_sample_ids(texts: Iterable[ImportedText]) -> None:
    seen: dict[str, str] = {}
    for text in texts:
        if text.sample is not None and text.sample in seen:
            raise DataError(f"{text.place}: sample id {text.sample!r} is already at {seen[text.sample]}; ids come once")
        if text.sample is not None:
            seen[text.sample] = text.place


def _known(prompts: Sequence[tuple[str, str]], by_id: bool) -> dict[str, str]:
    known: dict[str, str] = {}
    for prompt_id, prompt in prompts:
        name = _normal(prompt_id if by_id else prompt)
        if name in known:
            raise DataError(
                f"prompts {known[name]!r} and {prompt_id!r} have the same text, so texts cannot be matched by it: "
                "map model.engine.columns.prompt_id instead of prompt"
            )
        known[name] = prompt_id
    return known


def _normal(prompt: str) -> str:
    """Return what two spellings of one prompt have in common: Unicode form NFC, no white space at the ends."""
    return unicodedata.normalize("NFC", prompt).strip()


def _unknown_problem(
    unknown: Sequence[ImportedText], prompts: Sequence[tuple[str, str]], options: ImportedOptions
) -> str:
    different = len({_normal(text.prompt) for text in unknown})
    hint = ""
    if options.columns.prompt is None:
        close = nearest(unknown[0].prompt, [prompt_id for prompt_id, _ in prompts]).partition(" Valid:")[0]
        hint = f"{close} jobs/prompts.py writes all ids."
    return (
        f"{len(unknown)} rows have {different} prompts that the study does not have: {_some(_quoted(unknown))}.{hint} "
        "Correct them, or set model.engine.unknown=skip (they are then counted and left out)"
    )


def _check_too_many(kept: Mapping[str, Sequence[ImportedText]], samples: int) -> None:
    most = max(kept, key=lambda prompt_id: len(kept[prompt_id]), default=None)
    if most is not None and len(kept[most]) > samples:
        over = [prompt_id for prompt_id in kept if len(kept[prompt_id]) > samples]
        raise DataError(
            f"{len(over)} prompts have more than {samples} texts (prompt {most!r} has {len(kept[most])}; the first over "
            f"at {kept[over[0]][samples].place}): no text is dropped silently. Set --set samples={len(kept[most])} "
            "(with model.engine.gaps=allow where others have fewer), or cut the files"
        )


def _report(
    texts: Sequence[ImportedText],
    kept: Mapping[str, Sequence[ImportedText]],
    unknown: Sequence[ImportedText],
    gaps: Mapping[str, int],
    samples: int,
    options: ImportedOptions,
) -> dict[str, Any]:
    taken = [text for group in kept.values() for text in group]
    duplicates = [line for group in kept.values() for line in _duplicates(group)]
    empty = [text.place for text in taken if text.status == "error"]
    return {
        "files": [
            {"name": name, "sha256": sha256}
            for name, sha256 in zip(names_of(options), file_hashes(options), strict=True)
        ],
        "model": options.model,
        "policy": {"unknown": options.unknown, "gaps": options.gaps},
        "rows": len(texts),
        "imported": len(taken),
        "beyond_limit": len(texts) - len(taken) - len(unknown),
        "unknown": {
            "rows": len(unknown), "prompts": len({_normal(text.prompt) for text in unknown}), "first": _quoted(unknown),
        },
        "duplicates": {"rows": len(duplicates), "first": duplicates[:_NAMED]},
        "without_text": {"rows": len(empty), "first": empty[:_NAMED]},
        "gaps": {"prompts": len(gaps), "texts": sum(gaps.values()), "first": _gap_texts(gaps, samples)},
    }  # fmt: skip


def _duplicates(group: Sequence[ImportedText]) -> list[str]:
    """Return the rows that say what an earlier row of the prompt says. They are kept: models repeat themselves."""
    first: dict[str, str] = {}
    for text in group:
        if text.text is not None:
            first.setdefault(text.text, text.place)
    return [
        f"{text.place} repeats {first[text.text]}"
        for text in group
        if text.text is not None and first[text.text] != text.place
    ]


def _quoted(texts: Sequence[ImportedText]) -> list[str]:
    return [f"{text.place}: {text.prompt[:60]!r}" for text in texts[:_NAMED]]


def _gap_texts(gaps: Mapping[str, int], samples: int) -> list[str]:
    return [f"{prompt_id} has {samples - lacking} of {samples}" for prompt_id, lacking in list(gaps.items())[:_NAMED]]


def _some(lines: Sequence[str]) -> str:
    return "; ".join(lines)
