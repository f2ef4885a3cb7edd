"""The three tasks: what they come to, where every piece of it comes from, and what training never sees."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import InputError
from encoder.shipped.task_tokenizer import SPECIALS, TaskTokenizer, vocabulary
from encoder.shipped.tasks import (
    EXAMPLES,
    FIRST_DAY,
    FORMS,
    LAST_DAY,
    LEXICON,
    TASKS,
    Item,
    date_item,
    draw_item,
    parse_item,
    words_item,
)

DAY = date(1987, 3, 3)
days = st.dates(FIRST_DAY, LAST_DAY)
words = st.lists(st.sampled_from(LEXICON), min_size=1, max_size=10)


@pytest.fixture(scope="module")
def tokenizer() -> TaskTokenizer:
    return TaskTokenizer(vocabulary(), max_length=16)


def sources_of(item: Item, tokenizer: TaskTokenizer) -> list[tuple[str, list[str]]]:
    """Every piece of the target, with the pieces of the source that it comes from."""
    source = tokenizer.source(item.task, item.source)
    target = tokenizer.written(tokenizer.target_ids(item.target)[:-1])
    places = item.source_positions(source)
    return [(piece, [source.pieces[at] for at in found]) for piece, found in zip(target.pieces, places, strict=True)]


# Items ----------------------------------------------------------------------------------------------------------------


def test_a_date_is_written_in_every_form() -> None:
    assert [date_item(date(1987, 4, 3), form).source for form in FORMS] == [
        "the 3rd of april 1987",
        "april 3, 1987",
        "3 april 1987",
        "apr 3, 1987",
        "3rd apr 1987",
        "friday, april 3rd, 1987",
        "3.4.1987",
        "4/3/1987",
    ]
    assert {date_item(DAY, form).target for form in FORMS} == {"1987-03-03"}


@pytest.mark.parametrize(
    ("day", "ordinal"),
    [
        *((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th")),
        *((21, "21st"), (22, "22nd"), (23, "23rd"), (30, "30th"), (31, "31st")),
    ],
)
def test_ordinals_end_as_they_are_spoken(day: int, ordinal: str) -> None:
    assert date_item(date(1987, 3, day), FORMS[0]).source == f"the {ordinal} of march 1987"


def test_the_digits_of_a_date_come_from_the_words_that_name_it(tokenizer: TaskTokenizer) -> None:
    assert sources_of(date_item(DAY, FORMS[5]), tokenizer) == [
        ("1", ["1"]),
        ("##9", ["##9"]),
        ("##8", ["##8"]),
        ("##7", ["##7"]),
        ("-", []),
        ("0", ["march"]),
        ("##3", ["march"]),
        ("-", []),
        ("0", ["3"]),
        ("##3", ["3"]),
    ]


def test_in_numbers_month_and_day_are_told_apart(tokenizer: TaskTokenizer) -> None:
    item = date_item(date(2012, 11, 7), FORMS[7])
    source = tokenizer.source("date", item.source)
    assert source.labels == ("[date]", "1", "##1", "/", "7", "/", "2", "##0", "##1", "##2", "[END]")
    assert item.source_positions(source) == ((6,), (7,), (8,), (9,), (), (1,), (2,), (), (4,), (4,))


@given(words)
def test_every_word_of_a_target_comes_from_a_word_that_is_the_same(chosen: list[str]) -> None:
    tokenizer = TaskTokenizer(vocabulary(), max_length=16)
    assert words_item("reverse", chosen).target.split() == chosen[::-1]
    assert words_item("sort", chosen).target.split() == sorted(chosen)
    for task in ("reverse", "sort"):
        for piece, found in sources_of(words_item(task, chosen), tokenizer):
            assert found
            assert set(found) == {piece}


def test_a_repeated_word_comes_from_any_of_its_places_if_sorted(tokenizer: TaskTokenizer) -> None:
    reverse, in_order = (words_item(task, ["tree", "a", "tree"]) for task in ("reverse", "sort"))
    assert reverse.source_positions(tokenizer.source("reverse", reverse.source)) == ((3,), (2,), (1,))
    assert in_order.source_positions(tokenizer.source("sort", in_order.source)) == ((2,), (1, 3), (1, 3))


@given(days, st.sampled_from(FORMS))
def test_every_digit_of_a_date_comes_from_somewhere_and_no_separator_does(day: date, form: str) -> None:
    tokenizer = TaskTokenizer(vocabulary(), max_length=16)
    for piece, found in sources_of(date_item(day, form), tokenizer):
        assert bool(found) == (piece != "-")


@given(days, st.sampled_from(FORMS))
def test_a_date_that_was_typed_is_recognised_in_every_form(day: date, form: str) -> None:
    item = date_item(day, form)
    assert parse_item("date", f" {item.source.upper()} ".replace(" ", "  ")) == item


@pytest.mark.parametrize(
    "text",
    [
        "the 31st of february 1987",
        "the 3th of march 1987",
        "monday, march 3rd, 1987",
        "13/13/1987",
        "0.3.1987",
        "03.03.1987",
        "march 3 1987",
        "1.1.0000",
        "time flies",
        "",
    ],
)
def test_what_is_no_date_in_a_known_form_has_no_alignment(text: str) -> None:
    assert parse_item("date", text) is None


# What is held out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("held_out", [True, False])
def test_what_is_rendered_is_on_the_requested_side(task: str, held_out: bool) -> None:
    random = np.random.default_rng(0)
    items = [draw_item(task, random, held_out=held_out) for _ in range(200)]
    assert all(item.held_out is held_out and item.task == task for item in items)


@given(words, st.randoms())
def test_words_are_held_out_in_every_order_and_for_either_task(chosen: list[str], random: object) -> None:
    shuffled = chosen.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    sides = {words_item(task, order).held_out for task in ("reverse", "sort") for order in (chosen, shuffled)}
    assert len(sides) == 1


@given(days)
def test_a_date_is_held_out_in_every_form(day: date) -> None:
    assert len({date_item(day, form).held_out for form in FORMS}) == 1


def test_about_one_date_in_twenty_is_held_out() -> None:
    share = np.mean([date_item(FIRST_DAY + timedelta(days=n), FORMS[0]).held_out for n in range(0, 730_000, 37)])
    assert share == pytest.approx(1 / 20, abs=0.005)


# The tokenizer --------------------------------------------------------------------------------------------------------


def test_numbers_are_digits_and_everything_else_is_words(tokenizer: TaskTokenizer) -> None:
    tokens = tokenizer.source("date", "The 3rd of  March, 1987")
    assert tokens.pieces == (*("[date]", "the", "3", "##rd", "of", "march", ",", "1", "##9", "##8", "##7", "[END]"),)
    assert tokens.words == ("The", "3rd", "of", "March", ",", "1987")
    assert tokens.word_ids == (None, 0, 1, 1, 2, 3, 4, 5, 5, 5, 5, None)
    assert [tokens.sentences[0][slice(*span)] for span in tokens.spans if span][:5] == ["The", "3", "rd", "of", "March"]
    assert tokens.special == (True, *[False] * 10, True)


@pytest.mark.parametrize("task", TASKS)
def test_examples_and_everything_that_is_drawn_can_be_read_and_written(task: str, tokenizer: TaskTokenizer) -> None:
    random = np.random.default_rng(0)
    tokenizer.source(task, EXAMPLES[task])
    for item in (draw_item(task, random, held_out=False) for _ in range(200)):
        assert len(tokenizer.source(task, item.source)) <= 16
        ids = tokenizer.target_ids(item.target)
        assert ids[-1] == tokenizer.end_id
        assert tokenizer.written(ids).sentences == (item.target,)
        assert len(item.origins) == len(ids) - 1


@given(st.lists(st.integers(0, len(vocabulary()) - 1), max_size=16))
def test_whatever_a_decoder_writes_can_be_shown(ids: list[int]) -> None:
    tokens = TaskTokenizer(vocabulary(), max_length=16).written(ids)
    assert tokens.ids == tuple(ids)
    for piece, span in zip(tokens.pieces, tokens.spans, strict=True):
        assert (span is None) == (piece in SPECIALS)
        if span is not None:
            assert tokens.sentences[0][slice(*span)] == piece.removeprefix("##")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("time flies like an okapi", "'okapi'"),
        ("<b>time</b>", "'<', 'b'"),
        ("\ud800", "not"),
        ("時は矢", "'時'"),
        ("a " * 15, "15 tokens.*14"),
        ("x" * 100_000, "not 'x{30}'"),
        ("[END]", "'\\['"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_in_a_sentence(tokenizer: TaskTokenizer, text: str, named: str) -> None:
    with pytest.raises(InputError, match=named) as caught:
        tokenizer.source("reverse", text)
    assert len(str(caught.value)) < 300


def test_the_vocabulary_has_every_piece_once() -> None:
    assert len(set(vocabulary())) == len(vocabulary())
    assert vocabulary()[0] == "[PAD]"
