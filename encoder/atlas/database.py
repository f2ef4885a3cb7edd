"""The tables of an atlas as a database: DuckDB reads their Parquet files and answers SQL queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import pyarrow as pa
from numpy.typing import NDArray

from encoder.atlas.names import BETWEEN_WORDS
from encoder.atlas.tables import check_table, head_columns
from encoder.errors import AtlasError

SENTENCES, LOOKS = "sentences", "looks"
MOST_HEADS = 8  # heads whose looks are cached in memory, at 3 bytes per word
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

TEXTS = """
    CREATE TABLE texts AS
    SELECT file_row_number::INTEGER AS sentence, "where", name, array_to_string(words, $between) AS words, tokens
    FROM read_parquet($sentences, file_row_number => true)"""
WORDS = """
    CREATE TABLE words AS
    SELECT file_row_number::INTEGER AS sentence, (generate_subscripts(words, 1) - 1)::SMALLINT AS word,
        lower(unnest(words)) AS form, unnest(tags) AS tag, unnest(relations) AS relation,
        unnest(heads)::SMALLINT AS head
    FROM read_parquet($sentences, file_row_number => true)"""
LOOKING = """
    CREATE TABLE looking AS
    SELECT look.file_row_number AS number, words.*
    FROM read_parquet($looks, file_row_number => true) AS look JOIN words USING (sentence, word)
    ORDER BY number"""


def _compared_by_number(column: str) -> tuple[str, str]:
    """Turn a column of strings into an enum, which is searched six times faster."""
    values = f"SELECT {column} FROM words WHERE {column} IS NOT NULL UNION SELECT ''"  # an enum needs a value
    return f"CREATE TYPE {column}s AS ENUM ({values})", f"ALTER TABLE words ALTER {column} TYPE {column}s"


# Tables that are loaded into memory on first use, in this order.
IN_MEMORY: Mapping[str, tuple[str, ...]] = {
    "texts": (TEXTS,),
    "words": (WORDS, *(sql for column in ("form", "tag", "relation") for sql in _compared_by_number(column))),
    "looking": (LOOKING,),
}


class Database:
    """Queries on the tables of a folder; safe for several threads. Raises AtlasError if one is missing or damaged.

    Tables in memory:
        texts: one row per sentence: its row in the table of sentences, its words joined by `BETWEEN_WORDS` (read eight
            times faster than lists), and the first token of each word.
        words: one row per word: lower-case form, part of speech, relation, and head word; NULL if unknown.
        looking: the words that have a row in the table of looks, with that row's number, in that order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._connection = duckdb.connect(config=OFFLINE)
        self._lock = Lock()
        self._loaded: set[str] = set()
        self._heads_lock = Lock()
        self._heads: list[str] = []

    def path(self, name: str) -> str:
        """The path of a table's file."""
        return str(self.folder / f"{name}.parquet")

    def rows_of_head(self, name: str, layer: int, head: int) -> list[dict[str, Any]]:
        """A table's rows for one head, in order."""
        self.check_columns(name, "layer", "head")
        query = "SELECT * EXCLUDE (layer, head) FROM read_parquet($path) WHERE layer = $layer AND head = $head"
        values = {"path": self.path(name), "layer": layer, "head": head}
        with self._reporting_damage():
            cursor = self._connection.cursor()  # in a variable: before DuckDB 1.5, a relation does not keep it open
            rows: list[dict[str, Any]] = cursor.sql(query, params=values).to_arrow_table().to_pylist()
        return rows

    def table(self, query: str, given: pa.Table, *, needs: str) -> pa.Table:
        """The result of a query on the in-memory tables up to `needs`, and on the given table as `given`."""
        self._load(needs)
        with self._reporting_damage():
            cursor = self._connection.cursor()
            return cursor.register("given", given).sql(query).to_arrow_table()

    def arrays(self, query: str, values: Mapping[str, object], *, needs: str) -> dict[str, NDArray[Any]]:
        """The columns of a result without NULL, from a query with parameters `$name`; faster than `table`."""
        self._load(needs)
        with self._reporting_damage():
            columns: dict[str, NDArray[Any]] = self._connection.cursor().execute(query, dict(values)).fetchnumpy()
        return columns

    @contextmanager
    def looks(self, layer: int, head: int) -> Iterator[str]:
        """The name of an in-memory table with the looks of a head, locked inside the `with` block.

        Its rows match those of `looking`: `key`, the most attended word, and `weight` in hundredths. Tables of recent
        heads are cached, because users search one head repeatedly.
        """
        name, columns = f"look_{layer}_{head}", head_columns(layer, head)
        with self._heads_lock:
            if name not in self._heads:
                self.check_columns(LOOKS, *columns)
                if len(self._heads) == MOST_HEADS:
                    self._connection.execute(f"DROP TABLE {self._heads.pop(0)}")
                query = 'CREATE TABLE {} AS SELECT "{}" AS key, "{}" AS weight FROM read_parquet($looks)'
                with self._reporting_damage():
                    self._connection.execute(query.format(name, *columns), {LOOKS: self.path(LOOKS)})
                self._heads.append(name)
            yield name

    def check_columns(self, name: str, *columns: str) -> None:
        """Raise AtlasError if a table lacks a column."""
        check_table(Path(self.path(name)), columns=columns)

    def _load(self, last: str) -> None:
        """Load the in-memory tables up to this one, each in a transaction."""
        with self._lock:
            for name, statements in IN_MEMORY.items():
                if name not in self._loaded:
                    self._load_one(statements)
                    self._loaded.add(name)
                if name == last:
                    return

    def _load_one(self, statements: Sequence[str]) -> None:
        values = {SENTENCES: self.path(SENTENCES), LOOKS: self.path(LOOKS), "between": BETWEEN_WORDS}
        for name in (SENTENCES, LOOKS):
            self.check_columns(name)
        with self._reporting_damage():
            self._connection.begin()
            try:
                for statement in statements:
                    used = {name: value for name, value in values.items() if f"${name}" in statement}
                    self._connection.execute(statement, used)
                self._connection.commit()
            except duckdb.Error:
                self._connection.rollback()
                raise

    @contextmanager
    def _reporting_damage(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            raise AtlasError(f"{self.folder} has a damaged table: {str(error).splitlines()[0]}") from error


_OPENING = Lock()
_OPENED: dict[Path, Database] = {}


def database(folder: Path) -> Database:
    """The database of a folder, opened once."""
    with _OPENING:
        if folder not in _OPENED:
            _OPENED[folder] = Database(folder)
        return _OPENED[folder]
