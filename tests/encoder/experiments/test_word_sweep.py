"""The sweep over all heads for one word and for other words of its text."""

import numpy as np

from encoder import Backend
from encoder.experiments.silencing import CONTROL_WORDS, draw_control_words, sweep_heads, sweep_word
from encoder.shipped.probes import load_probes
from encoder.text.occurrences import positions_of_word


def test_a_sweep_has_the_effects_on_the_word_and_on_others(bundled: Backend) -> None:
    tokens, probes, steps = bundled.tokenize("time flies like an arrow"), load_probes("bundled"), list[int]()
    word = positions_of_word(tokens, 1)
    found = sweep_word(bundled, tokens, word, probes=probes, progress=lambda done, total: steps.append(total - done))
    assert steps[-1] == 0
    words = [word, *draw_control_words(tokens, word, count=CONTROL_WORDS)]
    wanted = sweep_heads(bundled, tokens, words, probes=probes)
    np.testing.assert_array_equal(found.word.distance[0], wanted.distance[0])
    np.testing.assert_array_equal(found.others.distance, wanted.distance[1:])
    assert len(found.others.distance) == 4  # the text has no more words
    other = bundled.trace("fruit flies like a banana").hidden_states[-1, 2]
    held = found.with_shift(other)
    shifted = sweep_heads(bundled, tokens, words, probes=probes, other=other).shift
    assert held.word.shift is not None
    assert held.others.shift is not None
    np.testing.assert_allclose(np.concatenate([held.word.shift, held.others.shift]), shifted, atol=1e-6)
    np.testing.assert_array_equal(held.word.distance, found.word.distance)
