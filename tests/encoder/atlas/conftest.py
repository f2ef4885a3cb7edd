"""An atlas and sentences that several files of tests read."""

from pathlib import Path

import pytest

from encoder import Backend
from encoder.atlas.__main__ import main
from encoder.atlas.build.layout import Encoded
from tests.encoder.atlas.small_corpus import ROWS, command, sentence_of, write_corpus


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "small.jsonl", 140, documents=9)


@pytest.fixture(scope="session")
def undisturbed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("atlas") / "undisturbed"
    assert main(command(corpus, out)) == 0
    return out


@pytest.fixture(scope="session")
def texts(bundled: Backend) -> list[Encoded]:
    sentences = [sentence_of(row, number) for number, row in enumerate(ROWS)]
    return [Encoded(sentence, bundled.tokenize(sentence.words)) for sentence in sentences]
