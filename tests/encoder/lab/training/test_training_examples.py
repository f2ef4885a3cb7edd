"""What the small encoder's training reads: examples, batches, and what larger models add to them."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import encoder
from encoder.lab.training import multitask
from encoder.lab.training.data import Homograph
from encoder.lab.training.examples import (
    NO_LABEL,
    Example,
    batches_of,
    collate,
    encode_as_typed,
    encode_homographs,
    encode_reviews,
    encode_words,
)
from encoder.lab.training.loop import learning_rate_at
from encoder.lab.training.multitask import Corpus, drop_pieces
from encoder.lab.training.scratch import with_silver_tags, with_soft_sentiment, with_states
from encoder.models.labels import TAGS
from encoder.shipped.bundled import bundled_folder
from encoder.shipped.sentiment import load_bundled_sentiment
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.encoder import Encoder
from tests.encoder.lab.training.small_corpus import NOUN, REVIEWS, SETTINGS, TAGGED, TINY, VERB, review

pytestmark = pytest.mark.usefixtures("one_thread")

# Examples -----------------------------------------------------------------------------------------------------------


def test_a_words_tag_stands_at_its_first_piece(tokenizer: Tokenizer) -> None:
    (example,) = encode_words(tokenizer, [["unfairest", "flies"]], [[0, VERB]])
    pieces = tokenizer.inner.convert_ids_to_tokens(example.ids.tolist())
    assert pieces == ["[CLS]", "unfair", "##est", "flies", "[SEP]"]
    assert example.tags.tolist() == [NO_LABEL, 0, NO_LABEL, VERB, NO_LABEL]


def test_as_typed_a_contraction_keeps_the_tags_of_both_its_words(tokenizer: Tokenizer) -> None:
    (example,) = encode_as_typed(tokenizer, TAGGED[1:])
    pieces = tokenizer.inner.convert_ids_to_tokens(example.ids.tolist())
    tags = dict(zip(pieces, example.tags.tolist(), strict=True))
    assert pieces == ["[CLS]", "birds", "don", "'", "t", "fly", "[SEP]"]
    assert tags == {"[CLS]": NO_LABEL, "birds": NOUN, "don": 3, "'": 9, "t": NO_LABEL, "fly": VERB, "[SEP]": NO_LABEL}


def test_homographs_label_only_their_word_and_leave_out_dev_rows(tokenizer: Tokenizer) -> None:
    row = Homograph(words=("Time", "flies"), index=1, tag=VERB, split="train", balanced=True)
    others = [dataclasses.replace(row, split="dev"), dataclasses.replace(row, balanced=False)]
    (example,) = encode_homographs(tokenizer, [row, *others], weight=3.0)
    assert example.tags.tolist() == [NO_LABEL, NO_LABEL, VERB, NO_LABEL]
    assert example.tag_weight == 3.0


def test_padding_and_unknown_labels_are_marked(tokenizer: Tokenizer) -> None:
    tagged = encode_words(tokenizer, [TAGGED[0].words], [TAGGED[0].tags])
    batch = collate([*encode_reviews(tokenizer, REVIEWS[:1]), *tagged])
    assert batch.mask.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    assert batch.sentiment.sum(1).tolist() == [1, 0]
    assert batch.score.isnan().tolist() == [False, True]
    assert batch.tags.tolist() == [[NO_LABEL] * 5, [NO_LABEL, NOUN, VERB, NO_LABEL, NO_LABEL]]


def test_dropped_pieces_leave_the_special_ones() -> None:
    ids = torch.tensor([[101, 2051, 10029, 102, 0]])
    assert drop_pieces(ids, 1.0).tolist() == [[101, 100, 100, 102, 0]]
    assert drop_pieces(ids, 0.0).tolist() == ids.tolist()


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(40, 200), st.booleans())
def test_each_text_is_in_one_batch_within_budget(lengths: list[int], budget: int, shuffled: bool) -> None:
    examples = [Example(np.zeros(length, np.int64)) for length in lengths]
    batches = batches_of(examples, budget, np.random.default_rng(0) if shuffled else None)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(max(lengths[index] for index in batch) * len(batch) <= budget for batch in batches)


def test_the_learning_rate_rises_and_falls_to_zero() -> None:
    highest = SETTINGS.learning_rate
    rates = [learning_rate_at(at, warm_up=SETTINGS.warm_up, learning_rate=highest) for at in np.linspace(0, 1, 101)]
    assert rates[0] == 0
    assert max(rates) == pytest.approx(highest)
    assert np.argmax(rates) == 5
    assert rates[-1] == pytest.approx(0, abs=1e-9)


# Teachers -----------------------------------------------------------------------------------------------------------


def test_a_teachers_states_are_standardised_and_stand_at_their_own_tokens(corpus: Corpus) -> None:
    torch.manual_seed(0)
    teacher = Encoder(replace(TINY, initializer_range=0.3)).eval()
    alone = teacher(torch.tensor(corpus.always[3].ids)[None]).hidden_states[1][0].detach().numpy()
    taught = with_states(teacher, 1, corpus.always, batch_tokens=40)
    states = np.concatenate([example.states for example in taught]).astype(np.float32)
    assert_allclose(states.mean(0), 0, atol=0.01)
    assert_allclose(states.std(0), 1, atol=0.01)
    assert np.corrcoef(alone[:, 5], taught[3].states[:, 5].astype(np.float32))[0, 1] > 0.999
    batch = collate([taught[0], dataclasses.replace(taught[-1], states=None)])
    assert batch.has_state.tolist() == [[True] * 5 + [False] * (batch.ids.shape[1] - 5), [False] * batch.ids.shape[1]]
    assert batch.states.shape == (5, 16)


def test_the_bundled_models_probe_tags_what_it_is_sure_of(tokenizer: Tokenizer) -> None:
    reviews = [review("The movie is surprisingly unfunny.", 0)]
    (example,) = with_silver_tags(encoder.load("bundled"), reviews, encode_reviews(tokenizer, reviews), confidence=0.5)
    pieces = tokenizer.inner.convert_ids_to_tokens(example.ids.tolist())
    tags = {piece: TAGS[tag] for piece, tag in zip(pieces, example.tags.tolist(), strict=True) if tag != NO_LABEL}
    assert (tags["the"], tags["movie"], tags["is"]) == ("DET", "NOUN", "AUX")
    assert not any(piece.startswith(("##", "[")) for piece in tags)
    assert example.sentiment.tolist() == [1, 0, 0]
    (unsure,) = with_silver_tags(encoder.load("bundled"), reviews, [example], confidence=1.1)
    assert set(unsure.tags.tolist()) == {NO_LABEL}


def test_soft_labels_lie_between_the_label_and_the_teachers_answer(tokenizer: Tokenizer) -> None:
    texts = ["a dull, lifeless mess", "time flies like an arrow, and fruit flies like a banana", "mess"]
    examples = encode_reviews(tokenizer, [review(text, 0) for text in texts])
    teacher = load_bundled_sentiment(bundled_folder())
    for text, example in zip(texts, with_soft_sentiment(teacher, examples, share=0.25, batch_tokens=40), strict=True):
        said = teacher.trace(text).prediction
        assert_allclose(example.sentiment, 0.75 * np.array([1, 0, 0]) + 0.25 * said.probabilities, atol=1e-5)
        assert example.score == pytest.approx(0.75 * 0.1 + 0.25 * said.score, abs=1e-5)


def test_soft_labels_leave_what_has_no_sentiment(tokenizer: Tokenizer) -> None:
    teacher = load_bundled_sentiment(bundled_folder())
    (tagged,) = with_soft_sentiment(teacher, encode_words(tokenizer, [["time"]], [[NOUN]]), share=0.5)
    assert tagged.sentiment is None
    assert np.isnan(tagged.score)


def test_epochs_draw_different_phrases_and_the_same_ones_again(corpus: Corpus) -> None:
    def drawn(epoch: int) -> list[list[int]]:
        batches = multitask.epoch_batches(corpus, SETTINGS, epoch)
        return [example.ids.tolist() for batch in batches for example in batch]

    assert drawn(0) == drawn(0)
    assert drawn(0) != drawn(1)
    assert len(drawn(0)) == len(corpus.always) + SETTINGS.phrases
    assert_array_equal(sorted(map(len, drawn(0)))[-1:], [max(len(row) for row in drawn(1))])
