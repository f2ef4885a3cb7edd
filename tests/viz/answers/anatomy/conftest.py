"""One recorded run of each of our three models and three texts, for all tests of the anatomy's words."""

import pytest

import encoder
from encoder.experiments.anatomy.record import ours, record
from encoder.models.scratch import ScratchBackend
from viz.answers.anatomy.step import RecordedRun

LAYER, HEAD = 1, 2
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
