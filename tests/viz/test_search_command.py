"""`headlight texts search`: hits, why a text is not among them, and the failures of a table, in words and as JSON."""

import json
from pathlib import Path

import pytest

import headlight
from encoder import Backend

ROWS = [
    ("a pet", "Stocks fell on Monday.", "yes"),
    ("shares", "Stocks fell.", "yes"),
    *(
        (f"a pet {number}", f"A dog is a pet: {name}.", "no")
        for number, name in enumerate(("Rex", "Bo", "Ida", "Max", "Pip"))
    ),
]


@pytest.fixture
def table(tmp_path: Path, bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("encoder.catalogue.load", lambda name: bundled)
    path = tmp_path / "table.csv"
    path.write_text("query,text,label\n" + "".join(f"{','.join(row)}\n" for row in ROWS))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert headlight.main(["texts", "search", *arguments, "--model", "bundled"]) == 0
    return capsys.readouterr().out


def test_a_query_lists_hits_and_says_why_a_text_is_not_among_them(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = run(capsys, table, "a pet", "--first", "2", "--why-not", "0").splitlines()
    assert len(said) == 3
    assert "A dog is a pet" in said[0]
    assert "Row 0 is at place" in said[2]
    found = json.loads(run(capsys, table, "a pet", "--first", "2", "--why-not", "0", "--json"))
    assert (found["ranked by"], len(found["hits"]), found["why_not"]["bm25"]) == ("cosine", 2, None)


@pytest.mark.filterwarnings("default")
def test_a_warning_is_a_line(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert headlight.main(["texts", "search", table, "a pet " * 300, "--model", "bundled"]) == 0
    said = "Cut off, because longer than the model reads: 1 of 1 queries."
    assert capsys.readouterr().err.splitlines() == [said]


def test_without_a_query_the_failures_of_the_table_are_listed(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, table, "--json"))
    assert found["queries"] == 2
    assert [each["query"] for each in found["failures"]] == ["a pet"]
    assert sum(each["failures"] for each in found["causes"]) == 1
    assert [each["1"] for each in found["found"]] == [0.5, 0]
    assert "first for 50 % of the queries" in run(capsys, table)


def test_a_row_that_the_table_does_not_have_is_refused(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert headlight.main(["texts", "search", table, "a pet", "--why-not", "7", "--model", "bundled"]) == 2
    assert "Row 7 was asked for; the table has rows 0 to 6." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["texts", "search", "t", "q", "--first", "-1"], "--first: '-1' is not a whole number from 1"),
        (["texts", "search", "t", "q", "--why-not", "-3"], "--why-not: '-3' is not a whole number from 0"),
        (["texts", "run", "t", "--out", "o", "--workers", "0"], "--workers: '0' is not a whole number from 1"),
        (["attend", "a", "--layer", "-1"], "--layer: '-1' is not a whole number from 0"),
        (["attend", "a", "--layer", "0", "--head", "²"], "--head: '²' is not a whole number from 0"),
    ],
)
def test_a_number_below_the_least_is_refused(command: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        headlight.main([*command, "--model", "bundled"])
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--why-not", "--first"])
def test_an_option_of_a_query_needs_one(option: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert headlight.main(["texts", "search", table, option, "1", "--model", "bundled"]) == 2
    assert f"{option} needs a query" in capsys.readouterr().err
