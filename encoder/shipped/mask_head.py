"""The head for masked words that was trained here on the bundled model's frozen states.

It reads the states of a masked token after every layer and scores each piece of the vocabulary by the model's own word
vectors. The model itself never learned to fill in words.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import CheckpointError
from encoder.models.files import usual_name
from encoder.models.threads import preserve_random_state
from encoder.shipped.mask_accuracy import MASK_HEADS
from encoder.shipped.names import WEIGHTS
from encoder.shipped.weights_file import dequantised, read_weights
from encoder.transformer.restoring import restore_weights


class MaskHead(nn.Module):
    """Two layers on the states of a token, a layer norm, and word vectors as the output matrix.

    It was trained to read the token's first states alone, too: the later ones are replaced by their mean, `absent`.
    """

    absent: Tensor

    def __init__(self, absent: Tensor, hidden: int, vocabulary: int) -> None:
        """`absent`: (L + 1, D)."""
        super().__init__()
        states, width = absent.shape
        self.register_buffer("absent", absent)
        self.read = nn.Linear(states * width, hidden)
        self.write = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, states: Tensor, *, dropout: float = 0.0) -> Tensor:
        """The vector that word vectors are compared with.

        Args:
            states: (N, L + 1, D) of the masked tokens.
        Returns:
            (N, D).
        """
        read = F.gelu(self.read(states.flatten(1)))  # (N, hidden)
        return self.norm(self.write(F.dropout(read, dropout, self.training)))

    def logits(self, hidden_states: Tensor, position: int, table: Tensor, *, after: int | None = None) -> Tensor:
        """The logits of the vocabulary at a masked token of N texts of one length.

        Args:
            hidden_states: (L + 1, N, T, D).
            table: (V, D) word vectors.
            after: index of the last hidden state of the masked token that is read; None = all.
        Returns:
            (N, V).
        """
        states = hidden_states[:, :, position].transpose(0, 1)  # (N, L + 1, D)
        if after is not None:
            states = torch.cat((states[:, : after + 1], self.absent[after + 1 :].expand(len(states), -1, -1)), 1)
        return self(states) @ table.T + self.bias


@cache
@torch.inference_mode(False)  # also where a trace loads it: gradients flow through it later
def load_mask_head(model_name: str, folder: Path = WEIGHTS, *, device: str = "cpu") -> MaskHead:
    """The head for masked words of a model that ships; each device has its own.

    Raises:
        CheckpointError: its file is missing or corrupt.
    """
    path = folder / f"{MASK_HEADS[usual_name(model_name)]}.safetensors"
    tensors = dequantised(read_weights(path)[0])
    try:
        (hidden,), (vocabulary,) = tensors["read.bias"].shape, tensors["bias"].shape
        with preserve_random_state():  # initial weights are drawn, then replaced
            head = MaskHead(tensors["absent"], hidden, vocabulary)
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"The head for masked words {path.name} is none of ours: {error!r}.") from error
    restore_weights(head.state_dict(), tensors, where=str(path))
    return head.eval().requires_grad_(False).to(device)
