"""Names of models for the page."""

import pytest

from viz.wording.models import name_in_short


@pytest.mark.parametrize(
    ("name", "others", "short"),
    [
        ("bundled", ("bundled",), "bundled"),
        ("google/bert", ("other/bert",), "google/bert"),
        ("/runs/mine", (), "mine"),
        ("/runs/mine/", ("bundled",), "mine"),
        ("/one/checkpoint-500", ("/two/checkpoint-500", "/two/last"), "one/checkpoint-500"),
        ("/a/x/last", ("/b/x/last",), "a/x/last"),
        ("~/mine", ("mine",), "~/mine"),
        ("/runs/mine", ("/runs/mine",), "mine"),
        ("/mine", ("/mine/",), "/mine"),
        ("/", (), "/"),
        ("scratch-bert:/runs/mine", ("/runs/mine",), "scratch-bert:mine"),
        ("/runs/mine", ("scratch-bert:/runs/mine",), "mine"),
    ],
)
def test_a_path_is_shortened_to_what_tells_it_apart(name: str, others: tuple[str, ...], short: str) -> None:
    assert name_in_short(name, *others) == short
