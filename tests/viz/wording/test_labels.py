"""Names of heads in sentences."""

import pytest

from encoder.measures.unit_attention import MEAN
from viz.wording.labels import head_in_words, heads_in_words


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ([(3, 7)], "layer 3, head 7"),
        ([(3, 7), (4, 1)], "layer 3, head 7 and layer 4, head 1"),
        ([(3, 7), (4, 1), (5, 0)], "layer 3, head 7; layer 4, head 1 and layer 5, head 0"),
        (
            [(0, head) for head in range(9)],
            "layer 0, head 0; layer 0, head 1; layer 0, head 2; layer 0, head 3 and 5 more heads",
        ),
    ],
)
def test_heads_are_named_in_words_in_a_sentence(heads: list[tuple[int, int]], words: str) -> None:
    assert heads_in_words(heads) == words


def test_the_mean_over_heads_is_named_in_words() -> None:
    assert head_in_words(3, MEAN) == "layer 3, mean over heads"
