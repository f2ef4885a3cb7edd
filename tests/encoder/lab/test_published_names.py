"""The commands of the laboratory run under the names that model cards and docs give."""

import runpy
import sys

import pytest

COMMANDS = (
    *("training.train", "training.evaluate", "training.measure_again"),
    *("evaluation.decoder_lens", "evaluation.faithfulness", "evaluation.silencing"),
)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_published_name_runs_the_command(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, f"encoder.lab.{name}", raising=False)  # as `python -m` finds it: not imported yet
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(f"encoder.{name}", run_name="__main__")
    assert ended.value.code == 0
    assert f"usage: python -m encoder.{name}" in capsys.readouterr().out
