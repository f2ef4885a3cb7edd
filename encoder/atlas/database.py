"""The tables of an atlas as a database: DuckDB reads their Parquet files, and answers in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow as pa
from numpy.typing import NDArray

from encoder.atlas.names import BETWEEN_WORDS
from encoder.atlas.tables import check_table, head_columns
from encoder.errors import AtlasError

SENTENCES, LOOKS = "sentences", "looks"
MOST_HEADS = 8  # whose looks are in memory: 3 bytes a word
NOTHING_FETCHED: dict[str, str | bool | int | float | list[str]] = {
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
    """Makes a column of words one of codes, which are found six times faster than texts."""
    values = f"SELECT {column} FROM words WHERE {column} IS NOT NULL UNION SELECT ''"  # there has to be one
    return f"CREATE TYPE {column}s AS ENUM ({values})", f"ALTER TABLE words ALTER {column} TYPE {column}s"


# What is asked again and again is in memory from the first time on. The tables are made in this order.
KEPT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "texts": (TEXTS,),
        "words": (WORDS, *(sql for column in ("form", "tag", "relation") for sql in _compared_by_number(column))),
        "looking": (LOOKING,),
    }
)


class Database:
    """What may be asked of the tables in a folder, by several threads at the same time.

    Tables in memory:
        texts: a sentence with its row in the table of sentences, its words with `BETWEEN_WORDS` between them, which
            are read eight times faster than lists of words, and its words' first tokens.
        words: a word of a sentence: its form in lower case, its part of speech, its relation, and the word it depends
            on; NULL where the corpus does not know them.
        looking: the words that have a row in the table of looks, with the number of that row, in that order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._connection = duckdb.connect(config=NOTHING_FETCHED)
        self._lock = Lock()
        self._made: set[str] = set()
        self._one_at_a_time = Lock()
        self._heads: list[str] = []

    def path(self, name: str) -> str:
        """Of a table's file."""
        return str(self.folder / f"{name}.parquet")

    def rows_of_head(self, name: str, layer: int, head: int) -> list[dict[str, Any]]:
        """What a table says of a head, in its order. Raises AtlasError where the table is missing or damaged."""
        self.check_columns(name, "layer", "head")
        query = "SELECT * EXCLUDE (layer, head) FROM read_parquet($path) WHERE layer = $layer AND head = $head"
        values = {"path": self.path(name), "layer": layer, "head": head}
        with self._telling_damage():
            found = self._connection.cursor().sql(query, params=values)
            rows: list[dict[str, Any]] = found.to_arrow_table().to_pylist()
        return rows

    def table(self, query: str, given: pa.Table, *, needs: str) -> pa.Table:
        """The answer to a query.

        Args:
            given: a table that it may ask as `given`.
            needs: the last of the tables in memory that it asks.
        Raises:
            AtlasError: a table is missing or damaged.
        """
        self._make(needs)
        with self._telling_damage():
            return self._connection.cursor().register("given", given).sql(query).to_arrow_table()

    def arrays(self, query: str, values: Mapping[str, object], *, needs: str) -> dict[str, NDArray[Any]]:
        """The columns of an answer without NULL, which takes less time than a table.

        Args:
            values: of the query's parameters, `$name`.
            needs: as in `table`.
        Raises:
            AtlasError: a table is missing or damaged.
        """
        self._make(needs)
        with self._telling_damage():
            columns: dict[str, NDArray[Any]] = self._connection.cursor().execute(query, dict(values)).fetchnumpy()
        return columns

    @contextmanager
    def looks(self, layer: int, head: int) -> Iterator[str]:
        """The name of a table in memory with the looks of a head, to be asked inside; others wait for it meanwhile.

        Its rows are those of `looking`: `key`, the word that is looked at most, and `weight` in hundredths. The last
        heads are kept, because people search one head again and again.

        Raises:
            AtlasError: the table of looks is missing or damaged, or has no such head.
        """
        name, columns = f"look_{layer}_{head}", head_columns(layer, head)
        with self._one_at_a_time:
            if name not in self._heads:
                self.check_columns(LOOKS, *columns)
                if len(self._heads) == MOST_HEADS:
                    self._connection.execute(f"DROP TABLE {self._heads.pop(0)}")
                query = 'CREATE TABLE {} AS SELECT "{}" AS key, "{}" AS weight FROM read_parquet($looks)'
                with self._telling_damage():
                    self._connection.execute(query.format(name, *columns), {LOOKS: self.path(LOOKS)})
                self._heads.append(name)
            yield name

    def check_columns(self, name: str, *columns: str) -> None:
        """Raise AtlasError where a table lacks a column, or is missing or damaged."""
        check_table(Path(self.path(name)), columns=columns)

    def _make(self, last: str) -> None:
        """The tables in memory up to this one, each as a whole or not at all."""
        with self._lock:
            for name, statements in KEPT.items():
                if name not in self._made:
                    self._make_one(statements)
                    self._made.add(name)
                if name == last:
                    return

    def _make_one(self, statements: Sequence[str]) -> None:
        values = {SENTENCES: self.path(SENTENCES), LOOKS: self.path(LOOKS), "between": BETWEEN_WORDS}
        for name in (SENTENCES, LOOKS):
            self.check_columns(name)
        with self._telling_damage():
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
    def _telling_damage(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            raise AtlasError(f"{self.folder} has a damaged table: {str(error).splitlines()[0]}") from error


_OPENING = Lock()


def database(folder: Path) -> Database:
    """That of a folder, once for all who ask."""
    with _OPENING:  # a cache alone lets two threads that ask at the same time open it twice
        return _opened(folder)


@cache
def _opened(folder: Path) -> Database:
    return Database(folder)
