"""What an encoder-decoder wrote, as an answer: its verdict, its steps, what it copied, and earlier layers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from encoder.catalogue import load_writer
from encoder.experiments.decoder_lens import decoder_lens
from encoder.measures.combined_attention import attention_to_copied_tokens_by_head
from encoder.measures.unit_attention import MEAN
from encoder.runs.generation import Candidate, Generation
from encoder.shipped.seq2seq import Seq2SeqBackend, exact_match, lens_exact_match
from tests.viz.answers.parts import said
from viz.answers.answer import Sentence, Table
from viz.state.selection import DEFAULT, Decoder, Place
from viz.views.decoder.answer import alignment, attention_to_copied_tokens, lens, step, step_shown, text
from viz.wording.numbers import percent

SOURCE = "time flies like an arrow"


@pytest.fixture(scope="module")
def writer() -> Seq2SeqBackend:
    found = load_writer()
    assert isinstance(found, Seq2SeqBackend)
    return found


@pytest.fixture(scope="module")
def written(writer: Seq2SeqBackend) -> Generation:
    return writer.generate("reverse", SOURCE)


def test_a_text_is_right_wrong_or_unknown(written: Generation) -> None:
    accuracy = exact_match("reverse")
    right = said(text(written, accuracy))
    assert right.startswith(f"**Right.** It is exactly right on {percent(accuracy.value, 1)} of")
    assert "**Wrong:** it should have written “a\\*b”." in said(text(replace(written, expected="a*b"), None))
    assert not text(replace(written, expected=None, notes=()), None).parts
    stopped = text(replace(written, complete=False), None).parts[0]
    why = f"The decoder was stopped after {len(written.written)} tokens, before it wrote its end token."
    assert stopped == Sentence(why, "warning")


def test_a_step_names_what_was_likely_and_leaves_out_the_rest(written: Generation) -> None:
    likely = (Candidate(label="arrow", probability=0.9), Candidate(label="an", probability=0.0004))
    first = said(step(replace(written, candidates=(likely, *written.candidates[1:])), 0))
    steps = len(written.written)
    assert first.startswith(f"**Step 1 of {steps}.** Written so far: nothing yet. The decoder reads **\\[START\\]**")
    assert first.endswith("Likeliest: arrow 90.0 %.")
    assert [step_shown(written, chosen) for chosen in (None, 1, 99)] == [steps - 1, 1, steps - 1]


@pytest.mark.parametrize(("head", "name"), [(1, "In layer 0, head 1,"), (MEAN, "In layer 0, mean over heads,")])
def test_the_share_of_copied_tokens_is_that_of_the_shown_head(written: Generation, head: int, name: str) -> None:
    selection = replace(DEFAULT, view="decoder", decoder=Decoder(place=Place(head=head)))
    shares = attention_to_copied_tokens(written, selection)
    expected = attention_to_copied_tokens_by_head(written)[0]
    assert shares is not None
    share = expected.mean() if head == MEAN else expected[head]
    assert f"{name} {percent(float(share))} of the attention goes to those" in said(
        alignment(written, selection, shares)
    )


def test_copies_are_of_no_interest_where_they_are_not_outlined(written: Generation) -> None:
    for decoder in (Decoder(kind="encoder"), Decoder(picture="model view")):
        assert attention_to_copied_tokens(written, replace(DEFAULT, view="decoder", decoder=decoder)) is None
    assert attention_to_copied_tokens(replace(written, origins=()), replace(DEFAULT, view="decoder")) is None


def test_the_texts_of_earlier_layers_come_with_the_right_answer(writer: Seq2SeqBackend) -> None:
    texts = decoder_lens(writer, writer.tokenize("sort", SOURCE))
    expected = " ".join(sorted(SOURCE.split()))
    accuracies = lens_exact_match("sort", len(texts) - 1)
    answer = lens(texts, accuracies, expected)
    (table,) = [part for part in answer.parts if isinstance(part, Table)]
    columns = table.columns()
    assert list(columns["the decoder reads"])[:2] == ["the embeddings", "the states after layer 0"]
    assert columns["it writes"][-1] == expected
    assert columns["right"][-1] == "✓"
    assert columns["exact match"][-1] == percent(exact_match("sort").value, 1)
    assert f"The right answer: “{expected}”." in said(answer)
    (unknown,) = [part for part in lens(texts, accuracies, None).parts if isinstance(part, Table)]
    assert "right" not in unknown.columns()
