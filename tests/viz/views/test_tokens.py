"""How a model reads a text, as an answer: sentences, rows as HTML, and the table."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from encoder import Backend
from encoder.runs.trace import Trace
from encoder.text.readings import cut_differently
from tests.encoder.text.test_readings import byte_level
from tests.viz.answers.parts import sentences as said
from viz.answers.answer import Answer, Table, TokenRows
from viz.html.answers import html_of_answer
from viz.views.tokens.answer import NOT_RECORDED, by_another_model, tokens, tokens_of_texts

HOSTILE = "</span><script>alert(1)</script> **x** <img src=x onerror=alert(1)>"


def rows_of(answer: Answer) -> TokenRows:
    [rows] = [part for part in answer.parts if isinstance(part, TokenRows)]
    return rows


def elements_of(html: str, name: str) -> list[str]:
    """The text at the start of each element of a class or, without a class, of a tag."""
    found = re.findall(r'<(\w+)(?: class="([\w -]+)")?[^>]*>([^<]*)', html)
    return [text.replace("&nbsp;", "") for tag, named, text in found if name == (named or tag)]


@pytest.mark.parametrize(
    ("text", "first", "more"),
    [
        ("time flies", "The model reads 2 words as 2 pieces; no character is lost.", []),
        ("The na\u00adme", "The model reads 2 words as 2 pieces; 1 character is lost.", []),
        ("\u200bÜber é \x10", "The model reads 2 words as 2 pieces; 2 characters are lost and 2 lose their marks.", []),
        (
            "I saw 😂",
            "The model reads 3 words as 3 pieces; 1 character is in an unknown piece.",
            [r"The model knows 2 of 3 words: it reads \[UNK\] for the other."],
        ),
        (
            "so 😂 😂",
            "The model reads 3 words as 3 pieces; 2 characters are in unknown pieces.",
            [r"The model knows 1 of 3 words: it reads \[UNK\] for the others."],
        ),
        (
            "😂😂 ฉัน",
            "The model reads 2 words as 2 pieces; 4 characters are in unknown pieces.",
            [r"The model knows 0 of 2 words: what it says is its answer to \[UNK\]."],
        ),
    ],
)
def test_a_sentence_counts_words_pieces_and_losses(bundled: Backend, text: str, first: str, more: list[str]) -> None:
    assert said(tokens(bundled.trace(text))) == [first, *more]


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("Café", "cafe\u0301", "**A and B are the same to the model.** So are “Café” and “cafe\u0301”."),
        ("Über it", "it is uber", "The same to the model: “Über” and “uber”."),
        ("😂 ok", "so ฉัน", "The same to the model: “😂” and “ฉัน”."),
        ("time flies", "time flies", ""),
        ("time flies", "fruit flies", ""),
    ],
)
def test_texts_and_words_that_are_the_same_to_the_model_are_named(bundled: Backend, a: str, b: str, found: str) -> None:
    pair = said(tokens(bundled.trace(a, b)))
    apart = {
        place: said(each) for place, each in tokens_of_texts({"A": bundled.trace(a), "B": bundled.trace(b)}).items()
    }
    for sentences in (pair, apart["A"]):
        assert [each for each in sentences if "same" in each] == ([found] if found else [])
    assert not any("same" in each for each in apart["B"])


def test_words_that_differ_by_a_mark_are_one_to_an_uncased_model(bundled: Backend) -> None:
    [first, *_] = said(tokens_of_texts({"A": bundled.trace("かぎ"), "B": bundled.trace("かき")})["A"])
    assert first.startswith("**A and B are the same to the model.** So are “")


def test_rows_align_characters_pieces_and_words(bundled: Backend) -> None:
    html = html_of_answer(tokens(bundled.trace("Über unbelievableness 😂", "שָׁלוֹם")))
    assert elements_of(html, "piece")[:3] == ["uber", "unbelievable", "##ness"]
    assert elements_of(html, "special") == ["[CLS]", "[SEP]", "[SEP]"]
    assert elements_of(html, "stripped")[:2] == ["3 without marks", "Ü"]
    assert elements_of(html, "b")[:6] == ["", "Über", "unbelievableness", "😂", "", "שָׁלוֹם"]
    assert elements_of(html, "unknown")[1:] == ["😂", "[UNK]"]
    assert html.count('dir="auto"') == 2, "each sentence has its own direction"
    assert "style=" not in html


def test_no_text_of_a_user_is_an_element_or_markdown(bundled: Backend) -> None:
    html = html_of_answer(Answer(tokens(bundled.trace(HOSTILE, "ok")).parts))
    assert not any(elements_of(html, tag) for tag in ("script", "img", "strong"))
    assert "alert" in html


def test_the_table_has_a_row_for_each_word_and_for_lost_characters(bundled: Backend) -> None:
    trace = bundled.trace("Über \u200b unbelievableness")
    [table] = [part for part in tokens(trace).parts if isinstance(part, Table)]
    columns = table.columns()
    assert columns["pieces"] == ["[CLS]", "uber", "", "unbelievable ##ness", "[SEP]"]
    assert columns["typed"] == ["", "Über", "\u200b", "unbelievableness", ""]
    assert columns["normalised"] == ["", "uber", "", "unbelievableness", ""]
    assert columns["ids"] == ["101", "19169", "", "23653 2791", "102"]


def test_another_model_marks_what_it_cuts_differently(bundled: Backend) -> None:
    trace = bundled.trace("time ok")
    same = by_another_model(trace, trace.tokens)
    assert said(same)[1] == "It cuts all 2 words as the page's model does."
    assert not rows_of(same).differing
    other = byte_level()("time ok")
    answer = by_another_model(trace, other)
    assert said(answer)[1].startswith(
        "It cuts **2 of 2 words** differently from the page's model: “time” is t · i · m · e "
    )
    assert said(answer)[1].endswith("here and time there.")
    assert rows_of(answer).differing == {0, 1}
    assert "differs" in html_of_answer(answer)


def test_pieces_of_the_same_characters_are_cut_alike_whatever_their_marks(bundled: Backend) -> None:
    bert, bytes_of = bundled.tokenize("a 😂 é"), byte_level()("a 😂 é")
    assert [bytes_of.words[word] for word in cut_differently(bytes_of, bert)] == ["😂", "é"]
    assert cut_differently(bert, bert) == []


def test_an_earlier_run_and_an_excerpt_say_what_they_lack(bundled: Backend) -> None:
    trace = bundled.trace("Über")
    old: Trace = replace(trace, tokens=replace(trace.tokens, rewritten=None))
    assert NOT_RECORDED in said(tokens(old))
    long = bundled.trace("time " * 600)
    answer = tokens(long)
    assert re.match(r"The model reads \d+ words as \d+ pieces; no character is lost", said(answer)[0])
    assert len(rows_of(answer).reading.tokens) <= 512
