"""A stand-in for a GPU, so that tests on the CPU notice a tensor that was left behind."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

aten = torch.ops.aten
# On a GPU, too, these take indices and masks that are on the CPU.
INDEXING = (aten.index.Tensor, aten.index_put.default, aten.index_put_.default)


class FarDevice(TorchDispatchMode):
    """Lets torch's meta device stand in for a GPU.

    Its tensors have shapes and no values: those that are brought to the CPU are zeros. An operation on tensors of two
    devices is an error, as it is on a GPU; copies, indices and tensors without an axis are free there, too.
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with self:  # inference mode hands on operations that are made of others
            decomposed = func.decompose(*args, **(kwargs or {}))
        if decomposed is not NotImplemented:
            return decomposed
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        is_far = any(tensor.is_meta for tensor in tensors)
        if func is aten._local_scalar_dense.default and is_far:
            return torch.zeros((), dtype=tensors[0].dtype).item()
        if func is aten._to_copy.default:
            if is_far and torch.device(kwargs.get("device", "meta")).type == "cpu":
                return torch.zeros(args[0].shape, dtype=kwargs.get("dtype", args[0].dtype))
        elif func is aten.copy_.default:
            return func(*args, **(kwargs or {})) if not is_far or args[0].is_meta else args[0].zero_()
        elif func not in INDEXING and len({tensor.device for tensor in tensors if tensor.dim()}) > 1:
            raise AssertionError(f"{func} was given tensors of two devices")
        return func(*args, **(kwargs or {}))
