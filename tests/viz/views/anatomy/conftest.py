"""One recorded run of each of our three models and three texts, for all tests of the anatomy's words."""

from collections.abc import Sequence

import pytest

import encoder
from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.anatomy.parameter_counts import count_preset
from encoder.experiments.anatomy.record import ours, record
from encoder.models.scratch import ScratchBackend
from viz.views.anatomy.answer.step import Chosen, RecordedRun, StepAnswer, StepRuns
from viz.views.anatomy.answer.steps import STEPS
from viz.views.anatomy.answer.tensors import Drawn, FollowedCell

LAYER, HEAD = 1, 2
CELL = FollowedCell(row=2, key=1, dimension=1)
TEXTS = {
    "pair": ("time flies like an arrow", "fruit flies like a banana"),
    "one word": ("time", None),
    "60 words": ("the quick brown fox jumps " * 12, None),
}


@pytest.fixture(scope="package", params=["scratch-bert", "scratch", "scratch-untrained"])
def backend(request: pytest.FixtureRequest) -> ScratchBackend:
    return ours(encoder.load(request.param))


@pytest.fixture(scope="package", params=TEXTS)
def run(request: pytest.FixtureRequest, backend: ScratchBackend) -> RecordedRun:
    tokens = backend.tokenize(*TEXTS[request.param])
    return RecordedRun(backend=backend, record=record(backend.encoder, tokens, layer=LAYER), head=HEAD)


@pytest.fixture(scope="package")
def flies() -> RecordedRun:
    """The first sentence of the page in BERT's weights."""
    backend = ours(encoder.load("scratch-bert"))
    tokens = backend.tokenize("time flies like an arrow")
    return RecordedRun(backend=backend, record=record(backend.encoder, tokens, layer=0), head=4)


def answer_of(
    key: StepKey,
    run: RecordedRun,
    *,
    cell: FollowedCell = CELL,
    mask: Mask = "none",
    what_ifs: Sequence[WhatIf] = (),
    clickable: bool = False,
) -> StepAnswer:
    """A step of a run, with the cell in row 2 and column 1."""
    encoder_, tokens, layer = run.backend.encoder, run.record.tokens, run.record.layer
    runs = StepRuns(
        masked=lambda: masked(encoder_, tokens, layer=layer, mask=mask),
        changed=lambda: changed(encoder_, tokens, layer=layer, what_ifs=what_ifs),
        learned_elsewhere=lambda: ours(encoder.load("bundled")).encoder,
        count=count_preset,
    )
    drawn = Drawn(labels=tokens.labels, sentence_b_start=tokens.sentence_b_start, head=run.head, clickable=clickable)
    return STEPS[key].answer(run, runs, Chosen(drawn=drawn, cell=cell, mask=mask, what_ifs=what_ifs))
