"""Linear layers by oneDNN, against those of torch."""

import pytest
import torch
from torch import nn

from encoder.models.packed import ROWS, pack_linears

HAS_AVX512 = torch.backends.cpu.get_cpu_capability() == "AVX512"


@pytest.fixture
def linear() -> nn.Linear:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return nn.Linear(24, 40)


@pytest.mark.skipif(not HAS_AVX512, reason="packs nothing without AVX-512")
@pytest.mark.parametrize("shape", [(24,), (1, 24), (ROWS, 24), (3, 50, 24)], ids=str)
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@torch.inference_mode()
def test_packed_layers_give_the_numbers_of_torch(
    linear: nn.Linear, shape: tuple[int, ...], bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not bias:
        linear.bias = None
    x = torch.linspace(-1, 1, torch.Size(shape).numel()).view(shape)
    expected = linear(x)
    pack_linears(nn.Sequential(linear))
    seen: list[int] = []
    multiply = torch.ops.mkldnn._linear_pointwise

    def watched(rows: torch.Tensor, *rest: object) -> torch.Tensor:
        seen.append(len(rows))
        return multiply(rows, *rest)

    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", watched)
    torch.testing.assert_close(linear(x), expected, atol=1e-6, rtol=1e-5)
    assert len(seen) == 1  # oneDNN has computed it
    assert seen[0] % ROWS == 0


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_other_types_than_float32_are_left_to_torch(linear: nn.Linear, dtype: torch.dtype) -> None:
    linear.to(dtype)
    pack_linears(linear)
    assert "forward" not in vars(linear)


def test_nothing_is_packed_without_avx512(linear: nn.Linear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    pack_linears(linear)
    assert "forward" not in vars(linear)
