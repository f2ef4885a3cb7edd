"""Small runs take one of torch's threads, large ones all."""

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from encoder import Backend
from encoder.catalogue import load_writer
from encoder.experiments.decoder_lens import decoder_lens
from encoder.models.threads import SMALL, multiplied_weights, threads_for
from encoder.shipped.names import SEQ2SEQ


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_small_work_takes_one_thread_and_large_work_all() -> None:
    with threads_for(SMALL):
        assert torch.get_num_threads() == 1
    with threads_for(SMALL + 1):
        assert torch.get_num_threads() == 3
    assert torch.get_num_threads() == 3


def test_what_looks_small_inside_large_work_takes_all_threads() -> None:
    with threads_for(SMALL + 1), threads_for(SMALL):
        assert torch.get_num_threads() == 3
    with threads_for(SMALL), threads_for(SMALL + 1):
        assert torch.get_num_threads() == 1
    with threads_for(SMALL):
        assert torch.get_num_threads() == 1


def test_threads_come_back_after_a_failure() -> None:
    with pytest.raises(ZeroDivisionError), threads_for(0):
        _ = 1 / 0
    assert torch.get_num_threads() == 3


def test_weights_of_tables_are_not_multiplied() -> None:
    assert multiplied_weights(nn.Sequential(nn.Embedding(50, 4), nn.Linear(4, 3), nn.LayerNorm(3))) == 4 * 3 + 3 + 6


@pytest.mark.parametrize(("words", "threads"), [(5, 1), (300, 3)])
@pytest.mark.parametrize("fixture", ["bundled", "pretrained"])
def test_a_text_is_run_on_as_many_threads_as_it_is_worth(
    fixture: str, words: int, threads: int, request: pytest.FixtureRequest
) -> None:
    backend: Backend = request.getfixturevalue(fixture)
    seen: list[int] = []
    tokens = backend.tokenize("word " * words)
    handle = backend.modules[0].register_forward_pre_hook(lambda *_: seen.append(torch.get_num_threads()))
    try:
        backend.run(tokens)
        list(backend.hidden_states([tokens]))
    finally:
        handle.remove()
    assert seen == [threads, threads]


def test_what_is_written_a_token_at_a_time_takes_one_thread() -> None:
    seen: set[int] = set()
    writer = load_writer(SEQ2SEQ)
    writer.model.decoder.register_forward_pre_hook(lambda *_: seen.add(torch.get_num_threads()))
    tokens = writer.tokenize("reverse", "time flies")
    writer.run(tokens)
    decoder_lens(writer, tokens)
    assert seen == {1}
    assert torch.get_num_threads() == 3
