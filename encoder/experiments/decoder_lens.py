"""DecoderLens: what an encoder-decoder writes if its decoder reads an earlier state of the encoder than the last.

It shows from which layer on the encoder's states hold what this decoder needs, in a form that it can read. A wrong text
does not prove that the information is missing.

Source: Langedijk et al. (2023), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.models.device import device_of
from encoder.shipped.seq2seq import Seq2SeqBackend
from encoder.text.tokens import Tokens
from encoder.transformer.encoder import Encoder
from encoder.transformer.seq2seq import Seq2Seq, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenText:
    """The tokens that the decoder wrote from one state of the encoder; incomplete if the positions ran out."""

    tokens: Tokens
    complete: bool


def decoder_lens(backend: Seq2SeqBackend, tokens: Tokens) -> tuple[WrittenText, ...]:
    """The texts that the decoder writes from the encoder's embeddings, and from its states after each of L layers.

    Returns:
        L + 1 texts; the last is the model's own output.
    """
    model = backend.model
    source_ids = torch.tensor([tokens.ids], device=device_of(model))  # (1, S)
    texts = []
    with backend.threads(len(tokens)):
        by_state = write_from_every_state(model, source_ids)
    for written in by_state:
        ids = written.ids[0].tolist()
        complete = model.end_id in ids
        ids = ids[: ids.index(model.end_id) + 1] if complete else ids
        texts.append(WrittenText(tokens=backend.tokenizer.written(ids), complete=complete))
    return tuple(texts)


@torch.inference_mode()
def write_from_every_state(
    model: Seq2Seq, source_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Written, ...]:
    """Write greedily from the encoder's embeddings, and from its states after each of L layers.

    Args:
        source_ids: (B, S).
    Returns:
        L + 1 results as of `Seq2Seq.write`.
    """
    states = _readable_states(model.encoder, source_ids, attention_mask)
    return tuple(model.write_from(state, attention_mask) for state in states)


def _readable_states(encoder: Encoder, source_ids: Tensor, attention_mask: Tensor | None = None) -> tuple[Tensor, ...]:
    """The encoder's L + 1 hidden states, (B, S, D) each, in the form that the decoder reads.

    A pre-norm encoder ends with a layer norm, and its decoder was trained on normalised states. So the norm is applied
    to earlier states, too. A post-norm encoder has none.
    """
    *earlier, last = encoder(source_ids, None, attention_mask).hidden_states
    return (*(encoder.final_norm(state) for state in earlier), last)
