"""Linear layers by oneDNN, against those of torch."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

import encoder
from encoder.attribution.gradients import Path, integrated_gradients
from encoder.attribution.quantities import ClassQuantity
from encoder.models.packed import FEWEST_ROWS, ROWS, pack_linears
from encoder.models.threads import SMALL_PACKED

HAS_AVX512 = torch.backends.cpu.get_cpu_capability() == "AVX512"
needs_avx512 = pytest.mark.skipif(not HAS_AVX512, reason="packs nothing without AVX-512")


@pytest.fixture
def linear() -> nn.Linear:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return nn.Linear(24, 40)


@pytest.fixture
def by_onednn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of every product that oneDNN computes."""
    seen: list[int] = []
    multiply = torch.ops.mkldnn._linear_pointwise

    def watched(rows: Tensor, *rest: object) -> Tensor:
        seen.append(len(rows))
        product: Tensor = multiply(rows, *rest)
        return product

    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", watched)
    return seen


def numbers(*shape: int) -> Tensor:
    return torch.linspace(-1, 1, torch.Size(shape).numel()).view(shape)


@needs_avx512
@pytest.mark.parametrize("shape", [(24,), (1, 24), (FEWEST_ROWS, 24), (ROWS, 24), (3, 50, 24)], ids=str)
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad, torch.enable_grad])
def test_packed_layers_give_the_numbers_of_torch(
    linear: nn.Linear, shape: tuple[int, ...], bias: bool, mode: Callable[[], torch.no_grad], by_onednn: list[int]
) -> None:
    if not bias:
        linear.bias = None
    with mode():
        x = numbers(*shape)
        expected = linear(x)
        assert pack_linears(nn.Sequential(linear))
        assert_close(linear(x), expected, atol=1e-6, rtol=1e-5, check_layout=True)
    rows = x.numel() // 24
    assert len(by_onednn) == (rows >= FEWEST_ROWS)
    assert all(count % (ROWS // 2) == 0 for count in by_onednn)


@needs_avx512
@pytest.mark.parametrize(
    ("rows", "met"),
    [(32, 32), (33, 64), (65, 96), (97, 128), (128, 128), (129, 192), (193, 256), (600, 640)],
)
def test_onednn_meets_few_numbers_of_rows(linear: nn.Linear, rows: int, met: int, by_onednn: list[int]) -> None:
    pack_linears(linear)
    linear(numbers(rows, 24))
    assert by_onednn == [met]


@needs_avx512
@pytest.mark.parametrize("rows", [5, 20, 70])
def test_slopes_along_what_goes_in_are_those_of_torch(linear: nn.Linear, rows: int, by_onednn: list[int]) -> None:
    def bent(x: Tensor) -> Tensor:
        return linear(x).sin()

    x, way, back = numbers(rows, 24), numbers(rows, 24).flip(0), numbers(3, rows, 40)

    def slopes() -> list[Tensor]:
        start = x.clone().requires_grad_()
        y = bent(start)
        (one,) = torch.autograd.grad(y, start, back[0], create_graph=True)
        (second,) = torch.autograd.grad(one.square().sum(), start, retain_graph=True)
        (several,) = torch.autograd.grad(y, start, back, is_grads_batched=True)
        forward = torch.func.jvp(bent, (x,), (way,))[1]
        ways = torch.stack((way, x, 2 * way))
        mapped = torch.func.vmap(lambda each: torch.func.jvp(bent, (x,), (each,))[1])(ways)
        return [one, second, several, forward, mapped]

    expected = slopes()
    pack_linears(linear)
    for found, wanted in zip(slopes(), expected, strict=True):
        assert_close(found, wanted, atol=2e-5, rtol=1e-5)
    assert bool(by_onednn) == (3 * rows >= FEWEST_ROWS)  # three ways of 20 rows are enough for it


@needs_avx512
def test_slopes_of_slopes_take_no_third_copy(linear: nn.Linear, monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[torch.Size] = []
    reorder = torch.ops.mkldnn._reorder_linear_weight

    def watched(weight: Tensor) -> Tensor:
        copies.append(weight.shape)
        packed: Tensor = reorder(weight)
        return packed

    monkeypatch.setattr(torch.ops.mkldnn, "_reorder_linear_weight", watched)
    pack_linears(linear)
    x = numbers(ROWS, 24).requires_grad_()
    (one,) = torch.autograd.grad(linear(x).sin().sum(), x, create_graph=True)
    (two,) = torch.autograd.grad(one.sin().sum(), x, create_graph=True)
    two.sin().sum().backward()
    assert sorted(copies) == [(24, 40), (40, 24)]


@needs_avx512
def test_packed_layers_have_no_slopes_along_their_weights(linear: nn.Linear) -> None:
    pack_linears(linear)
    x = numbers(ROWS, 24).requires_grad_()
    linear(x).sum().backward()
    assert x.grad is not None
    assert linear.weight.grad is None


@needs_avx512
def test_packing_again_changes_nothing(linear: nn.Linear) -> None:
    assert pack_linears(linear)
    packed = vars(linear)["forward"]
    assert pack_linears(linear)
    assert vars(linear)["forward"] is packed


@needs_avx512
def test_a_packed_model_gives_the_numbers_that_it_gave(by_onednn: list[int]) -> None:
    plain, packed = (encoder.load("scratch-untrained") for _ in range(2))
    assert packed.pack() is packed
    tokens = plain.tokenize("time flies like an arrow " * 8)
    expected, found = (model.run(tokens) for model in (plain, packed))
    np.testing.assert_allclose(found.hidden_states, expected.hidden_states, atol=2e-5)
    assert by_onednn
    by_onednn.clear()
    short = plain.tokenize("time flies")
    wanted, values = (
        integrated_gradients(model, short, ClassQuantity(0), path=Path(16)).values for model in (plain, packed)
    )
    np.testing.assert_allclose(values, wanted, atol=1e-6)
    assert len(by_onednn) == 2 * (6 * plain.num_layers)  # the products of 16 texts of 4 tokens, there and back


@needs_avx512
def test_a_packed_model_takes_one_thread_for_three_times_as_much() -> None:
    plain, packed = encoder.load("scratch-untrained"), encoder.load("scratch-untrained").pack()
    tokens = SMALL_PACKED // plain.multiplications(1)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        for model, count, threads in ((plain, tokens, 3), (packed, tokens, 1), (packed, tokens + 1, 3)):
            with model.threads(count):
                assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_other_types_than_float32_are_left_to_torch(linear: nn.Linear, dtype: torch.dtype) -> None:
    linear.to(dtype)
    assert not pack_linears(linear)
    assert "forward" not in vars(linear)


def test_nothing_is_packed_without_avx512(linear: nn.Linear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    assert not pack_linears(linear)
    assert "forward" not in vars(linear)
