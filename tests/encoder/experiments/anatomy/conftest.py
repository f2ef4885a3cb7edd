"""One record of each of our three models and three texts, for all tests of the anatomy."""

import pytest

import encoder
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens

A, B = "time flies like an arrow", "fruit flies like a banana"
LAYER = 1
TEXTS = {"pair": (A, B), "one word": ("time", None), "60 words": ("the quick brown fox jumps " * 12, None)}


@pytest.fixture(scope="module", params=["scratch-bert", "bundled-sentiment", "scratch", "scratch-untrained"])
def backend(request: pytest.FixtureRequest) -> ScratchBackend:
    return ours(encoder.load(request.param))


@pytest.fixture(scope="module", params=TEXTS)
def tokens(request: pytest.FixtureRequest, backend: ScratchBackend) -> Tokens:
    return backend.tokenize(*TEXTS[request.param])


@pytest.fixture(scope="module")
def seen(backend: ScratchBackend, tokens: Tokens) -> Record:
    return record(backend.encoder, tokens, layer=LAYER)
