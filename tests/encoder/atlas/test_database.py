"""The atlas as a database: many who ask at once, heads that make room for others, and tables that are not ours."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from encoder.atlas import database as module
from encoder.atlas.database import LOOKS, SENTENCES, Database, database
from encoder.atlas.finding import Search, find
from encoder.atlas.reader import SHIPPED
from encoder.atlas.tables import HUNDREDTHS, head_columns, read_table, write_table
from encoder.errors import AtlasError

FOLDER = SHIPPED / "bundled"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The two tables that searches read, in a folder whose name looks like a pattern."""
    folder = tmp_path / "it's [a] *"
    folder.mkdir()
    for name in (SENTENCES, LOOKS):
        shutil.copy(FOLDER / f"{name}.parquet", folder)
    return folder


def test_many_may_search_all_heads_at_once_though_few_are_kept(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_HEADS", 2)
    shared = Database(copied)
    places = [(layer, head) for layer in (0, 3) for head in range(4)] * 2
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda place: find(shared, Search(layer=place[0], head=place[1])), places))
    for (layer, head), one in zip(places, found, strict=True):
        weights = read_table(FOLDER / "looks.parquet")[head_columns(layer, head)[1]].to_numpy()
        assert np.array_equal(one.weight, np.sort(weights)[::-1] / HUNDREDTHS)


def test_two_who_ask_first_at_the_same_time_share_one_database(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Opened(Database):
        def __init__(self, folder: Path) -> None:
            time.sleep(0.2)  # long enough for the other one to open it as well
            super().__init__(folder)

    monkeypatch.setattr(module, "Database", Opened)
    with ThreadPoolExecutor(2) as pool:
        first, other = pool.map(database, [copied] * 2)
    assert first is other


@pytest.mark.parametrize("name", [SENTENCES, LOOKS])
def test_a_table_that_was_cut_off_or_is_gone_is_one_sentence(copied: Path, name: str) -> None:
    path = copied / f"{name}.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    damaged = Database(copied)
    with pytest.raises(AtlasError, match=f"{name}.parquet is not a table of an atlas, or is damaged"):
        find(damaged, Search(layer=0, head=0))
    path.unlink()
    with pytest.raises(AtlasError, match=f"{name}.parquet is not a table of an atlas, or is damaged"):
        find(damaged, Search(layer=0, head=0))
    path.write_bytes(whole)
    assert find(damaged, Search(layer=0, head=0)).words == 24717  # nothing was half made


def test_pages_that_cannot_be_read_are_one_sentence(copied: Path) -> None:
    path = copied / f"{SENTENCES}.parquet"
    content = bytearray(path.read_bytes())
    content[1000:30_000] = bytes(29_000)  # what the table says of itself, at its end, is as it was
    path.write_bytes(content)
    with pytest.raises(AtlasError, match="has a damaged table"):
        find(Database(copied), Search(layer=0, head=0))


def test_tables_of_others_are_refused(copied: Path) -> None:
    path = copied / f"{LOOKS}.parquet"
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata(None), path)
    with pytest.raises(AtlasError, match="is not a table of an atlas"):
        find(Database(copied), Search(layer=0, head=0))
    write_table(path, table.select(["sentence", "word"]), {})
    with pytest.raises(AtlasError, match="is not a table of an atlas"):
        find(Database(copied), Search(layer=0, head=0))


def test_the_rows_of_a_head_are_those_of_its_table_in_their_order(tmp_path: Path) -> None:
    places = [(1, 0), (0, 1)] * 3
    rows = [{"layer": layer, "head": head, "value": number} for number, (layer, head) in enumerate(places)]
    write_table(tmp_path / "some.parquet", pa.Table.from_pylist(rows), {})
    found = Database(tmp_path).rows_of_head("some", 1, 0)
    assert found == [{"value": 0}, {"value": 2}, {"value": 4}]
    with pytest.raises(AtlasError, match=r"other\.parquet is not a table"):
        Database(tmp_path).rows_of_head("other", 1, 0)


def test_nothing_is_fetched_for_a_query(tmp_path: Path) -> None:
    with Database(tmp_path)._connection.cursor() as cursor, pytest.raises(module.duckdb.Error, match="httpfs"):
        cursor.execute("SELECT * FROM read_parquet('https://127.0.0.1:9/looks.parquet')")
