"""Tables of texts in Python: the views of the group Texts as pandas frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from encoder.collection.names import SwapMeasure
from encoder.collection.shipped_sets import SHIPPED, shipped_collection
from encoder.collection.table import Collection, guessed

if TYPE_CHECKING:
    from encoder import Backend


class Texts:
    """A table of texts, and what a model makes of it; `headlight.texts` opens one.

    Attributes:
        collection: the rows, and which columns hold texts and labels.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def __len__(self) -> int:
        return len(self.collection)

    def __repr__(self) -> str:
        about = self.collection
        columns = ", ".join(filter(None, (about.text, about.text_b, about.label)))
        return f"<Texts {about.name!r}: {len(self):,} rows, read from {columns}>"

    def run(self, model: Backend) -> pd.DataFrame:
        """What a model says of every row.

        Returns:
            The columns of the table, then the prediction, its probability, that of each class, the loss where a row has
            a label that the model knows (in nats), the number of tokens, and whether the text was cut off.
        Raises:
            UnsupportedModelError: the model's head predicts nothing for a whole text.
        """
        from encoder.collection.results import results_of

        readings = list(model.readings(self.collection.texts()))
        return self._with(results_of(self.collection, model.name, readings).columns())

    def embed(self, model: Backend) -> Any:
        """(N, D) the vectors of the texts, float32, as the model's folder pools them.

        Raises:
            UnsupportedModelError: the pooling of the folder is not supported.
        """
        return model.embed(self.collection.texts())

    def words(self, model: Backend, rows: str = "all", *, label: str | None = None) -> pd.DataFrame:
        """Which words drive the predictions of all rows, or of some of them; those that add most first.

        Args:
            rows: "all" rows, the "errors", or a cell of the confusion matrix, such as "negative>positive".
            label: the class that words push to; None for the predicted class of each row.
        Raises:
            SelectionError: there are no such rows, or no such class.
            UnsupportedModelError: the model predicts nothing for a whole text, or has no mask token.
        """
        from encoder.collection.driving_words import driving_words

        return pd.DataFrame(driving_words(model, self.collection, rows, label=label).columns)

    def search(self, model: Backend, query: str) -> pd.DataFrame:
        """The rows by the cosine of their text with a query, or by a reranker's score; the best first.

        Of pairs such as query and passage, the second texts are searched.

        Raises:
            InputError: the query is blank.
            UnsupportedModelError: the pooling of the model's folder is not supported.
        """
        from encoder.collection import search

        if search.is_reranker(model):
            scores, name = search.rerank(model, _ignore, self.collection, query), "score"
        else:
            vectors = search.embed_rows(model, search.GrowingVectors(self.collection), _ignore)
            scores, name = vectors @ search.query_vector(model, query), "cosine"
        ranking = search.rank(scores)
        return self._with({name: scores}).iloc[ranking.rows]

    def swaps(self, model: Backend, *, measure: SwapMeasure = "class", label: str | None = None) -> pd.DataFrame:
        """What each swap changes in rows with slots, such as "{He|She} is a nurse."; the largest shifts first.

        Args:
            measure: "class" is the probability of a class, "score" the head's score, "cosine" that with the first
                filling, "masked word" the probability of the word that is likeliest in the first filling.
            label: the class; None for the last one.
        Raises:
            DataError: no row has a slot, or one is faulty.
            SelectionError: the model has no such class.
            UnsupportedModelError: the model has no such output.
        """
        from encoder.collection import swaps
        from encoder.errors import SelectionError

        templates = [swaps.parse_template(text) for text in self.collection.column(self.collection.text)]
        labels = swaps.class_labels(model)
        if label is not None and label not in labels:
            raise SelectionError(f"{model.name} has no class {label!r}: it has {', '.join(labels) or 'none'}.")
        index = labels.index(label) if label is not None else max(len(labels) - 1, 0)
        found = swaps.run_swaps(model, _ignore, templates, measure, index)
        rows = sorted(found.swaps, key=lambda swap: -abs(swap.shift))
        return pd.DataFrame(
            {
                "template": [found.templates[swap.template].source for swap in rows],
                "from": [swap.before for swap in rows],
                "to": [swap.after for swap in rows],
                "shift": [swap.shift for swap in rows],
                "changed": [swap.changed for swap in rows],
                "of": [swap.of for swap in rows],
            }
        )

    def _with(self, columns: dict[str, Any]) -> pd.DataFrame:
        table = self.collection.table.to_pandas()
        renamed = {name: f"{name} (model)" if name in table.columns else name for name in columns}
        return pd.concat([table, pd.DataFrame(columns).rename(columns=renamed)], axis=1)


def texts(
    source: str | Path | Sequence[str] | pd.DataFrame,
    *,
    text: str | None = None,
    text_b: str | None = None,
    label: str | None = None,
) -> Texts:
    """A table of texts: a file, the name of one that ships, a list of texts, or a pandas frame.

    Args:
        source: a path of .csv, .tsv, .jsonl, .txt (each may be gzipped) or .parquet; "reviews", "words", "passages",
            "swaps" or "negations"; texts; or a frame.
        text, text_b, label: the columns of the texts, of second texts and of labels; guessed where `text` is None.
    Raises:
        DataError: the file is missing, broken or empty, or has no such column.
    """
    if isinstance(source, (str, Path)):
        if text is None and source in SHIPPED and not Path(source).exists():
            return Texts(shipped_collection(str(source)))
        from encoder.collection.files import open_collection

        return Texts(open_collection(source, text=text, text_b=text_b, label=label))
    frame = source if isinstance(source, pd.DataFrame) else pd.DataFrame({"text": list(source)})
    names = [str(column) for column in frame.columns]
    cells = [pa.array([None if pd.isna(cell) else str(cell) for cell in frame[column]]) for column in frame.columns]
    table = pa.table(dict(zip(names, (cell.cast(pa.string()) for cell in cells), strict=True)))
    if text is None:
        return Texts(guessed("texts", table))
    return Texts(Collection.of("texts", table, text=text, text_b=text_b, label=label))


def _ignore(done: int, total: int) -> None:
    """No progress is shown."""
