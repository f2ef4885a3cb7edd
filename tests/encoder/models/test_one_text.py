"""Several runs of one text in a batch: as one at a time, and each layer reads a token that several share once."""

from collections import Counter
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from torch import Tensor, nn

from encoder.models.base import Backend
from encoder.models.interventions import UNCHANGED, Intervention, Patch
from encoder.models.scratch import ScratchBackend
from encoder.runs.links import Link
from tests.encoder.random_models import WIDTH, A, Zoo, backend_of

ROUNDING = {"rtol": 0, "atol": 2e-5}  # of states up to 7, as in test_interventions
STATE = np.linspace(-1, 1, WIDTH, dtype=np.float32)
LINKS = [
    Intervention(links=(Link(query=3, key=1),)),
    Intervention(links=(Link(query=4, key=1), Link(query=4, key=2, layer=1, head=0, factor=0.5))),
    Intervention(links=(Link(query=2, key=(0, 5), factor="even"),)),
]
CHANGES = {
    "links in all layers": [UNCHANGED, *LINKS],
    "a changed run first": [*LINKS, UNCHANGED],
    "heads": [Intervention(silenced_heads=heads) for heads in [(), ((2, 1),), ((0, 3), (1, 1)), ()]],
    "patches": [
        Intervention(patches=tuple(Patch(state_index=index, positions=(1, 2), state=STATE) for index in indices))
        for indices in [(), (0,), (1,), (2,), (3,), (0, 2)]
    ],
    "all at once": [
        UNCHANGED,
        Intervention(
            silenced_heads=((1, 2),),
            patches=(Patch(state_index=1, positions=(3,), state=STATE),),
            links=(Link(query=2, key=2, layer=1),),
        ),
    ],
    "no change": [UNCHANGED, UNCHANGED],
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm"])
def test_runs_of_one_text_are_those_of_single_runs(zoo: Zoo, family: str, changes: list[Intervention]) -> None:
    backend = backend_of(zoo, family)
    tokens = backend.tokenize(A)
    found = backend.hidden_states([tokens] * len(changes), changes)
    for change, states in zip(changes, found, strict=True):
        [alone] = backend.hidden_states([tokens], [change])
        assert_allclose(states, alone, **ROUNDING, err_msg=str(change))


def test_readings_of_one_text_are_those_of_single_runs(bundled: Backend) -> None:
    tokens = bundled.tokenize(A)
    changes = CHANGES["links in all layers"]
    for change, (reading, states) in zip(changes, bundled.readings_of(tokens, changes), strict=True):
        [(alone, expected)] = bundled.readings_of(tokens, [change])
        assert_allclose(states, expected, **ROUNDING)
        assert reading.prediction is not None
        assert alone.prediction is not None
        assert_allclose(reading.prediction.logits, alone.prediction.logits, **ROUNDING)


@pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm"])
def test_a_token_that_runs_share_is_read_once(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    assert isinstance(backend, ScratchBackend)
    tokens, read = backend.tokenize(A), Counter[int]()

    def count_tokens(layer: int, _: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        read[layer] += inputs[0].shape[:-1].numel()

    for layer, module in enumerate(backend.encoder.layers):
        module.get_submodule("feed_forward").register_forward_pre_hook(partial(count_tokens, layer))
    one, all_runs = len(tokens), 4 * len(tokens)
    list(backend.hidden_states([tokens] * 4, CHANGES["links in all layers"]))
    assert read == {0: one + len(LINKS), 1: all_runs, 2: all_runs}
    read.clear()
    list(backend.hidden_states([tokens] * 4, [UNCHANGED] + 3 * [Intervention(silenced_heads=((1, 0),))]))
    assert read == {0: one, 1: all_runs, 2: all_runs}
