"""`headlight.texts`: tables of texts as pandas frames."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import encoder
import headlight
from encoder import Backend
from encoder.errors import DataError, SelectionError


@pytest.fixture(scope="module")
def sentiment() -> Backend:
    return encoder.load("bundled-sentiment")


def test_every_row_gets_a_prediction_and_the_loss_of_its_label(sentiment: Backend) -> None:
    frame = pd.DataFrame({"text": ["a lovely film", "  ", "a dull film"], "label": ["Positive", "negative", "unknown"]})
    found = headlight.texts(frame).run(sentiment)
    assert found["text"].tolist() == ["a lovely film", "a dull film"]
    own = sentiment.predict(["a lovely film", "a dull film"])
    assert own.probabilities is not None
    np.testing.assert_allclose(found["p(positive)"], own.probabilities[:, 2], atol=2e-5)
    assert found["loss"][0] == pytest.approx(-np.log(own.probabilities[0, 2]), abs=1e-4)
    assert np.isnan(found["loss"][1])
    assert found["tokens"].tolist() == [5, 5]


def test_a_column_that_a_result_is_called_like_keeps_its_name(sentiment: Backend) -> None:
    found = headlight.texts(pd.DataFrame({"text": ["good"], "tokens": ["own"]})).run(sentiment)
    assert (found["tokens"][0], found["tokens (model)"][0]) == ("own", 3)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet", ".txt"])
def test_files_and_lists_are_read_alike(ending: str, tmp_path: Path) -> None:
    texts, path = ["one, text", "another text"], tmp_path / f"texts{ending}"
    frame = pd.DataFrame({"text": texts, "label": ["a", "b"]})
    match ending:
        case ".csv":
            frame.to_csv(path, index=False)
        case ".tsv":
            frame.to_csv(path, index=False, sep="\t")
        case ".jsonl":
            frame.to_json(path, orient="records", lines=True)
        case ".parquet":
            frame.to_parquet(path)
        case _:
            path.write_text("\n".join(texts))
    found = headlight.texts(path).collection
    assert found.texts() == headlight.texts(texts).collection.texts() == texts
    assert found.labels() == (None if ending == ".txt" else ["a", "b"])


def test_driving_words_are_those_of_the_errors(sentiment: Backend) -> None:
    texts = headlight.texts("reviews")
    found = headlight.driving_words(sentiment, texts.collection, "negative>positive")
    pd.testing.assert_frame_equal(texts.words(sentiment, "negative>positive"), pd.DataFrame(found.columns))


def test_a_search_puts_the_nearest_row_first(bundled: Backend) -> None:
    texts = headlight.texts(["The cat sleeps on the sofa.", "Stocks fell on Monday."])
    found = texts.search(bundled, "where does the cat sleep")
    assert found["text"].iloc[0] == "The cat sleeps on the sofa."
    assert found["cosine"].is_monotonic_decreasing
    assert texts.embed(bundled).shape == (2, 384)


def test_swaps_of_a_class_that_the_model_lacks_are_refused(sentiment: Backend) -> None:
    texts = headlight.texts(["{He|She} was kind."])
    assert texts.swaps(sentiment, label="negative")["to"].tolist() == ["She"]
    with pytest.raises(SelectionError, match="no class 'angry': it has negative, neutral, positive"):
        texts.swaps(sentiment, label="angry")


def test_what_ships_is_opened_by_its_name() -> None:
    assert repr(headlight.texts("reviews")) == "<Texts 'Reviews': 240 rows, read from text, label>"
    with pytest.raises(DataError, match=r"nowhere\.csv cannot be read"):
        headlight.texts("nowhere.csv")
