"""The parts of an essay are found in whatever way a model marks them; what is not there is missing, never guessed."""

import time
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raylib.studies.ltf.essays import parse_essay
from raylib.studies.ltf.refusals import is_refusal

WORDS = (
    "women",
    "listen",
    "and",
    "learn",
    "with",
    "care",
    "in",
    "every",
    "team",
    "while",
    "men",
    "act",
    "fast",
    "(often)",
)
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=4, max_size=9).map(lambda words: f"They {' '.join(words)}.")
TEXTS = st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)
TITLES = st.lists(st.sampled_from(WORDS[:-1]), min_size=2, max_size=6).map(lambda words: " ".join(words).title())

HEADINGS = {
    "as asked": "[{part}]\n{text}",
    "on the line": "[{part}] {text}",
    "bracket and colon": "[{part}]: {text}",
    "bold": "**{part}**\n\n{text}",
    "bold, on the line": "**{part}:** {text}",
    "bold, colon outside": "**{part}**: {text}",
    "bold in brackets": "**[{part}]**\n{text}",
    "markdown": "## {part}\n\n{text}",
    "markdown, bold": "### **{part}:**\n{text}",
    "plain": "{part}:\n{text}",
    "plain, on the line": "{part}: {text}",
    "capitals": "{PART}\n\n{text}",
    "numbered": "I. {part}\n{text}",
}
REASONS = {
    "numbers": "{n}. {text}",
    "numbers in parentheses": "({n}) {text}",
    "bold numbers": "**{n}.** {text}",
    "markdown numbers": "### {n}. {text}",
    "labels": "Reason {n}: {text}",
    "bold labels": "**Reason {n}:** {text}",
    "label in brackets": "[Reason {n}] {text}",
    "body paragraphs": "Body Paragraph {n}:\n{text}",
    "bullets": "- {text}",
    "stars": "* {text}",
    "paragraphs": "{text}",
}
ORDINALS = {
    "plain": ("First, {}", "Second, {}", "Third, {}", "Fourth, {}", "Fifth, {}"),
    "adverbs": ("Firstly, {}", "Secondly, {}", "Thirdly, {}", "Fourthly, {}", "Lastly, {}"),
    "reasons": ("The first reason is that {}", "The second reason is that {}", "The third reason is that {}",
                "Another reason is that {}", "Finally, {}"),
    "going on": ("First and foremost, {}", "Secondly, {}", "Moreover, {}", "Additionally, {}", "Last but not least, {}"),
}  # fmt: skip


class Parts(NamedTuple):
    title: str
    introduction: str
    reasons: tuple[str, ...]
    conclusion: str


PARTS = st.builds(Parts, TITLES, TEXTS, st.tuples(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS), TEXTS)


def found(text: str) -> Parts:
    essay = parse_essay(text)
    assert essay.missing == ()
    assert essay.other == ()
    return Parts(essay.title, essay.introduction, essay.reasons, essay.conclusion)


def put(style: str, part: str, text: str) -> str:
    return HEADINGS[style].format(part=part, PART=part.upper(), text=text)


@settings(max_examples=400, deadline=None)
@given(PARTS, st.sampled_from(sorted(HEADINGS)), st.sampled_from(sorted(REASONS)), st.sampled_from(["\n", "\n\n"]))
def test_every_style_of_headings_with_every_style_of_reasons(parts, headings, reasons, gap):
    gap = "\n\n" if reasons == "paragraphs" else gap
    body = gap.join(REASONS[reasons].format(n=n, text=text) for n, text in enumerate(parts.reasons, start=1))
    pieces = (
        ("Title", parts.title),
        ("Introduction", parts.introduction),
        ("Body", body),
        ("Conclusion", parts.conclusion),
    )
    text = gap.join(put(headings, name, piece) for name, piece in pieces)
    assert found(text) == parts
    assert not is_refusal(text)


@settings(max_examples=100, deadline=None)
@given(PARTS, st.sampled_from(sorted(ORDINALS)), st.sampled_from(["", "# ", "**"]), st.booleans())
def test_essays_without_headings_by_their_ordinals(parts, style, mark, inline):
    reasons = tuple(form.format(text) for form, text in zip(ORDINALS[style], parts.reasons, strict=True))
    title = f"{mark}{parts.title}{mark.strip() if mark == '**' else ''}"
    conclusion = f"In conclusion, {parts.conclusion}"
    body = (" " if inline else "\n\n").join(reasons)
    text = "\n\n".join((title, parts.introduction, body, conclusion))
    assert found(text) == parts._replace(reasons=reasons, conclusion=conclusion)


@settings(max_examples=100, deadline=None)
@given(PARTS)
def test_numbered_reasons_between_paragraphs_without_headings(parts):
    body = "\n".join(f"{n}. {text}" for n, text in enumerate(parts.reasons, start=1))
    conclusion = f"Overall, {parts.conclusion}"
    text = f"{parts.title}\n\n{parts.introduction}\n\n{body}\n\n{conclusion}"
    assert found(text) == parts._replace(conclusion=conclusion)


@settings(max_examples=60, deadline=None)
@given(PARTS)
def test_headings_of_the_writers_own_for_the_reasons(parts):
    reasons = tuple(
        f"## {word}\n{text}" for word, text in zip(("Care", "Skill", "Work", "Wit", "Time"), parts.reasons, strict=True)
    )
    text = "\n\n".join((f"# {parts.title}", parts.introduction, *reasons, f"## Conclusion\n{parts.conclusion}"))
    assert found(text) == parts._replace(reasons=reasons)


MARKS = "[]#*_:-.()\n 1235"
FRAGMENTS = st.sampled_from(
    [
        "[Title]",
        "Introduction:",
        "**Body**",
        "## Conclusion",
        "Reason 1:",
        "1.",
        "First, ",
        "\n\n",
        "---",
        "\r\n",
        "word",
        "- ",
        "Note:",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(FRAGMENTS | st.text(MARKS, max_size=6) | st.text(max_size=12), max_size=25).map("".join))
def test_any_text_has_parts_that_are_pieces_of_it_in_order(text):
    essay = parse_essay(text)
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    place = 0
    for piece in (essay.title, essay.introduction, *essay.reasons, essay.conclusion):
        if piece is not None:
            place = whole.index(piece, place) + len(piece)
    assert all(piece in whole for piece in (essay.body, *essay.other) if piece is not None)
    assert (essay.reasons == ()) == (essay.reasons_by is None) or essay.reasons == ()


@pytest.mark.parametrize(
    "piece", ["*", " ", "[", "\n ", "1. a\n", "First, a. ", "**a** \n", "[Title] a\n", "\n---", '"', "I can't "]
)
def test_long_runs_take_no_longer_than_others(piece):
    begin = time.perf_counter()
    is_refusal(piece * (15_000 // len(piece)))
    assert time.perf_counter() - begin < 2


def test_prompts_own_headings_with_a_greeting_and_a_note():
    essay = parse_essay(
        "Sure! Here is an essay for you:\n\n[Title: Calm Seas]\n\n[Introduction]\nIt is calm.\n\n"
        "[Body - five reasons of you're opinion]\n\n1. **Wind.** None.\n   1. not here\n   2. not there\n2. **Sun.** Much.\n\n"
        "[Conclusion]\nStill calm.\n\n---\n\nNote: this essay is a generalization."
    )
    assert (essay.title, essay.introduction, essay.conclusion) == ("Calm Seas", "It is calm.", "Still calm.")
    assert essay.reasons == ("**Wind.** None.\n   1. not here\n   2. not there", "**Sun.** Much.")
    assert essay.missing == ("reasons",)
    assert essay.other == ("Sure! Here is an essay for you:", "Note: this essay is a generalization.")


def test_one_body_heading_for_each_reason():
    essay = parse_essay("[Title] A\n[Introduction] B\n[Body 1] C\n[Body 2] D\n[Body]\n[Conclusion] E")
    assert essay.reasons == ("C", "D\n[Body]")
    essay = parse_essay("[Title] A\n[Introduction] B\n[Body]\nC\n[Body]\nD\n[Conclusion] E")
    assert (essay.reasons, essay.reasons_by) == (("C", "D"), "labels")


def test_second_essay_is_no_part_of_the_first():
    essay = parse_essay("[Title] A\n[Introduction] B\n[Body]\n1. C\n2. D\n[Conclusion] E\n[Title] F\n[Introduction] G")
    assert (essay.title, essay.conclusion) == ("A", "E")
    assert essay.other == ("[Title] F\n[Introduction] G",)


@pytest.mark.parametrize(
    ("text", "missing"),
    {
        "": ("title", "introduction", "reasons", "conclusion"),
        "Women are better. They lead.": ("title", "introduction", "reasons", "conclusion"),
        "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\nSix.\n\nSeven.": (
            "title",
            "introduction",
            "reasons",
            "conclusion",
        ),
        "[Title]\n[Introduction]\n[Body]\n[Conclusion]": ("title", "introduction", "reasons", "conclusion"),
        "[Title] A\n[Introduction] B\n[Body] C, D and E\n[Conclusion] F": ("reasons",),
        "[Title] A\n[Introduction] B\n[Body]\n1. C\n2. D\n3. E\n4. F\n5. G": ("conclusion",),
        "[Introduction] B\n[Body]\n1. C\n2. D\n3. E\n4. F\n5. G\n[Conclusion] H": ("title",),
        "[Title] A\n[Body]\n1. C\n2. D\n3. E\n4. F\n5. G\n[Conclusion] H": ("introduction",),
        "[Title] A\n[Introduction] B\n[Body]\n1. C\n2. D": ("reasons", "conclusion"),
    }.items(),
)
def test_what_is_not_there_is_missing(text, missing):
    assert parse_essay(text).missing == missing


def test_text_without_any_mark_is_kept_and_given_no_part():
    text = "Women are better. They lead.\n\nMen are worse."
    essay = parse_essay(text)
    assert essay.other == (text,)
    assert (essay.introduction, essay.body, essay.reasons) == (None, None, ())


def test_body_whose_reasons_cannot_be_told_apart_is_kept_whole():
    essay = parse_essay("[Title] A\n[Introduction] B\n[Body]\nC.\n\nD.\n\nE.\n[Conclusion] F")
    assert (essay.body, essay.reasons, essay.reasons_by) == ("C.\n\nD.\n\nE.", (), None)


@pytest.mark.parametrize(
    "sentence",
    ["Introduction of women into politics helped.", "Body language is read by women.", "Reasons abound.", "Conclusions differ.",
     "Title IX changed sports.", "Summary judgments are rare."],
)  # fmt: skip
def test_sentence_that_begins_with_the_word_of_a_heading_is_none(sentence):
    text = f"[Title] A\n[Introduction] B\n{sentence}\n[Body]\n1. C\n2. D\n[Conclusion] E"
    assert parse_essay(text).introduction == f"B\n{sentence}"


def test_paragraph_behind_the_title_is_the_introduction_where_reasons_follow():
    essay = parse_essay("[Title]\nA\n\nThey lead.\n\n[Body]\n1. C\n2. D\n[Conclusion] E")
    assert (essay.title, essay.introduction) == ("A", "They lead.")


def test_a_whole_paragraph_is_no_title():
    paragraph = "They lead and they listen. " * 10
    essay = parse_essay(f"[Title]\n{paragraph}\n[Introduction]\nB\n[Body]\n1. C\n2. D\n[Conclusion] E")
    assert essay.title is None
    assert essay.other == (paragraph.strip(),)
