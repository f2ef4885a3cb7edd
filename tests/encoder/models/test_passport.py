"""Passports: what is proved of a model that was opened."""

from pathlib import Path

import pytest
import torch

from encoder.errors import CheckpointError
from encoder.models.loading import load_folder
from encoder.models.passport import Check, Passport
from encoder.models.pretrained import PretrainedBackend
from tests.encoder.models.folder_table import ROWS, make_folder


@pytest.fixture
def bert(tmp_path: Path) -> PretrainedBackend:
    return load_folder("bert", make_folder(ROWS[0], tmp_path / "bert"))


def outcomes(passport: Passport) -> dict[str, str]:
    return {check.name: check.outcome for check in passport.checks}


def test_attention_of_a_folder_is_compared_with_the_librarys(bert: PretrainedBackend) -> None:
    [check] = [check for check in bert.passport.checks if check.name == "Attention"]
    assert check.outcome == "holds"
    assert (check.value or 0) < 1e-5
    assert bert.passport is bert.passport  # made once


def test_attention_that_differs_is_a_remark(bert: PretrainedBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("encoder.models.pretrained_points.sdpa_attention_forward", _without_softmax)
    assert outcomes(bert.passport)["Attention"] == "differs"
    assert "last states by" in bert.passport.line


def _without_softmax(
    module: object, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *rest: object, **options: object
) -> tuple[torch.Tensor, None]:
    return value.transpose(1, 2), None


def test_a_passport_is_short_escaped_and_columns() -> None:
    def check_tokens(_: object) -> Check:
        raise CheckpointError("its file <b> is damaged.")

    no_head = Check(name="Head", outcome="does not apply", sentence="It has none.")
    passport = Passport.of(None, [check_tokens, lambda _: (no_head,)])
    assert repr(passport) == "<Passport of 2 checks: Tokens differ>"
    assert passport.line == "Checked: Tokens: its file <b> is damaged."
    assert "&lt;b&gt;" in passport._repr_html_()
    assert passport.columns["outcome"] == ["differs", "does not apply"]
