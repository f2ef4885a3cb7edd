"""The list of terms, from the page's settings."""

from tests.app.app_script import open_page, run, sentences_of, setting
from viz.wording.glossary import TERMS
from viz.wording.labels import escape_markdown


def test_the_settings_open_a_list_of_all_terms() -> None:
    at = open_page()
    assert "Abnar and Zuidema 2020" not in sentences_of(at)
    setting(at, "terms").set_value(True)
    said = sentences_of(run(at))
    for term in TERMS:
        assert f"**{escape_markdown(term.name)}**: {term.definition}" in said
    assert "*Abnar and Zuidema 2020*" in said
