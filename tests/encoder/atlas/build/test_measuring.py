"""What is counted of a shard, against slow loops over traces and answers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from encoder import Backend
from encoder.atlas.build.corpus import joined
from encoder.atlas.build.counts import Counts, counts_of_table, counts_to_table
from encoder.atlas.build.habits import features_of, sentence_habits
from encoder.atlas.build.layout import Encoded, lay_out, merge_words
from encoder.atlas.build.measuring import Measurer, Setting
from encoder.atlas.build.reduction import reduce_batch
from encoder.atlas.build.shards import Shard
from encoder.atlas.names import DIRECTIONS, HABITS, SHARES
from encoder.errors import UnsupportedModelError
from tests.encoder.atlas.small_corpus import (
    FLIES,
    ROWS,
    SHORT,
    SPLIT,
    clark_accuracy,
    offsets_looked_at,
    sentence_of,
    slow_habits,
)
from tests.encoder.random_models import Zoo
from tests.rounding import rounding

SENTENCES = tuple(sentence_of(row, number) for number, row in enumerate(ROWS))


@pytest.fixture(scope="module")
def measurer() -> Measurer:
    threads = torch.get_num_threads()
    made = Measurer(Setting(model="bundled"))
    torch.set_num_threads(threads)
    return made


def counts_of(measurer: Measurer, *sentences: object) -> Counts:
    result = measurer.measure(Shard("measure", 0, sentences))
    return counts_of_table(result.tables["counts"], measurer.backend.num_layers, measurer.backend.num_heads)


def encoded(backend: Backend, *rows: tuple) -> list[Encoded]:
    sentences = [sentence_of(row) for row in rows]
    return [Encoded(sentence, backend.tokenize(sentence.words)) for sentence in sentences]


def test_merging_sums_over_key_pieces_and_averages_over_query_pieces(bundled: Backend) -> None:
    layout = lay_out(bundled, encoded(bundled, (("go", "VERB", 0, "root"), ("home", "ADV", 1, "advmod"))))
    assert layout.word.tolist() == [[-1, 0, 1, -1]]
    texts = encoded(bundled, (("annoys", "VERB", 0, "root"),))  # ann ##oys
    layout = lay_out(bundled, texts)
    assert layout.word.tolist() == [[-1, 0, -1, -1]]
    weights = torch.tensor(
        [[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.1, 0.4], [0.2, 0.3, 0.3, 0.2], [1.0, 0.0, 0.0, 0.0]], dtype=torch.float64
    )
    merged = merge_words(weights[None, None], layout)[0, 0]
    # [CLS] looks at the word with .2 + .3; the word's rows are (.4, .2, 0, .4) and (.2, .6, 0, .2).
    torch.testing.assert_close(merged[0], torch.tensor([0.1, 0.5, 0.0, 0.4], dtype=torch.float64))
    torch.testing.assert_close(merged[1], torch.tensor([0.3, 0.4, 0.0, 0.3], dtype=torch.float64))


def test_habits_of_even_attention_are_the_ones_worked_out_by_hand(bundled: Backend) -> None:
    layout = lay_out(bundled, encoded(bundled, FLIES))  # 6 words of one piece each, [CLS] and [SEP]
    features = features_of(layout)
    even = torch.full((1, 2, 8, 8), 1 / 8)
    habits = dict(zip(HABITS, sentence_habits(even, features)[0, 0].tolist(), strict=True))
    for name in ("[CLS]", "[SEP] 1", "itself", "offset -1", "offset +5", "punctuation"):
        assert habits[name] == pytest.approx(1 / 8), name
    assert habits["entropy"] == pytest.approx(3)
    # Distances between 6 words: 2 × (5×1 + 4×2 + 3×3 + 2×4 + 1×5) = 70, over 36 pairs.
    assert habits["span"] == pytest.approx(70 / 36)
    defined = dict(zip(HABITS, features.defined[0].tolist(), strict=True))
    absent = {name for name in HABITS if not defined[name]}
    assert absent == {
        "[SEP] 2",
        "same word",
        "other sentence",
        *(f"offset {steps:+d}" for steps in (-8, -7, -6, 6, 7, 8)),
    }
    np.testing.assert_allclose(features.chance[0][features.defined[0]], list_of(habits, defined), rtol=1e-6)


def list_of(habits: dict[str, float], defined: dict[str, bool]) -> list[float]:
    return [habits[name] for name in HABITS if defined[name]]


def test_a_pair_has_a_second_separator_and_another_sentence(bundled: Backend) -> None:
    pair = joined(sentence_of(FLIES), sentence_of(SHORT))
    text = Encoded(pair, bundled.tokenize(pair.words[:6], pair.words[6:]))
    layout = lay_out(bundled, [text])
    features = features_of(layout)
    units = 8 + 3
    even = torch.full((1, 1, units, units), 1 / units)
    habits = dict(zip(HABITS, sentence_habits(even, features)[0, 0].tolist(), strict=True))
    assert habits["[SEP] 1"] == habits["[SEP] 2"] == pytest.approx(1 / units)
    assert habits["other sentence"] == pytest.approx((6 * 2 + 2 * 6) / 8 / units)
    # "." is not followed by "Go": the offset stays within a sentence. (5 + 1) words have a following one.
    assert features.targets[0, :, :, SHARES.index("offset +1")].sum() == 6


def test_counts_are_those_of_slow_loops_over_traces(measurer: Measurer, bundled: Backend) -> None:
    counts = counts_of(measurer, *SENTENCES)
    sums, n = np.zeros_like(counts.habit_sums), np.zeros(len(HABITS), dtype=np.int64)
    squares, looks_at = np.zeros_like(sums), np.zeros_like(counts.looks_at)
    right = {direction: {} for direction in range(len(DIRECTIONS))}
    seen: dict[str, int] = {}
    for sentence in SENTENCES:
        trace = bundled.trace(list(sentence.words))
        habits, defined = slow_habits(trace, sentence)
        sums, squares, n = sums + habits, squares + habits**2, n + defined
        for direction in right:
            found, examples, looked_at = clark_accuracy(trace, sentence, transposed=direction == 1)
            for relation, hits in found.items():
                right[direction][relation] = right[direction].get(relation, 0) + hits
        for relation, count in examples.items():
            seen[relation] = seen.get(relation, 0) + count
        if len(sentence.words) > 1:
            looks_at += offsets_looked_at(looked_at)
    np.testing.assert_array_equal(counts.habit_sentences, n)
    np.testing.assert_allclose(counts.habit_sums, sums, atol=rounding(384))
    np.testing.assert_allclose(counts.habit_squares, squares, atol=rounding(384))
    np.testing.assert_array_equal(counts.looks_at, looks_at)
    assert counts.looks == 6 + 5 + 2
    assert {name: relation.n for name, relation in counts.relations.items()} == seen
    assert seen == {"nsubj": 2, "case": 1, "det": 3, "obl": 1, "obj": 1, "advmod:lmod": 1}
    for direction, by_relation in right.items():
        for name, hits in by_relation.items():
            np.testing.assert_array_equal(counts.relations[name].right[direction], hits, err_msg=name)
    assert dict(counts.relations["det"].offsets) == {1: 3}
    assert dict(counts.relations["case"].offsets) == {2: 1}


def test_batches_of_one_and_of_many_count_the_same(measurer: Measurer) -> None:
    together = counts_of(measurer, *SENTENCES)
    one_by_one = Measurer.__new__(Measurer)
    one_by_one.backend, one_by_one.setting = measurer.backend, Setting(model="bundled", batch_sentences=1)
    alone = counts_of(one_by_one, *SENTENCES)
    np.testing.assert_allclose(alone.habit_sums, together.habit_sums, atol=1e-5)
    np.testing.assert_array_equal(alone.looks_at, together.looks_at)
    for name, relation in together.relations.items():
        np.testing.assert_array_equal(alone.relations[name].right, relation.right)


def test_counts_survive_a_table_to_the_bit_and_add_up(measurer: Measurer) -> None:
    counts = counts_of(measurer, *SENTENCES)
    again = counts_of_table(counts_to_table(counts), *counts.shape)
    assert counts_to_table(again).equals(counts_to_table(counts))
    again.add(counts)
    assert again.sentences == 2 * counts.sentences
    assert again.relations["det"].n == 2 * counts.relations["det"].n
    np.testing.assert_array_equal(again.habit_sums, 2 * counts.habit_sums)


def test_a_sentence_that_the_model_cannot_read_is_skipped_and_named(measurer: Measurer) -> None:
    long = sentence_of(tuple(("antidisestablishmentarianism", "NOUN", 0, "root") for _ in range(200)), 7)
    nothing = sentence_of((("\u200b", "X", 0, "root"),), 8)
    result = measurer.measure(Shard("measure", 0, (long, nothing, *SENTENCES)))
    assert [(skipped.where, skipped.reason) for skipped in result.skipped] == [
        ("small:7", "longer than the 256 tokens that the model reads"),
        ("small:8", "the tokenizer keeps none of it"),
    ]
    assert counts_of_table(result.tables["counts"], 6, 12).sentences == len(SENTENCES)


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert", "gpt2", "modernbert"])
def test_families_of_transformers_are_read_as_their_traces_are(zoo: Zoo, family: str) -> None:
    backend = zoo.backend(family)
    rows = (FLIES, SPLIT[2:4])
    texts = encoded(backend, *rows)
    layout = lay_out(backend, texts)
    reduced = reduce_batch(backend, layout, features_of(layout))
    for row, (sentence, _) in enumerate(texts):
        expected, defined = slow_habits(backend.trace(list(sentence.words)), sentence)
        framed = family != "gpt2"
        kept = defined & (framed | ~np.isin(HABITS, ["[CLS]", "[SEP] 1"]))
        np.testing.assert_allclose(reduced.habits[row].numpy()[..., kept], expected[..., kept], atol=1e-5)


def test_a_run_ends_where_the_last_attention_has_been_read(bundled: Backend) -> None:
    (layer,) = bundled.modules[0].layers[-1:]
    called: list[str] = []
    handles = [
        layer.feed_forward.register_forward_hook(lambda *_: called.append("feed-forward")),
        layer.attention.output.register_forward_hook(lambda *_: called.append("attention output")),
    ]
    layout = lay_out(bundled, encoded(bundled, FLIES))
    try:
        reduced = reduce_batch(bundled, layout, features_of(layout))
    finally:
        for handle in handles:
            handle.remove()
    assert reduced.habits.shape[:3] == (1, 6, 12)
    assert called == []


def test_looks_are_counted_at_each_offset_up_to_the_farthest(measurer: Measurer, bundled: Backend) -> None:
    words = [(f"{number}", "NUM", 0 if number == 1 else 1, "root" if number == 1 else "dep") for number in range(1, 25)]
    sentence = sentence_of(tuple(words))
    *_, looked_at = clark_accuracy(bundled.trace(list(sentence.words)), sentence, transposed=False)
    counts = counts_of(measurer, sentence)
    np.testing.assert_array_equal(counts.looks_at, offsets_looked_at(looked_at))
    assert 0 < counts.looks_at.sum() < counts.looks * counts.looks_at[..., 0].size  # some look farther


def test_a_model_with_attention_code_of_its_own_is_refused(zoo: Zoo) -> None:
    with pytest.raises(UnsupportedModelError, match="no atlas can be built"):
        Measurer(Setting(model=str(zoo.folder("deberta"))))
