"""Where heads look from every word, and how their weights are distributed, against slow loops over traces."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.atlas.build.corpus import joined
from encoder.atlas.build.distribution import (
    BINS,
    DECADES,
    DISTRIBUTION,
    STEPS,
    WeightCounts,
    bins_of,
    combine_distributions,
    quantiles,
)
from encoder.atlas.build.habits import features_of
from encoder.atlas.build.layout import Encoded, lay_out
from encoder.atlas.build.reduction import reduce_batch
from encoder.atlas.build.search_tables import Looks, renumbered
from encoder.atlas.names import LEVELS, TARGETS
from encoder.atlas.tables import head_columns, looks_schema, table_of
from tests.encoder.atlas.small_corpus import FLIES, ROWS, SHORT, sentence_of, word_attention

HEADS = [(0, 0), (2, 8), (5, 11)]


def test_each_word_looks_at_the_other_word_with_the_largest_weight(bundled: Backend, texts: list[Encoded]) -> None:
    looks = Looks(texts, 6, 12)
    for rows in ([3, 1], [0, 2]):  # batches come in any order
        layout = lay_out(bundled, [texts[row] for row in rows])
        looks.add(rows, reduce_batch(bundled, layout, features_of(layout)))
    found = looks.table().to_pylist()
    assert [(row["sentence"], row["word"]) for row in found] == [
        (number, word) for number, row in enumerate(ROWS[:3]) for word in range(len(row))
    ]  # the last sentence is a single word, which has no other one to look at
    for row in found:
        attention, units = word_attention(bundled.trace(list(texts[row["sentence"]].sentence.words)))
        places = [unit for unit, word in enumerate(units) if word is not None]
        for layer, head in HEADS:
            weights = attention[layer, head][np.ix_(places, places)][row["word"]].copy()
            weights[row["word"]] = -1
            to, weight = head_columns(layer, head)
            assert row[to] == weights.argmax()
            assert abs(row[weight] - 100 * weights.max()) <= 0.5 + 1e-3


def test_a_word_looks_within_its_own_sentence_of_a_pair(bundled: Backend) -> None:
    pair = joined(sentence_of(FLIES), sentence_of(SHORT))
    texts = [Encoded(pair, bundled.tokenize(pair.words[:6], pair.words[6:]))]
    looks = Looks(texts, 6, 12)
    layout = lay_out(bundled, texts)
    looks.add([0], reduce_batch(bundled, layout, features_of(layout)))
    for row in looks.table().to_pylist():
        for place in np.ndindex(6, 12):
            assert (row[head_columns(*place)[0]] < 6) == (row["word"] < 6)


def test_tables_of_several_shards_number_their_sentences_on() -> None:
    schema = looks_schema(1, 1)
    head = dict.fromkeys(head_columns(0, 0), 1)
    parts = [table_of([{"sentence": row, "word": 0, **head} for row in rows], schema) for rows in ([0, 2], [], [1])]
    numbers = [part["sentence"].to_pylist() for part in renumbered(parts, [3, 4, 2])]
    assert numbers == [[0, 2], [], [8]]
    assert all(part.schema == schema for part in renumbered(parts, [3, 4, 2]))


def test_weights_are_counted_by_what_they_go_to(bundled: Backend, texts: list[Encoded]) -> None:
    counts = WeightCounts(6, 12)
    for rows in ([0, 1], [2, 3]):
        layout = lay_out(bundled, [texts[row] for row in rows])
        counts.begin(layout)
        reduce_batch(bundled, layout, features_of(layout), counts)
    given: dict[str, list[np.ndarray]] = {target: [] for target in TARGETS}
    for sentence, _ in texts:
        attention, units = word_attention(bundled.trace(list(sentence.words)))
        for query, word in enumerate(units):
            for key, other in enumerate(units):
                if word is None:
                    continue
                special = "[CLS]" if key == 0 else "[SEP]"
                target = special if other is None else "itself" if key == query else "another word"
                given[target].append(attention[:, :, query, key])
    for row in counts.rows():
        weights = np.array([of_heads[row["layer"], row["head"]] for of_heads in given[row["target"]]])
        assert row["n"] == len(weights) == sum(row["counts"])
        slow, _ = np.histogram(np.log10(np.maximum(weights, 1e-6)), np.arange(BINS + 1) / STEPS - DECADES)
        assert (
            np.abs(np.cumsum(slow) - np.cumsum(row["counts"])).max() <= 1
        )  # a weight on an edge may fall to both sides


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=60))
def test_quantiles_stand_above_their_share_of_the_weights(weights: list[float]) -> None:
    counts = torch.bincount(bins_of(torch.tensor(weights, dtype=torch.float64)), minlength=BINS).numpy()
    found = quantiles(counts)
    assert found is not None
    assert (np.diff(found) >= 0).all()
    step = 10 ** (1 / STEPS)  # a quantile is known up to the step that it lies in
    for level, quantile in zip(LEVELS, found, strict=True):
        assert np.mean(np.array(weights) < quantile / step * (1 - 1e-9)) <= level + 1e-9
        assert np.mean(np.array(weights) < quantile * step * (1 + 1e-9)) >= level - 1e-9


def test_no_weights_have_no_quantiles_and_the_extremes_have_a_step() -> None:
    assert quantiles(np.zeros(BINS, dtype=np.int64)) is None
    assert bins_of(torch.tensor([0.0, 1e-9, 1e-6, 1.0])).tolist() == [0, 0, 0, BINS - 1]


def test_distributions_of_several_samples_add_up(bundled: Backend, texts: list[Encoded]) -> None:
    tables = []
    for row in (0, 1):
        counts = WeightCounts(6, 12)
        layout = lay_out(bundled, [texts[row]])
        counts.begin(layout)
        reduce_batch(bundled, layout, features_of(layout), counts)
        tables.append(list(counts.rows()))
    combined = combine_distributions([table_of(rows, DISTRIBUTION) for rows in tables])
    for one, other, both in zip(*tables, combined, strict=True):
        assert (both["layer"], both["head"], both["target"]) == (one["layer"], one["head"], one["target"])
        assert both["n"] == one["n"] + other["n"]
        assert both["counts"] == [a + b for a, b in zip(one["counts"], other["counts"], strict=True)]
