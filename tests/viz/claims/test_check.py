"""`python -m viz.tours check`: claims with their numbers, and an exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from encoder.errors import UnknownModelError
from tests.encoder.models.test_passport import tokenizer_folder
from tests.encoder.random_models import wordpiece_tokenizer
from viz.claims.check import main, outcomes_at
from viz.claims.outcome import Outcome, work_out
from viz.claims.stops import open_encoder, subject_of
from viz.examples import Mode
from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.tours.grammar import parse_claim
from viz.tours.shipped import NAMES, path_of, shipped_tour

pytestmark = pytest.mark.usefixtures("each_text_is_read_once")

STOP = "# T\n\n## S\n\n```yaml\na: time flies\nb: ''\nclaims:\n"


def written(folder: Path, *claims: str, state: str = "") -> str:
    """The path of a tour with one stop."""
    path = folder / "tour.md"
    path.write_text(
        STOP.replace("claims:\n", f"{state}claims:\n") + "".join(f"- {claim}\n" for claim in claims) + "```\n"
    )
    return str(path)


@pytest.mark.parametrize("name", NAMES)
def test_the_claims_of_the_tours_that_ship_hold(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", str(path_of(name))])
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("mode", get_args(Mode))
def test_the_claims_about_any_sentences_hold_in_both_modes(mode: Mode) -> None:
    page = with_values(DEFAULT, {"mode": mode})
    stops = [stop for stop in shipped_tour("twelve-steps").stops if "a" not in stop.state]
    outcomes = [each for stop in stops for each in outcomes_at(stop, page, model=None, writer=None)]
    assert len(outcomes) == 12
    assert [outcome.sentence for outcome in outcomes if not outcome.holds] == []


def test_every_claim_is_printed_with_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tour = written(
        tmp_path,
        'norm(layer=embeddings, "time") > 0',
        'weight(layer=0, head=2, "flies" → "time") < 0.12345',
        'norm(layer=9, "time") > 0',
    )
    assert main(["check", tour]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{tour}: T"
    assert lines[2].startswith('    ✓ norm(layer=embeddings, "time") > 0  ')
    assert lines[3].startswith("    ✗ weight(")
    assert "does not hold here: 0.9" in lines[3] or "does not hold here: 1.0" in lines[3]
    assert lines[4].endswith("does not apply here: There is no layer 9: the last one is 5.")
    assert lines[5] == "  3 claims: 1 hold, 1 do not hold, 1 do not apply."


def test_a_tour_is_checked_on_another_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(path_of("time-flies")), "--model", "scratch-untrained"]) == 1
    printed = capsys.readouterr().out
    assert "does not hold here: 0.9" in printed
    assert "does not apply here: No probes were trained for scratch-untrained: " in printed


def test_a_model_is_checked_without_a_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tokenizer_folder(tmp_path / "m", wordpiece_tokenizer, {"tokenizer_class": "RobertaTokenizer"}, {})
    assert main(["check", "--model", "bundled"]) == 0
    assert capsys.readouterr().out.endswith("checks, nothing differs.\n")
    assert main(["check", "--model", str(folder), "--json"]) == 1
    assert [check["name"] for check in json.loads(capsys.readouterr().out) if check["outcome"] == "differs"] == [
        "Tokens"
    ]
    assert main(["check", "--model", str(tmp_path / "none")]) == main(["check"]) == 2


def test_a_malformed_file_gets_one_sentence_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.md"
    bad.write_text("# T\n\n## S\n\n```yaml\nclaims: eval(1)\n```\n")
    binary = tmp_path / "binary.md"
    binary.write_bytes(b"# T\n\n\xff")
    assert main(["check", str(bad), str(binary), str(tmp_path / "none.md")]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{bad}: Line 6: “eval” is no measure")
    assert second == f"{binary}: Line 3: The file is no text in UTF-8."
    assert "cannot be read" in third


def test_a_tour_opens_no_model_that_was_not_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = tmp_path / "model"
    secret.mkdir()
    tour = written(tmp_path, 'norm(layer=0, "time") > 0', state=f"model: {secret}\n")
    assert main(["check", tour]) == 1
    assert "not opened unasked: name it with --model" in capsys.readouterr().out
    with pytest.raises(UnknownModelError):
        open_encoder("bert-base-uncased", asked=False)


@pytest.mark.parametrize(
    ("claim", "holds", "sentence"),
    [
        ('cosine(layer=0, "time", "time") = 1.00', True, "1.00"),
        ('cosine(layer=0, "time", "time") = 0.9', False, "does not hold here: 1.00"),
        ('cosine(layer=0, "time", "time") >= cosine(layer=1, "time", "time")', True, "1.000 and 1.000"),
        ('cosine(layer=0, "time", "time") <= cosine(layer=1, "time", "time")', True, "1.000 and 1.000"),
        (
            'cosine(layer=0, "time", "time") > cosine(layer=1, "time", "time")',
            False,
            "does not hold here: 1.000 and 1.000",
        ),
        ('cosine(layer=0, "time", "time") < 0.999', False, "does not hold here: 1.000"),
        ('cosine(layer=0, "time", "tide") > 0', None, 'does not apply here: "tide" is not in this text.'),
    ],
)
def test_an_outcome_is_a_sentence_with_its_numbers(claim: str, holds: bool | None, sentence: str) -> None:
    from dataclasses import replace

    texts = replace(DEFAULT.texts, a="time flies", b="")
    subject = subject_of(replace(DEFAULT, texts=texts), open_encoder("bundled", asked=False))
    outcome = work_out(parse_claim(claim), subject)
    assert (outcome.holds, outcome.sentence) == (holds, sentence)


def test_numbers_are_given_as_exactly_as_the_claim_needs() -> None:
    claim = parse_claim('norm(layer=0, "a") > 0.5')
    near = Outcome(claim=claim, holds=True, value=0.50004, bound=0.5)
    assert near.sentence == "0.50004"
    assert Outcome(claim=claim, holds=False, value=0.49, bound=0.5).sentence == "does not hold here: 0.49"
    assert Outcome(claim=claim, holds=False, value=-0.004, bound=0.5).sentence == "does not hold here: 0.00"
    assert Outcome(claim=claim, holds=False, value=-0.25, bound=0.5).sentence == "does not hold here: −0.25"
