"""The tables that `headlight texts run` wrote into a folder, opened without the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from encoder.atlas.plan import PLAN, Plan, read_plan
from encoder.collection.driving_heads import SilencedHeads
from encoder.collection.driving_words import RowWords, require_whole_text, targets_of
from encoder.collection.files import UNBOUNDED, read_file
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes
from encoder.collection.names import What
from encoder.collection.row_tables import RESULTS, RESULTS_SCHEMA, PredictionFormat, results_of_table
from encoder.collection.table import Collection
from encoder.errors import AtlasError, DataError, SelectionError
from encoder.runs.arrays import FloatArray
from encoder.text.common_words import fold_case
from encoder.text.readings import Unread

MOST_ROWS: Final = 100_000  # of the table whose words, heads and vectors are read
IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedRun:
    """The results of a model over a table; compared and hashed by identity.

    Attributes:
        folder: of the results.
        model: its name, as `encoder.load` takes it on the machine of the run.
        model_checksum: of all its weights.
        what: the tables that are there.
        vectors_made: from `how_vectors_are_made`; "" without vectors.
        collection: the rows.
        results: the model's output for them; None without the table of predictions.
    """

    folder: Path
    model: str
    model_checksum: str
    what: tuple[What, ...]
    vectors_made: str
    collection: Collection
    results: Results | None

    def has_words(self, label: str | None) -> bool:
        """Whether the table of words says what they add to a class; None for the predicted class of each row."""
        if "words" not in self.what or self.results is None:
            return False
        # Of two classes, the log odds of one are the negative ones of the other.
        return label is None or (isinstance(self.results, Classes) and len(self.results.labels) == 2)

    @property
    def has_vectors(self) -> bool:
        """Whether the vectors are there, and fit into memory."""
        return "vectors" in self.what and len(self.collection) <= MOST_ROWS

    def words(self, results: Results, rows: IntArray, label: str | None) -> RowWords:
        """What every word of some rows, among the first `MOST_ROWS` of the table, adds to a class.

        Args:
            results: of this run.
            rows: (N,) indices, ascending.
            label: as in `has_words`.
        Raises:
            DataError: the table of words is damaged.
            SelectionError: no row is among the first.
        """
        rows, results = _first(rows), require_whole_text(results)
        targets = targets_of(results, rows, label)
        with _reporting_damage(self.folder):
            table = self._read("words", ["row", "word", "adds"], int(rows[-1]) + 1)
            places, found = _places(table, rows)
            words = table.column("word").combine_chunks()
            folded: dict[str, int] = {}
            codes = np.array([folded.setdefault(fold_case(word), len(folded)) for word in words.dictionary.to_pylist()])
            form = codes[words.indices.to_numpy()[found]]
            values = table.column("adds").to_numpy()[found]
        names = tuple(folded)
        used, first, form = np.unique(form, return_index=True, return_inverse=True)
        order = np.argsort(first)  # as the words appear in the rows
        if label is not None:
            values = np.where(results.predicted[rows] == targets, 1, -1)[places] * values
        return RowWords(
            rows=rows,
            targets=targets,
            forms=tuple(names[used[index]] for index in order),
            row=places,
            form=np.argsort(order)[form],
            values=values.astype(np.float32),
        )

    def heads(self, results: Results, rows: IntArray) -> SilencedHeads:
        """What silencing each head changes in some rows, among the first `MOST_ROWS` of the table.

        Args:
            results: of this run.
            rows: (N,) indices, ascending.
        Raises:
            DataError: the table of heads is damaged.
            SelectionError: no row is among the first.
        """
        rows = _first(rows)
        names = ["change", "flips", "becomes_right", "becomes_wrong"]
        with _reporting_damage(self.folder):
            table = self._read("heads", ["row", "layer", "head", *names], int(rows[-1]) + 1)
            layers, heads = (int(table.column(name)[-1].as_py()) + 1 for name in ("layer", "head"))
            _, found = _places(table, rows)
            shape = (len(rows), layers, heads)
            shifts, *flags = (np.moveaxis(table.column(name).to_numpy()[found].reshape(shape), 0, -1) for name in names)
        flipped, repaired, broken = flags
        return SilencedHeads(
            rows=rows,
            shifts=shifts,
            flipped=flipped,
            repaired=repaired,
            broken=broken,
            num_wrong=require_whole_text(results).num_wrong(rows),
        )

    def vectors(self) -> tuple[FloatArray, Unread]:
        """The vectors (N, D) of the texts that are searched, and what the model did not read of these.

        Raises:
            DataError: their table is damaged.
        """
        with _reporting_damage(self.folder):
            vectors, cut, unread = self._read("vectors", _columns_of_vectors(self.folder)[:3]).columns
            flat = np.asarray(vectors.combine_chunks().flatten().to_numpy(), np.float32)
            return flat.reshape(len(self.collection), -1), Unread(cut.to_pylist(), unread.to_pylist())

    def _read(self, name: What, columns: Sequence[str], num_rows: int | None = None) -> pa.Table:
        """Columns of a table: all, or those of the first rows of the collection."""
        first = None if num_rows is None else [("row", "<", num_rows)]
        return pq.read_table(
            _table_file(self.folder, name), columns=[*columns], filters=first, read_dictionary=["word"]
        )


def _table_file(folder: Path, name: What) -> Path:
    """The file of a table of results."""
    return folder / f"{name}.parquet"


def _columns_of_vectors(folder: Path) -> list[str]:
    """The names of the columns behind that of the texts, the vectors and what is unread first."""
    return [*pq.read_schema(_table_file(folder, "vectors")).names[1:]]


def folder_of_run(path: Path) -> Path | None:
    """The folder of a run that a path names by itself, or by one of its tables; None if it names none."""
    try:
        if path.is_dir():
            return path if (path / PLAN).is_file() else None
        is_table = path.name in {_table_file(path, name).name for name in get_args(What)}
        return path.parent if is_table and path.is_file() and (path.parent / PLAN).is_file() else None
    except (OSError, ValueError):  # a path with a null character is a ValueError
        return None


def open_run(folder: Path) -> SavedRun:
    """Open the results in a folder.

    Raises:
        DataError: they are unfinished, damaged or of another version, or there is no table with the texts.
    """
    try:
        plan = read_plan(folder, what=RESULTS, schema=RESULTS_SCHEMA)
    except AtlasError as error:
        raise DataError(str(error)) from error
    with _reporting_damage(folder):
        what = tuple(name for name in get_args(What) if name in plan["what"] and _table_file(folder, name).is_file())
        if "predictions" in what:
            return _open_predictions(folder, plan, what)
        if "vectors" not in what:
            raise DataError(
                f"{folder} has no table with the texts, as predictions are: let “headlight texts run” finish, or run "
                "it with --what predictions into another folder."
            )
        path = _table_file(folder, "vectors")
        texts = read_file(path, bounds=UNBOUNDED, leave_out=_columns_of_vectors(folder)).table
        collection = Collection.of(folder.name, texts, text=texts.column_names[0])
        collection = replace(collection, positions=_positions(path, plan))
    return SavedRun(folder=folder, **_model(plan), what=what, collection=collection, results=None)


def _open_predictions(folder: Path, plan: Plan, what: tuple[What, ...]) -> SavedRun:
    path = _table_file(folder, "predictions")
    written = PredictionFormat.from_json(plan["format"])
    model_columns = [*written.columns.values()]
    left_out = [*model_columns, *filter(None, [plan.get("file_row")])]
    rows = read_file(path, bounds=UNBOUNDED, leave_out=left_out).table
    collection = Collection.of(folder.name, rows, text=plan["text"], text_b=plan["text_b"], label=plan["label"])
    collection = replace(collection, label_classes=plan["labels"], positions=_positions(path, plan))
    table = pq.read_table(path, columns=model_columns)
    results = results_of_table(table, written, plan["model"], collection.labels() or [""] * len(collection))
    return SavedRun(folder=folder, **_model(plan), what=what, collection=collection, results=results)


def _positions(path: Path, plan: Plan) -> IntArray | None:
    """The numbers of the rows in the file that the model ran over, from 0; None if these are all its rows."""
    name = plan.get("file_row")
    return None if name is None else pq.read_table(path, columns=[name]).column(0).to_numpy() - 1


def _model(plan: Plan) -> dict[str, str]:
    made = str(plan.get("vectors", ""))
    return {"model": str(plan["model"]), "model_checksum": str(plan["model_checksum"]), "vectors_made": made}


def _first(rows: IntArray) -> IntArray:
    """Those rows that are read. Raises SelectionError if there are none."""
    found = rows[rows < MOST_ROWS]
    if not len(found):
        raise SelectionError(f"None of these rows is among the first {MOST_ROWS:,} of the table: choose others.")
    return found


def _places(table: pa.Table, rows: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
    """Where the rows of a table stand among some rows, and whether a row of the table belongs to one of these."""
    row = table.column("row").to_numpy()
    places = np.searchsorted(rows, row)
    found = rows[np.minimum(places, len(rows) - 1)] == row
    return places[found], found


@contextmanager
def _reporting_damage(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, TypeError, LookupError, AttributeError, pa.ArrowException) as error:
        raise DataError(
            f"{folder}: the results are damaged. Run “headlight texts run” again, into another folder."
        ) from error
