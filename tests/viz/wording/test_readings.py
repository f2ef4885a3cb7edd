"""What is said of a text in another language than the model's."""

import gzip
import json
from pathlib import Path

import pytest

from encoder import Backend
from encoder.text.readings import unlike_english
from viz.wording.readings import FEWEST_WORDS, other_language

DATA = Path(__file__).parents[4] / "shared" / "data"


@pytest.mark.parametrize(
    "text",
    [
        "Der Hund, den ich gestern im Garten gesehen habe, bellte die ganze Nacht.",
        "Les enfants mangeaient tranquillement leurs tartines devant la fenêtre.",
        "Los niños desayunaban tranquilamente cuando empezaron las lluvias.",
        "Le film est une réussite, et les acteurs sont tous parfaits.",
        "La película es muy buena y los actores están perfectos.",
        "Il film è molto bello e gli attori sono perfetti.",
        "Dzieci jadły śniadanie przy oknie i patrzyły na deszcz.",
    ],
)
def test_a_text_in_another_language_is_asked_about(text: str, bundled: Backend) -> None:
    tokens = bundled.tokenize(text)
    assert "is this another language?" in other_language(tokens, "bundled")
    assert other_language(tokens, "./my-german-bert") == ""


@pytest.mark.parametrize(
    "text", ["time flies like an arrow", "Guten Morgen", "Zyzzyva weevils ate our arugula plants."]
)
def test_english_and_short_texts_are_not(text: str, bundled: Backend) -> None:
    assert other_language(bundled.tokenize(text), "bundled") == ""


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside this checkout")
def test_fewer_than_one_in_a_hundred_english_rows_are_asked_about(bundled: Backend) -> None:
    sst = gzip.decompress((DATA / "sst_dev.tsv.gz").read_bytes()).decode().splitlines()
    column = sst[0].split("\t").index("natural")
    ewt = gzip.decompress((DATA / "ewt_dev.jsonl.gz").read_bytes()).splitlines()
    for texts in ([line.split("\t")[column] for line in sst[1:]], [json.loads(line)["text"] for line in ewt]):
        found = [unlike_english(bundled.tokenizer(text)) for text in texts]
        asked = [2 * (in_pieces + abroad) > words for in_pieces, abroad, words in found if words >= FEWEST_WORDS]
        assert sum(asked) < 0.01 * len(asked)
