"""A model with another head than classes: what the page asks for, and what it shows."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import alerts, choose, click, open_page
from tests.encoder.random_models import A, B, bert_folder

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")


def markdown(at: AppTest) -> str:
    return "\n".join(part.value for part in at.markdown)


def test_a_reader_asks_for_question_and_text_together_and_answers(tmp_path: Path) -> None:
    folder = str(bert_folder(tmp_path, "BertForQuestionAnswering"))
    at = click(open_page(model=folder, a=A, b=B, mode="separate", view="predictions"), "load_model")
    assert any("answers the question in A from the text in B" in alert for alert in alerts(at))
    click(at, "together_A")
    assert "The model answers" in markdown(at)
    assert not alerts(at)
    choose(at, view="why")
    assert at.button_group(key="why").value == "start"
    assert "The answer starts at" in markdown(at)
    choose(at, why="end")
    assert "The answer ends at" in markdown(at)
