"""Tours as files: written ones are read back, and errors have their line."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import TourError
from tests.viz.tours.strategies import stops, tours
from viz.state.fields import FIELDS
from viz.tours.files import (
    LONGEST_FILE,
    MOST_STOPS,
    NOT_OF_A_STOP,
    REVEALS,
    TEXTS,
    parse_tour,
    stop_lines,
    with_entry,
    with_stop,
    write_tour,
)
from viz.tours.tour import Claim, Measure, Number, Point, Stop, Tour, Word

FILE = """
# Time flies

What this tour is *about*.

## One word

```yaml
a: time flies like an arrow
b: no
layer: 0
question: Which one is a verb?
points:
  - cell("flies" → "fruit")
claims:
  - weight(layer=0, head=4, A:"flies" → "time") > 0.5
```

Look at **flies**.

## And another

Nothing but words.
"""


def error_of(text: str) -> TourError | None:
    """What is wrong with a text, None where it is a tour."""
    try:
        parse_tour(text)
    except TourError as error:
        return error
    return None


def test_a_file_is_read_as_it_stands() -> None:
    tour = parse_tour(FILE)
    weight = Measure("weight", (("layer", "0"), ("head", "4")), (Word("flies", "A"), Word("time")))
    assert tour == Tour(
        title="Time flies",
        words="What this tour is *about*.",
        stops=(
            Stop(
                title="One word",
                words="Look at **flies**.",
                state={"a": "time flies like an arrow", "b": "no", "layer": "0"},
                points=(Point("cell", (Word("flies"), Word("fruit"))),),
                question="Which one is a verb?",
                claims=(Claim(weight, ">", Number("0.5")),),
            ),
            Stop(title="And another", words="Nothing but words."),
        ),
    )


@given(tours)
def test_a_written_tour_is_read_back(tour: Tour) -> None:
    assert parse_tour(write_tour(tour)) == tour


@given(st.text(max_size=300) | st.lists(st.sampled_from([*FILE.split("\n"), "```yaml", "# x", "- ["])).map("\n".join))
def test_any_text_is_a_tour_or_an_error_with_a_line(text: str) -> None:
    error = error_of(text)
    if error is not None:
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + 1
        assert re.match(rf"Line {error.line}: \S", str(error))


@given(st.text(max_size=200))
def test_any_block_is_read_or_refused_with_a_line(block: str) -> None:
    error = error_of(f"# T\n\n## S\n\n```yaml\n{block}\n```\n")
    assert error is None or error.line >= 1


def test_names_in_a_block_and_fields_of_the_page_are_apart() -> None:
    assert not {*TEXTS, REVEALS, "points", "claims"} & set(FIELDS)
    assert {"tour", "stop"} <= set(NOT_OF_A_STOP)


def block(*lines: str) -> str:
    return "\n".join(["# T", "", "## S", "", "```yaml", *lines, "```"])


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("", 1, "begins with"),
        ("## A stop", 1, "begins with"),
        ("\n\nwords\n\n# T\n\n## S", 3, "begins with"),
        ("# T", 1, "1 to 100 stops"),
        ("# T\n## S\n# U\n", 3, "one title"),
        ("# \n## S\n", 1, "A title is needed"),
        ("# T\n## \n", 2, "A title is needed"),
        ("# T\n" + "## S\n" * (MOST_STOPS + 1), MOST_STOPS + 3, "1 to 100 stops"),
        ("# T\n## S\n```yaml\na: b\n", 3, "no end"),
        ("# T\n## S\n\nfine\n<script>alert(1)</script>", 5, "HTML"),
        ("# T\nfine\n\\\\<b>bold</b>\n## S", 3, "HTML"),
        ("# T\n## S\n![](https://elsewhere.example/pixel.png)", 3, "pictures"),
        ("# T\n## S\n[run](javascript:alert(1))", 3, "https"),
        ("# T\n## S\n[run]\n\n[run]: javascript:alert(1)", 5, "in their place"),
        ("# T\n## S\nnull\x00byte", 3, "U+0000"),
        ("# T\n## S\nturned \u202e\ud800", 3, "U+D800"),
        ("x" * (LONGEST_FILE + 1), 1, "characters"),
        ("# T\n## S\n" + "word " * 2_000, 3, "characters"),
        (block("layer: 1", "layer: 2"), 7, "twice"),
        (block("laier: 1"), 6, "nothing that a stop has"),
        (block("tour: time-flies"), 6, "nothing that a stop has"),
        (block("view: heat map", "layer: first"), 7, "whole number"),
        (block("layer: [1]"), 6, "no list"),
        (block("layer: {a: 1}"), 6, "nothing deeper"),
        (block("points: [[a]]"), 6, "nothing deeper"),
        (block("- a"), 6, "names with a value"),
        (block("words"), 6, "names with a value"),
        (block("a: [1"), 6, "no YAML"),
        (block("a: &x 1", "b: *x"), 6, "Aliases"),
        (block("a: *x"), 6, "Aliases"),
        (block("a: !!python/object/apply:os.system [id]"), 6, "tags"),
        (block("a: !x 1"), 6, "tags"),
        (block("--- ", "a: b"), 6, "one document"),
        (block('a: "\\ud800"'), 6, "surrogate"),
        (block("a: " + "x" * 20_000), 6, "characters"),
        (block("claims:", "  - weight(layer=0) > 1", "  - 2"), 7, "takes"),
        (block("claims:", "  - __import__('os').system('id') > 1"), 7, "cannot be read"),
        (block("points:", *['  - token("a")'] * 21), 27, "at most 20 points"),
        (block("question: <img src=x onerror=alert(1)>"), 6, "HTML"),
        (block("notes: |", "  fine", "  ![](//evil)"), 7, "pictures"),
        (block("reveals: answer"), 6, "“picture” is expected"),
        (block("reveals: picture"), 6, "“reveals” needs a question"),
    ],
)
def test_a_malformed_file_gets_one_sentence_with_its_line(text: str, line: int, sentence: str) -> None:
    with pytest.raises(TourError, match=re.escape(sentence)) as caught:
        parse_tour(text)
    assert caught.value.line == line
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "bomb",
    [
        "a: " + "[" * 50_000,
        "points: " + "[" * 50_000,
        "a: " + "{" * 50_000,
        "\n".join(
            ["a: &a [x]", *(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]" for i in range(20))]
        ),
        "? " * 50_000,
        "a: '" + "\n" * 50_000,
        "- " * 50_000,
    ],
    ids=["lists", "lists in a list", "mappings", "aliases", "keys", "lines", "entries"],
)
def test_a_block_that_would_explode_is_refused_at_once(bomb: str) -> None:
    started = time.thread_time()
    with pytest.raises(TourError):
        parse_tour(block(bomb))
    assert time.thread_time() - started < 5


def test_lines_end_as_they_do_on_any_system() -> None:
    assert parse_tour(FILE.replace("\n", "\r\n")) == parse_tour("\ufeff" + FILE) == parse_tour(FILE)


@given(tours, stops, st.integers(0, 5))
def test_a_stop_is_added_to_a_text_and_nothing_else_changes(tour: Tour, stop: Stop, after: int) -> None:
    after = min(after, len(tour.stops))
    added = Stop(title=f"Stop {len(tour.stops) + 1}", state=stop.state)
    text = with_stop(write_tour(tour), stop.state, after)
    assert parse_tour(text) == replace(tour, stops=(*tour.stops[:after], added, *tour.stops[after:]))
    assert [text.split("\n")[line][:2] for line in stop_lines(text)] == ["##"] * (len(tour.stops) + 1)


def test_a_first_stop_makes_a_tour_with_lines_to_fill_in() -> None:
    text = "# My lesson\n\n## Stop 1\n\n```yaml\nlayer: 3\nquestion:\nanswer:\nnotes:\npoints:\nclaims:\n```\n"
    assert with_stop("", {"layer": "3"}, 0) == text


def test_a_stop_is_added_to_a_text_that_cannot_be_read() -> None:
    bad = "words\n\n##\n\n  x\n## \ny"
    assert with_stop(bad, {}, 1).startswith("words\n\n##\n\n  x\n\n## Stop 3\n")
    assert with_stop(bad, {}, 1).endswith("```\n\n## \ny\n")


@pytest.mark.parametrize(
    ("block", "points"),
    [
        ("", 1),
        ("```yaml\nview: norms\n```\n", 1),
        ("```yaml\npoints:\nclaims:\n```\n", 1),
        ('```yaml\npoints: token("a")\n```\n', 2),
        ('```yaml\npoints:\n- token("a")\n- token("b")\nnotes: |\n  - no entry\n```\n', 3),
    ],
)
def test_an_entry_is_added_to_a_stop_and_nothing_else_changes(block: str, points: int) -> None:
    text = f"# T\n\n## One\n\n{block}\nWords.\n\n## Two\n\nMore.\n"
    before, after = parse_tour(text), parse_tour(with_entry(text, 1, "points", 'cell("a" → "b")'))
    assert [point.kind for point in after.stops[0].points] == ["token"] * (points - 1) + ["cell"]
    assert replace(after.stops[0], points=before.stops[0].points) == before.stops[0]
    assert after.stops[1:] == before.stops[1:]
