"""What tests of the encoder share: models and tokenizers that are made once, and a small corpus."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from huggingface_hub import constants
from jaxtyping import config

from encoder.errors import ConfigError, ModelError, OfflineError, SelectionError, ShapeError
from encoder.lab.training.examples import encode_reviews, encode_words
from encoder.lab.training.multitask import Corpus
from encoder.text.tokenizer import Tokenizer
from tests.encoder.far_device import FarDevice
from tests.encoder.lab.training.small_corpus import REVIEWS, TAGGED
from tests.encoder.random_models import Zoo

# It begins with a capital letter, a number, a quotation mark, or what is wrong: a setting, a model.
SENTENCE = re.compile(r"(?=.*[a-z])([A-Z\W\d]|\S+ (is|has) ).*[.?]", re.DOTALL)

# Rooms that run models as backends, and import nothing of the network. Checks take up to a fifth of their tests' time.
OF_BACKENDS = ("atlas", "attribution", "collection", "comparison")


@pytest.fixture(scope="module", autouse=True)
def errors_are_sentences() -> Iterator[None]:
    """The page shows the message of an error as it is."""

    def checked(_: Exception, message: str) -> None:
        assert SENTENCE.fullmatch(message), message

    def short(error: Exception, message: str) -> None:
        assert message.isprintable(), message
        assert message.endswith((".", "?")) or not isinstance(error, OfflineError), message
        assert 10 < len(message) < 500, message

    with pytest.MonkeyPatch.context() as patch:
        for kind in (ConfigError, ShapeError, SelectionError):
            patch.setattr(kind, "__init__", checked)
        patch.setattr(ModelError, "__init__", short)
        yield


@pytest.fixture(scope="module", autouse=True)
def shapes_are_checked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Those that the network annotates, at every call, in the tests of what calls it."""
    room = request.path.relative_to(Path(__file__).parent).parts[0]
    config.update("jaxtyping_disable", room in OF_BACKENDS)
    yield
    config.update("jaxtyping_disable", True)


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Zoo:
    return Zoo(tmp_path_factory.mktemp("zoo"))


@pytest.fixture
def folder(zoo: Zoo, tmp_path: Path) -> Path:
    """A copy of a BERT folder, to be damaged."""
    return Path(shutil.copytree(zoo.folder("bert"), tmp_path / "bert"))


@pytest.fixture
def far() -> Iterator[torch.device]:
    """A device that is not the CPU, as far as torch's operations can tell."""
    with FarDevice():
        yield torch.device("meta")


@pytest.fixture(scope="session")
def tokenizer(bundled_folder: Path) -> Tokenizer:
    return Tokenizer.from_folder(bundled_folder)


@pytest.fixture(scope="module")
def table() -> torch.Tensor:
    """Word vectors for the small corpus."""
    return torch.randn(30522, 24, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def corpus(tokenizer: Tokenizer) -> Corpus:
    tagged = encode_words(tokenizer, [row.words for row in TAGGED], [row.tags for row in TAGGED])
    return Corpus(always=encode_reviews(tokenizer, REVIEWS) + tagged, sometimes=encode_reviews(tokenizer, REVIEWS[:8]))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Two threads wait for each other longer than models this small take to compute."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's cache is a folder in which nothing lies."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
