"""Linear layers by oneDNN, against those of torch."""

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from encoder.atlas.build.measuring import FEWEST_ROWS, ROWS, pack_linears

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
def test_packed_layers_give_the_numbers_of_torch(
    linear: nn.Linear, shape: tuple[int, ...], bias: bool, by_onednn: list[int]
) -> None:
    if not bias:
        linear.bias = None
    with torch.inference_mode():
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
    [(33, 64), (97, 128), (128, 128), (129, 192)],
)
def test_rows_are_padded_to_few_sizes(linear: nn.Linear, rows: int, met: int, by_onednn: list[int]) -> None:
    pack_linears(linear)
    linear(numbers(rows, 24))
    assert by_onednn == [met]


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_other_types_than_float32_are_left_to_torch(linear: nn.Linear, dtype: torch.dtype) -> None:
    linear.to(dtype)
    assert not pack_linears(linear)
    assert "forward" not in vars(linear)


def test_nothing_is_packed_without_avx512(linear: nn.Linear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    assert not pack_linears(linear)
    assert "forward" not in vars(linear)
