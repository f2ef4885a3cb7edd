"""What all tests share: no network, repeatable examples, and the two models that need no download."""

import ctypes
import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

gc.disable()  # until everything is imported: `pytest_collection`
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HEADLIGHT_CACHE"] = "off"
# Read when torch is imported, which is why the fixtures import late. Tests that share the cores with those of another
# process compute on one of them; so do the servers that they start.
if not os.environ.get("OMP_NUM_THREADS"):
    os.environ["OMP_NUM_THREADS"] = "1" if "PYTEST_XDIST_WORKER" in os.environ else "2"

if TYPE_CHECKING:
    from encoder import Backend
    from encoder.models.pretrained import PretrainedBackend

# The shapes that the network annotates are checked at every call, in every test. The configuration is left out: it
# refuses what does not fit by itself.
NETWORK = [f"encoder.transformer.{name}" for name in ("attention", "encoder", "decoder", "seq2seq")]
install_import_hook(NETWORK, "beartype.beartype")

# No test may fail because the machine is busy.
settings.register_profile("headlight", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("headlight")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is imported out of garbage collection, which visits all of it again and again: a twentieth of what the
    page's tests compute.
    """
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


LOOPBACK = {"localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "", b"localhost", b"127.0.0.1", None}


def refuse_the_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: whoever connects or asks for an address beyond this machine gets an error."""
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # a Unix socket has a path
    else:
        return
    if host not in LOOPBACK:
        raise RuntimeError(f"a test tried to reach {host!r}; tests use no network")


sys.addaudithook(refuse_the_network)


@pytest.fixture(scope="module", autouse=True)
def memory_is_returned() -> Iterator[None]:
    """The page's memos hold up to 1.9 GB of what a file's tests computed, which those of other files do not ask for;
    and the C library holds what is freed in pieces smaller than 32 MB, as the tensors of models are.
    """
    yield
    if memo := sys.modules.get("viz.caches.memo"):
        for cache in (memo.MODELS, memo.JOBS, memo.VALUES):
            cache.clear()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


@pytest.fixture(scope="session")
def bundled_folder() -> Path:
    from encoder.shipped.bundled import bundled_folder

    return bundled_folder()


@pytest.fixture(scope="session")
def bundled() -> "Backend":
    from encoder.catalogue import load  # tests of the page replace `encoder.load`

    return load("bundled")


@pytest.fixture(scope="session")
def tuned() -> "Backend":
    from encoder.catalogue import load

    return load("bundled-sentiment")


@pytest.fixture(scope="session")
def scratch() -> "Backend":
    from encoder.catalogue import load

    return load("scratch")


@pytest.fixture(scope="session")
def pretrained(bundled_folder: Path) -> "PretrainedBackend":
    """The bundled weights in `transformers`, which the app itself does without."""
    from encoder.models.loading import load_folder

    return load_folder("bundled", bundled_folder)


@pytest.fixture(scope="session")
def scratch_bert() -> "Backend":
    import encoder

    return encoder.load("scratch-bert")
