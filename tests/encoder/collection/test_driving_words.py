"""Words that drive predictions: a planted shortcut is found, sums and intervals are right, and words are taken out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from numpy.testing import assert_allclose

from encoder.attribution.methods import decompx
from encoder.attribution.quantities import ClassQuantity
from encoder.collection.driving_words import (
    NODE,
    TESTED_WORDS,
    DrivingWords,
    driving_words,
    remove_words,
    row_words,
    words_of_rows,
)
from encoder.collection.errors_in_words import main, report
from encoder.collection.kinds.base import Results
from encoder.collection.order_quality import MOST_ROWS, order_quality
from encoder.collection.results import results_of_all
from encoder.collection.table import Collection
from encoder.errors import SelectionError, UnsupportedModelError
from encoder.measures.near_ties import largest_first
from encoder.models.base import Backend
from tests.encoder.collection.shortcut import RANDOM, SHORTCUT, reviews, trained_classifier
from tests.encoder.random_models import Zoo


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    return trained_classifier(tmp_path_factory.mktemp("shortcut"))


@pytest.fixture(scope="module")
def collection() -> Collection:
    return reviews(seed=1)  # other rows than those that it was trained on


@pytest.fixture(scope="module")
def results(model: Backend, collection: Collection) -> Results:
    return results_of_all(model, collection)


@pytest.fixture(scope="module")
def found(model: Backend, collection: Collection, results: Results) -> DrivingWords:
    return words_of_rows(row_words(model, collection, results, label="good"))


def test_a_planted_shortcut_is_found_first_and_a_random_word_is_not(found: DrivingWords) -> None:
    assert found.words[0] == SHORTCUT
    assert found.exceeds[0]
    assert found.low[0] > found.control_high[0]
    random = found.words.index(RANDOM)
    assert not found.exceeds[random]
    assert found.means[random] < found.means[0] / 4


def test_taking_the_shortcut_out_flips_rows_and_a_random_word_does_not(
    model: Backend, collection: Collection, results: Results
) -> None:
    shortcut, random, both = remove_words(model, collection, results, [SHORTCUT, RANDOM], label="good")
    rows = [row for row, text in enumerate(collection.texts()) if SHORTCUT in str(text).lower()]
    assert shortcut.count == len(rows)
    change, low, high, _ = shortcut.change
    assert change < low / 2 < 0
    assert high < min(shortcut.control, -0.3)
    assert shortcut.flips == shortcut.broken + shortcut.repaired > 0.8 * len(rows)
    assert shortcut.control_flips <= 0.2 * len(rows)
    assert abs(random.change.value) < 0.2
    assert both.words == tuple(sorted((SHORTCUT, RANDOM)))
    assert both.count > max(shortcut.count, random.count)


def test_taking_a_word_out_is_reading_the_text_without_it(model: Backend, collection: Collection) -> None:
    texts = [str(text) for text in collection.texts()]
    [removal] = remove_words(model, collection, results_of_all(model, collection), ["banana"], label="good")
    kept = [text for text in texts if "banana" in text.split()]
    without = [" ".join(word for word in text.split() if word != "banana") for text in kept]
    before, after = (model.predict(each).columns["good"] for each in (kept, without))
    assert removal.count == len(kept)
    assert_allclose(removal.change.value, (after - before).mean(), atol=1e-5)
    assert removal.flips == ((before > 0.5) != (after > 0.5)).sum()


def test_words_of_a_row_add_up_in_the_order_of_integrated_decompx_with_one_point(
    model: Backend, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decompx, "NODES", (NODE,))
    found = row_words(model, collection, results_of_all(model, collection))
    for row in (0, 7):
        tokens = model.tokenize(str(collection.texts([row])[0]))
        target = int(found.targets[row])
        raw = decompx.integrated_decompx(model, tokens, ClassQuantity(target, (1 - target,)))
        by_word = np.zeros(len(tokens.words))
        for value, word in zip(raw.values, tokens.word_ids, strict=True):
            if word is not None:
                by_word[word] += value
        values = found.values[found.row == row]
        assert raw.completeness_error > 0.1 * abs(raw.total)
        assert values.sum() == pytest.approx(raw.total, abs=1e-4)
        assert_allclose(
            values, by_word + np.abs(by_word) * (raw.total - by_word.sum()) / np.abs(by_word).sum(), atol=1e-4
        )
        assert largest_first(values) == largest_first(by_word.astype(np.float32))
        assert [found.forms[form] for form in found.form[found.row == row]] == [w.lower() for w in tokens.words]


def test_means_are_those_of_a_slow_loop(
    model: Backend, collection: Collection, results: Results, found: DrivingWords
) -> None:
    by_row = row_words(model, collection, results, label="good")
    for at, word in enumerate(found.words):
        sums: dict[int, float] = {}
        for row, form, value in zip(by_row.row.tolist(), by_row.form.tolist(), by_row.values.tolist(), strict=True):
            if by_row.forms[form] == word:
                sums[row] = sums.get(row, 0.0) + value
        assert found.means[at] == pytest.approx(np.mean(list(sums.values())), abs=1e-5)
        assert sorted(found.rows[at].tolist()) == sorted(sums)
        assert_allclose(found.values[at], sorted(sums.values(), reverse=True), atol=1e-5)


def test_shuffled_values_have_the_mean_of_their_rows(found: DrivingWords, model: Backend, results: Results) -> None:
    by_row = row_words(model, reviews(seed=1), results, label="good")
    means = np.bincount(by_row.row, by_row.values) / np.bincount(by_row.row)
    for at in np.flatnonzero(found.counts > 10):
        centre = means[found.rows[at]].mean()
        assert found.control_low[at] < centre < found.control_high[at]
    assert found.excess.tolist() == sorted(found.excess.tolist(), reverse=True)


def test_errors_need_labels(model: Backend, collection: Collection) -> None:
    unlabelled = Collection.of("reviews", collection.table, text="text")
    with pytest.raises(SelectionError, match="No row has a label"):
        driving_words(model, unlabelled, "errors")


def test_a_class_that_the_model_lacks_is_refused(model: Backend, collection: Collection) -> None:
    with pytest.raises(SelectionError, match="no class 'great'; it has bad, good"):
        driving_words(model, collection, label="great")


def test_a_model_without_a_head_is_refused(zoo: Zoo, collection: Collection) -> None:
    with pytest.raises(UnsupportedModelError, match="no head"):
        driving_words(zoo.backend("bert"), collection)


def test_a_file_is_read_and_progress_is_reported(model: Backend, tmp_path: Path) -> None:
    pa.csv.write_csv(reviews(seed=0).table, tmp_path / "reviews.csv")
    steps: list[tuple[int, int]] = []
    found = driving_words(model, tmp_path / "reviews.csv", progress=lambda done, total: steps.append((done, total)))
    columns = found.columns
    assert {len(column) for column in columns.values()} == {len(found.words)}
    assert columns["rows"].max() <= found.num_rows == 48
    assert steps[-1] == (48, 48)


def test_words_of_pairs_are_those_of_both_texts(model: Backend) -> None:
    table = pa.table({"a": ["time flies", "a banana"], "b": ["the arrow", ""]})
    pairs = Collection.of("pairs", table, text="a", text_b="b")
    found = row_words(model, pairs, results_of_all(model, pairs))
    assert [found.forms[form] for form in found.form] == ["time", "flies", "the", "arrow", "a", "banana"]


def test_a_word_that_is_the_whole_text_can_be_taken_out(model: Backend) -> None:
    single = Collection.of("one", pa.table({"text": ["banana"]}), text="text")
    [removal] = remove_words(model, single, results_of_all(model, single), ["banana"])
    assert removal.count == 1
    assert np.isnan(removal.control)
    assert remove_words(model, single, results_of_all(model, single), ["arrow"]) == ()


def test_the_report_of_a_table_has_words_removals_and_their_order(
    model: Backend, collection: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    few = collection.select(range(6))
    lines = list(report(model, few, "all"))
    assert lines[0].endswith("6 of 6 rows (all).")
    tables = [line for line in lines if line.startswith("|")]
    assert len(tables) == 2 * (2 + TESTED_WORDS) + 1  # and a row for all words together
    first = driving_words(model, few)
    assert tables[2].startswith(f"| {first.words[0]} | {first.counts[0]} | {first.means[0]:.2f} |")
    assert lines[-2].endswith("n = 6 rows).")
    assert lines[-1].startswith("NAOPC in 6 of them: ")
    assert main(["--data", "nowhere.csv"]) == 1
    assert "nowhere.csv" in capsys.readouterr().err


def test_the_order_of_the_words_is_between_random_orders_and_the_best(
    model: Backend, collection: Collection, results: Results
) -> None:
    found = order_quality(model, collection, results, label="good")
    assert len(found.areas) == np.isfinite(found.places).sum() == MOST_ROWS  # all rows are short
    assert (np.diff(found.rows) > 0).all()
    assert ((found.places > -1e-3) & (found.places < 1 + 1e-3)).all()
    assert found.places.mean() > found.random_places.mean() + 0.2
    mean, low, high, _ = found.gain
    assert 0 < low < mean < high


def test_the_order_of_a_long_row_is_compared_with_drawn_orders(model: Backend) -> None:
    text = "time flies like an arrow over the banana and a fruit zqx"
    table = Collection.of("long", pa.table({"text": [text]}), text="text")
    found = order_quality(model, table, results_of_all(model, table), label="good")
    assert found.areas.shape == found.random.shape == (1,)
    assert np.isnan(found.places).all()
    assert found.areas[0] > found.random[0]
