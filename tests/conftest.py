"""Shared by all tests: no network, repeatable examples, and the models that need no download."""

import ctypes
import gc
import os
import sys
from collections.abc import Generator, Hashable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from jaxtyping import config, install_import_hook

from tests.thorough import THOROUGH

gc.disable()  # until everything is imported: `pytest_collection`
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HEADLIGHT_CACHE"] = "off"
# torch reads this on import, so the fixtures below import late. If several processes share the tests, each one and the
# servers that it starts compute on one core.
if not os.environ.get("OMP_NUM_THREADS"):
    os.environ["OMP_NUM_THREADS"] = "1" if "PYTEST_XDIST_WORKER" in os.environ else "2"

if TYPE_CHECKING:
    from encoder import Backend
    from encoder.atlas.reader import Atlas
    from encoder.models.base import Reading
    from encoder.models.interventions import Intervention
    from encoder.models.pretrained import PretrainedBackend
    from encoder.text.tokens import Tokens

# Tests of what calls the network check the shapes that it annotates, at every call. In the others it is off, because it
# takes a sixth of a run. The configuration validates itself.
NETWORK = [f"encoder.transformer.{name}" for name in ("attention", "encoder", "decoder", "seq2seq")]
install_import_hook(NETWORK, "beartype.beartype")
config.update("jaxtyping_disable", True)

# No test may fail because the machine is busy.
settings.register_profile(
    "headlight",
    deadline=None,
    derandomize=True,
    max_examples=200 if THOROUGH else 25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("headlight")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude imported modules from garbage collection. Scanning them took 5 % of the page's tests."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


LOOPBACK = {"localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "", b"localhost", b"127.0.0.1", None}


def refuse_the_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: connecting to another machine, or resolving its name, is an error."""
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
    """Empty the page's caches after each file: they hold up to 1.9 GB, and claims keep their models.

    What is left is for all tests, and is scanned no more: late in a run, one scan took a second. The C library keeps
    freed pieces smaller than 32 MB, such as a model's tensors.
    """
    yield
    if memo := sys.modules.get("viz.caches.memo"):
        for cache in (memo.MODELS, memo.JOBS, memo.VALUES):
            cache.clear()
    if stops := sys.modules.get("viz.claims.stops"):
        stops._loaded.cache_clear()
    gc.collect()
    gc.freeze()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


@pytest.fixture(scope="session", autouse=True)
def components_are_registered_once() -> Iterator[None]:
    """As a server does, where each AppTest looks through every installed package: most of what opening a page takes."""
    with pytest.MonkeyPatch.context() as patch:
        if app_test := sys.modules.get("streamlit.testing.v1.app_test"):
            manager = app_test.BidiComponentManager()
            manager.discover_and_register_components(start_file_watching=False)
            patch.setattr(manager, "discover_and_register_components", lambda **_: None)
            patch.setattr(app_test, "BidiComponentManager", lambda: manager)
        yield


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
def known_readings() -> "dict[Hashable, Reading]":
    """What the models that ship have read for `each_text_is_read_once`."""
    return {}


@pytest.fixture(scope="module")
def each_text_is_read_once(known_readings: "dict[Hashable, Reading]") -> Iterator[None]:
    """The models that ship read the tables that ship for many tests, a second each; their numbers are the same."""
    from encoder.catalogue import BUILT_IN
    from encoder.models.base import Backend
    from encoder.models.interventions import UNCHANGED

    read_together = Backend._read_together

    def read(backend: Backend, texts: "Sequence[Tokens]", changes: "Sequence[Intervention]") -> "list[Reading]":
        if backend.name not in BUILT_IN or any(change != UNCHANGED for change in changes):
            return read_together(backend, texts, changes)
        keys = [(backend.name, text) for text in texts]
        new = [row for row, key in enumerate(keys) if key not in known_readings]
        if new:
            some = read_together(backend, [texts[row] for row in new], [changes[row] for row in new])
            known_readings.update(zip([keys[row] for row in new], some, strict=True))
        return [known_readings[key] for key in keys]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Backend, "_read_together", read)
        yield


@pytest.fixture(scope="session")
def operators_read_once() -> Iterator[None]:
    """torch reads all of ONNX's operators and of its own anew for each graph: two fifths of the time that it takes."""
    from torch._export import utils
    from torch.onnx._internal.exporter import _registration

    registry = _registration.ONNXRegistry
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "from_torchlib", staticmethod(cache(registry.from_torchlib)))
        patch.setattr(utils, "_materialize_cpp_cia_ops", cache(utils._materialize_cpp_cia_ops))
        yield


@pytest.fixture(scope="session")
def atlas() -> "Atlas":
    """What the bundled model's heads do."""
    from encoder.atlas.reader import shipped_atlas

    found = shipped_atlas("bundled")
    assert found is not None
    return found


@pytest.fixture(scope="session")
def scratch_bert() -> "Backend":
    import encoder

    return encoder.load("scratch-bert")
