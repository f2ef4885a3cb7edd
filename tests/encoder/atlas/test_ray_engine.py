"""The engine of many machines gives the tables of the local one. It runs where Ray is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from encoder.atlas.__main__ import main
from tests.encoder.atlas.small_corpus import write_corpus

ROOT = Path(__file__).parents[3]


def test_ray_gives_the_tables_of_the_local_engine(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="encoder/atlas/requirements.txt is not installed")
    corpus = write_corpus(tmp_path / "small.jsonl", 30)
    given = ["build", "--model", "scratch-untrained", "--corpus", str(corpus), "--shard-size", "20"]
    assert main([*given, "--out", str(tmp_path / "local"), "--workers", "1"]) == 0
    # In a process of its own: Ray's parts speak to each other by the machine's address.
    done = subprocess.run(
        [sys.executable, "-m", "encoder.atlas", *given, "--out", tmp_path / "ray", "--engine", "ray", "--workers", "2"],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for table in sorted((tmp_path / "local").glob("*.parquet")):
        assert pq.read_table(tmp_path / "ray" / table.name).equals(pq.read_table(table)), table.name
