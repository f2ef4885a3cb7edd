"""The head for masked words: masks, one short training, and the card."""

import numpy as np
import torch

from encoder.lab.training.mask import Settings, card_of, collect, fit, mask_tokens, masked_texts, measure
from encoder.shipped.bundled import bundled_folder
from encoder.shipped.sentiment import WORD_VECTORS, load_bundled

TEXTS = ("Time flies like an arrow.", "Fruit flies like a banana, unfortunately.", "She sat on the bank of the river.")
SETTINGS = Settings(hidden=16, steps=8, batch=8, warm_up=2, frequent=50, others=20)


def test_masks_hide_a_part_of_the_words_and_know_what_was_there() -> None:
    backend = load_bundled(bundled_folder())
    for masking in ("words", "pieces", "one word"):
        for text in TEXTS:
            tokens = backend.tokenize(text)
            found = mask_tokens(tokens, np.random.default_rng(0), masking, mask_id=103, settings=SETTINGS)
            for each in found:
                filled = np.array(each.ids)
                assert (filled[each.positions] == 103).all()
                filled[each.positions] = each.truth
                assert tuple(filled) == tokens.ids
                assert not set(each.positions) & {0, len(tokens) - 1}
                assert masking != "one word" or len(each.positions) == 1


def test_a_short_training_learns_and_is_measured_for_every_layer() -> None:
    backend = load_bundled(bundled_folder())
    table = backend.encoder.get_parameter(WORD_VECTORS).detach()
    tokens = collect(backend.encoder, masked_texts(backend, TEXTS, 0, SETTINGS), description="states")
    assert tokens.states.shape[1:] == (7, 384)
    head = fit(tokens, table, SETTINGS)
    again = fit(tokens, table, SETTINGS)
    assert all(torch.equal(value, other) for value, other in zip(head.parameters(), again.parameters(), strict=True))
    figures = measure(backend, head, TEXTS, SETTINGS)
    assert [figure.name for figure in figures[:3]] == [f"masked_top{top}_after_6" for top in (1, 5, 10)]
    assert len(figures) == 3 * 8
    assert card_of(SETTINGS, len(tokens.ids), figures).settings["masked_tokens"] == len(tokens.ids)
