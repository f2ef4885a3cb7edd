"""The command: what it builds and merges, and that an interrupted build resumes to the same tables."""

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from encoder.atlas import tables
from encoder.atlas.__main__ import main
from encoder.atlas.build.shards import half_of
from encoder.atlas.tables import about_table, head_columns, read_table
from encoder.engines.local import AGAIN
from encoder.errors import AtlasError
from tests.encoder.atlas.small_corpus import MODEL, command, run, write_corpus

ROOT = Path(__file__).parents[4]
TABLES = (
    *("habits", "heads", "relations", "head-relations", "skipped", "examples", "sentences", "looks"),
    "distribution",
)
COUNTS = ("counts-choose", "counts-measure")
RELATION_KEYS = {"relation", "direction", "layer", "head", "accuracy", "low", "high", "offset", "offset_accuracy", "n"}


def assert_same_tables(out: Path, other: Path) -> None:
    for name in (*TABLES, *COUNTS):
        table, expected = (pq.read_table(folder / f"{name}.parquet") for folder in (out, other))
        assert expected.num_rows or name == "skipped"
        assert table.equals(expected), name
        assert about_table(table) == about_table(expected)


def test_show_prints_every_relation_in_both_directions(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(["show", str(undisturbed), "--json"], capsys)
    atlas = json.loads(printed)
    assert code == 0
    assert {row["relation"] for row in atlas["relations"]} == {"nsubj", "det", "all"}
    for row in atlas["relations"]:
        assert row.keys() >= RELATION_KEYS
        assert row["direction"] in ("dependent to head", "head to dependent")
        assert row["low"] <= row["accuracy"] <= row["high"]
    assert atlas["sentences"]["choose"] + atlas["sentences"]["measure"] == 560
    _, printed, _ = run(["show", str(undisturbed)], capsys)
    assert "det            dependent to head" in printed
    assert "best fixed offset +1: 1.000" in printed


def test_a_killed_build_resumes_to_the_same_tables(corpus: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "atlas"
    process = subprocess.Popen(
        [sys.executable, "-m", "encoder.atlas", *command(corpus, out, "--workers", "2")],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
    )
    try:
        deadline = time.monotonic() + 200
        while not (done := sorted(out.glob("parts/*.counts.parquet"))):
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.kill()
    process.communicate()
    assert not (out / "atlas.json").exists()
    kept = {path: path.stat().st_mtime_ns for path in done}
    broken = next(
        path for path in (out / "parts" / f"choose-00000{n}.counts.parquet" for n in (1, 0)) if path != done[0]
    )
    broken.write_bytes(b"PAR1 a file that was cut off")
    assert main(command(corpus, out, "--resume")) == 0
    assert_same_tables(out, undisturbed)
    assert [path for path, before in kept.items() if path.stat().st_mtime_ns == before][:1] == done[:1]


def test_a_build_resumes_after_a_full_disk(
    corpus: Path,
    undisturbed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "atlas"
    writes = []

    def sync(descriptor: int) -> None:
        writes.append(descriptor)
        if len(writes) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(tables.os, "fsync", sync)
        code, _, errors = run(command(corpus, out), capsys)
    assert code == 1
    assert "No space left on device. Free some space and start again: what is finished is saved." in errors
    code, _, errors = run(command(corpus, out), capsys)
    assert "holds an atlas already" in errors
    assert main(command(corpus, out, "--resume")) == 0
    assert_same_tables(out, undisturbed)
    assert main(command(corpus, out, "--resume")) == 0
    assert_same_tables(out, undisturbed)


def test_a_build_resumes_with_the_same_settings_only(
    undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_corpus(tmp_path / "other.jsonl", 9)
    code, _, errors = run(command(other, undisturbed, "--resume", "--max-words", "9"), capsys)
    assert code == 1
    assert "other settings (files, most_words)" in errors


def test_faulty_lines_are_counted_named_and_change_no_number(
    corpus: Path, undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = tmp_path / "small.jsonl"
    many = json.dumps({"words": ["word"] * 10_000}).encode()
    lines = corpus.read_bytes().split(b"\n")
    hostile.write_bytes(b"\n".join((b"", *lines[:9], b"no sentence", *lines[9:99], b"caf\xe9", many, *lines[99:])))
    out = tmp_path / "atlas"
    assert main(command(hostile, out)) == 0
    assert read_table(out / "counts-measure.parquet").equals(read_table(undisturbed / "counts-measure.parquet"))
    assert read_table(out / "skipped.parquet").to_pylist() == [
        {"where": "small.jsonl:1", "reason": "the line is empty"},
        {"where": "small.jsonl:11", "reason": "this is not a JSON object"},
        {"where": "small.jsonl:102", "reason": "byte 3 is not UTF-8"},
        {"where": "small.jsonl:103", "reason": "more than 60 words"},
    ]
    _, printed, _ = run(["show", str(out)], capsys)
    assert "Skipped: 1 × byte 3 is not UTF-8." in printed


@pytest.mark.parametrize(
    ("choose", "measure", "sentence"),
    [
        (("a",), ("b", "a"), "a.jsonl is given to choose heads and to measure them"),
        (("a",), ("copy/a",), "a.jsonl is given to choose heads and to measure them"),
        (("a", "a"), ("b",), "a.jsonl would be counted twice"),
        (("a",), ("b", "copy/b"), "Two files are called b.jsonl"),
    ],
)
def test_files_that_overlap_are_refused(
    choose: Sequence[str],
    measure: Sequence[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "copy").mkdir()
    for name, copies in (("a", 2), ("b", 3), ("copy/a", 2), ("copy/b", 4)):
        write_corpus(tmp_path / f"{name}.jsonl", copies)
    chosen_on, measured_on = ([str(tmp_path / f"{name}.jsonl") for name in names] for names in (choose, measure))
    halves = ["--choose", *chosen_on, "--measure", *measured_on]
    code, _, errors = run(["build", "--model", MODEL, *halves, "--out", str(tmp_path / "atlas")], capsys)
    assert code == 1
    assert sentence in errors
    assert not (tmp_path / "atlas").exists()


def test_unreadable_first_sentences_are_skipped(tmp_path: Path) -> None:
    unreadable = "\n".join(['{"words": ["\u200b"]}'] * 2)
    measure = tmp_path / "measure.jsonl"
    measure.write_text(f"{unreadable}\n{write_corpus(tmp_path / 'rest.jsonl', 2).read_text()}", encoding="utf-8")
    out, choose = tmp_path / "atlas", write_corpus(tmp_path / "choose.jsonl", 3)
    given = ["build", "--model", MODEL, "--choose", str(choose), "--measure", str(measure), "--out", str(out)]
    assert main([*given, "--shard-size", "2", "--workers", "1"]) == 0
    about = json.loads((out / "atlas.json").read_text(encoding="utf-8"))
    assert about["sentences"]["measure"] == 8
    assert about["skipped"] == {"the tokenizer keeps none of it": 2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show", "nowhere"], "holds no finished atlas"),
        (["merge", "nowhere", "--out", "x"], "holds no atlas"),
        (["build", "--model", MODEL, "--out", "x"], "Give --corpus, which is split into halves, or both"),
        (["build", "--model", MODEL, "--choose", "a.txt", "--out", "x"], "Give --corpus, which is split into halves"),
        (["build", "--model", MODEL, "--corpus", "none.txt", "--out", "x"], "none.txt cannot be read"),
    ],
)
def test_faulty_arguments_are_one_sentence(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, errors = run(arguments, capsys)
    assert code == 1
    assert sentence in errors
    assert errors.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", ["0", "1.5", ""])
def test_a_faulty_number_of_workers_is_refused(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["build", "--model", MODEL, "--corpus", "x", "--out", "x", f"--workers={number}"])
    assert f"{number!r} is not a whole number from 1" in capsys.readouterr().err


def test_a_corpus_without_a_second_half_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lone = write_corpus(tmp_path / "lone.jsonl", 2, documents=1)
    code, _, errors = run(command(lone, tmp_path / "atlas"), capsys)
    assert code == 1
    other = {"choose": "measure", "measure": "choose"}[half_of("document0")]
    assert f"There is no sentence to {other}: give more text." in errors


def test_a_table_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1]}).replace_schema_metadata({b"headlight.atlas": b'{"schema": 99}'}), path)
    with pytest.raises(AtlasError, match="schema 99; this version reads 3"):
        read_table(path)


# Merging -------------------------------------------------------------------------------------------------------------


def looks_in_words(folder: Path) -> list[tuple[str, int, int]]:
    """Of every look of a head: the sentence's name, the word that looks, and the one that it looks at most."""
    names = read_table(folder / "sentences.parquet")["name"].to_pylist()
    to, _ = head_columns(1, 2)
    rows = read_table(folder / "looks.parquet").to_pylist()
    return sorted((names[row["sentence"]], row["word"], row[to]) for row in rows)


def test_merging_adds_counts_and_refuses_a_file_twice(
    corpus: Path, undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = corpus.read_text(encoding="utf-8").splitlines()
    halves = []
    for number, some in enumerate((lines[:280], lines[280:])):
        part = tmp_path / f"part{number}.jsonl"
        part.write_text("\n".join(some), encoding="utf-8")
        halves.append(str(tmp_path / f"atlas{number}"))
        assert main(command(part, Path(halves[-1]))) == 0
    merged = tmp_path / "merged"
    assert main(["merge", *halves, "--out", str(merged)]) == 0
    table, expected = (read_table(folder / "relations.parquet") for folder in (merged, undisturbed))
    assert table.equals(expected)
    for column in ("mean", "n"):
        ours, other = (read_table(folder / "habits.parquet")[column].to_pylist() for folder in (merged, undisturbed))
        assert ours == pytest.approx(other, abs=1e-5)
    assert looks_in_words(merged) == looks_in_words(undisturbed)
    ours, other = (read_table(folder / "distribution.parquet")["n"].to_pylist() for folder in (merged, undisturbed))
    assert ours == other
    code, _, errors = run(["merge", halves[0], halves[0], "--out", str(tmp_path / "twice")], capsys)
    assert code == 1
    assert "part0.jsonl would be counted twice" in errors


def test_merging_refuses_to_measure_on_what_another_atlas_chose_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, c = (write_corpus(tmp_path / f"{name}.jsonl", count) for name, count in (("a", 2), ("b", 3), ("c", 4)))
    for choose, measure, out in ((a, b, "first"), (b, c, "second")):
        halves = ["--choose", str(choose), "--measure", str(measure)]
        assert main(["build", "--model", MODEL, *halves, "--out", str(tmp_path / out), "--workers", "1"]) == 0
    atlases = [str(tmp_path / "first"), str(tmp_path / "second")]
    code, _, errors = run(["merge", *atlases, "--out", str(tmp_path / "both")], capsys)
    assert code == 1
    assert "b.jsonl is given to choose heads and to measure them" in errors
    assert not (tmp_path / "both").exists()


def test_ray_gives_the_tables_of_the_local_engine(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="encoder/engines/requirements.txt is not installed")
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


def test_a_terminated_command_says_how_to_resume() -> None:
    code = "import os; from encoder.engines.local import AGAIN, named_end\nwith named_end(AGAIN): {}"
    said = {}
    for end in ("os._exit(1)", "os.kill(os.getpid(), 9)", "pass"):
        ran = subprocess.run([sys.executable, "-c", code.format(end)], capture_output=True, text=True, check=False)
        said[end] = ran.stderr
    assert said == {"os._exit(1)": f"{AGAIN}\n", "os.kill(os.getpid(), 9)": f"{AGAIN}\n", "pass": ""}
