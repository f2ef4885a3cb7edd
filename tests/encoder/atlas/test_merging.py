"""Several atlases as one: sums are those of all their sentences, and no sentence counts twice."""

from pathlib import Path

import pytest

from encoder.atlas.__main__ import main
from encoder.atlas.tables import head_columns, read_table
from tests.encoder.atlas.building import MODEL, command, run
from tests.encoder.atlas.small_corpus import write_corpus


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
