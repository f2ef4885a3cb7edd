"""Names of files."""

from viz.wording.file_names import LONGEST, file_name


def test_a_file_is_named_after_its_text_and_its_view() -> None:
    assert file_name("Time flies like an arrow!", "heat map", "html") == (
        "headlight-time-flies-like-an-arrow-heat-map.html"
    )
    assert file_name("A café, naïve", "attention-L0 H4", "csv") == "headlight-a-cafe-naive-attention-l0-h4.csv"


def test_a_text_in_other_letters_leaves_the_view() -> None:
    assert file_name("時は矢の如し / ../", "norms", "csv") == "headlight-norms.csv"


def test_a_long_text_loses_its_last_words() -> None:
    name = file_name("time " * 100, "all views", "html")
    assert name.endswith("-time-all-views.html")
    assert LONGEST - len("time-") < len(name) <= LONGEST
    assert file_name("x" * 100, "run", "safetensors") == "headlight-run.safetensors"
