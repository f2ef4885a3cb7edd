"""The figures of the model cards: measured again, and the same in Markdown, JSON and docs/models.md."""

import re
from pathlib import Path

import pytest

from encoder.lab.training.measure_again import CARDS
from encoder.lab.training.output import as_markdown
from encoder.shipped.card import Figure, read_card
from encoder.shipped.mask_accuracy import MEASURED, TOPS
from encoder.shipped.names import WEIGHTS

DATA = Path(__file__).parents[5] / "shared" / "data"


@pytest.mark.parametrize("name", CARDS)
def test_a_card_is_its_json_in_markdown(name: str) -> None:
    assert (WEIGHTS / f"{name}.md").read_text(encoding="utf-8") == as_markdown(read_card(WEIGHTS / f"{name}.json"))


@pytest.mark.figures
@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside this checkout")
@pytest.mark.parametrize("name", CARDS)
def test_the_figures_of_a_card_are_what_its_command_measures(name: str) -> None:
    card = {row["name"]: Figure(**row) for row in read_card(WEIGHTS / f"{name}.json")["figures"]}
    measured = {figure.name: figure for figure in CARDS[name](DATA)}
    assert measured.keys() == card.keys()
    for figure in measured.values():
        recorded = card[figure.name]
        assert (figure.n, figure.baseline) == (recorded.n, pytest.approx(recorded.baseline))
        # A few answers on the fence may fall to the other side on another processor.
        assert figure.value == pytest.approx(recorded.value, abs=2 / figure.n + 1e-3), figure.name


def test_the_docs_have_the_figures_of_the_cards() -> None:
    page = (Path(__file__).parents[4] / "docs" / "models.md").read_text(encoding="utf-8")
    section = page.partition("## What the models were measured to know")[2].partition("### Training")[0]
    rows = [row for name in CARDS for row in read_card(WEIGHTS / f"{name}.json")["figures"]]
    numbers = {f"{number:.3f}" for row in rows for number in (row["value"], row["baseline"]) if number is not None}
    assert set(re.findall(r"\d\.\d{3}", section)) - numbers == set()
    masked = {row["name"]: row["value"] for row in rows}
    for top in TOPS:
        cells = [f"{masked[f'{MEASURED}{top}_after_{state}']:.3f}" for state in range(7)]
        assert f"| {top} | {' | '.join(cells)} |" in section
