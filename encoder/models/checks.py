"""The checks of a passport that every model of `transformers` gets: its attention against the library's own.

A check is a function of an opened model. It is called when the passport is first asked for, never while a model is
opened: the first view does not wait for it. What a check needs from the folder is in `model.facts`.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from encoder.measures.word_tags import scheme_in_words
from encoder.models.device import device_of
from encoder.models.length_check import check_length
from encoder.models.passport import Check, CheckFunction
from encoder.models.pretrained_points import num_types_of, unknown_keywords
from encoder.models.task_heads import labels_of, problems_of_labels
from encoder.models.tensors import own_row, padded, to_numpy
from encoder.models.vector_checks import check_vectors
from encoder.text.tokenizer_file import PROBES, TOKENIZER_FILE
from encoder.text.tokens import Tokens

if TYPE_CHECKING:
    from encoder.models.pretrained import PretrainedBackend

TEXT, PAIR = "The bank raised its rates.", ("She sat on the bank.", "Was the river cold?")
DEFAULTS = {"attention_mask": 1}  # where an input is not given
ROUNDINGS = 128  # of the largest number, that a sum over the width of a model may be off by
MOST_LOSS = 0.05  # of the largest number, in half precision


def check_attention(opened: PretrainedBackend) -> Check:
    """Weights of all layers and last states against the library's "eager" attention, for a text and a padded pair."""
    texts = [opened.tokenize(TEXT), opened.tokenize(*PAIR)]
    weights, states, size = _differences(opened, texts)
    parameter = next(opened.model.parameters())
    precision = torch.finfo(parameter.dtype).eps if parameter.is_floating_point() else 0.0
    largest, allowed = max(weights, states / size), min(ROUNDINGS * precision, MOST_LOSS)
    if unknown := unknown_keywords(opened.model):
        said = (
            f"The model hands {' and '.join(map(repr, unknown))} to its attention function, which Headlight does not "
            f"compute; weights differ from those of transformers in eager mode by {weights:.0e}."
        )
        return Check(name="Attention", outcome="differs", sentence=said, value=largest)
    if largest <= allowed:
        said = f"Weights and last states are those of transformers in eager mode, to within {largest:.0e}."
        return Check(name="Attention", outcome="holds", sentence=said, value=largest)
    said = (
        f"Weights differ from those of transformers in eager mode by up to {weights:.2g}, and last states by "
        f"{states:.2g}: do not rely on this model's numbers here."
    )
    return Check(name="Attention", outcome="differs", sentence=said, value=largest)


@torch.inference_mode()
def _differences(opened: PretrainedBackend, texts: list[Tokens]) -> tuple[float, float, float]:
    """The largest difference of weights and of last states, and the size of these states, at least 1."""
    twin = in_eager_mode(opened.model)
    of_weights, of_states, size = 0.0, 0.0, 1.0
    for rows in opened._batches(texts):  # one, padded, unless the model has a decoder
        some = [texts[row] for row in rows]
        batch = padded(some, pad_id=opened.pad_id, device=device_of(opened.model))
        expected = opened._output(twin, batch, attentions=True)
        for row, trace in enumerate(opened._run_checked(some, ())):
            count = len(trace.tokens)
            for layer, weights in zip(range(trace.num_layers), expected.attentions, strict=False):
                theirs = own_row(to_numpy(weights), row, count)[..., :count]  # (H, T, T)
                of_weights = max(of_weights, float(np.abs(trace.weights(layer) - theirs).max()))
            last = to_numpy(expected.hidden_states[-1][row, :count])  # (T, D)
            of_states = max(of_states, float(np.abs(trace.hidden_states[-1] - last).max()))
            size = max(size, float(np.abs(last).max()))
    return of_weights, of_states, size


def in_eager_mode(model: nn.Module) -> Any:
    """The same model, sharing its weights, with the library's plain attention: runs of the other are not disturbed."""
    shared = {id(tensor): tensor for tensor in chain(model.parameters(), model.buffers())}
    twin = deepcopy(model, shared)
    for module in twin.modules():
        config: Any = getattr(module, "config", None)
        if config is not None:
            config._attn_implementation = "eager"
    return twin.eval()


def check_tokens(opened: PretrainedBackend) -> Check:
    """Short texts as the tokenizer cuts them against the folder's tokenizer.json."""
    tokenizer, name = opened.tokenizer, "Tokens"
    if tokenizer.folder is None:
        return Check(name=name, outcome="does not apply", sentence="The tokenizer is not from a folder.")
    if tokenizer.remark:
        return Check(name=name, outcome="differs", sentence=tokenizer.remark)
    if not (tokenizer.folder / TOKENIZER_FILE).exists():
        said = f"The folder has no {TOKENIZER_FILE}: the tokenizer is what transformers makes of its vocabulary."
        return Check(name=name, outcome="does not apply", sentence=said)
    if found := tokenizer.differs_from_file():
        said = f"“{found.text}” is cut into {found.cuts[0]}, and by the folder's {TOKENIZER_FILE} into {found.cuts[1]}."
        return Check(name=name, outcome="differs", sentence=said)
    said = f"{len(PROBES)} short texts and a pair are cut as the folder's {TOKENIZER_FILE} says."
    return Check(name=name, outcome="holds", sentence=said, value=0)


def check_inputs(opened: PretrainedBackend) -> Check:
    """The ids, token types and mask of a text and a pair against those of the library's own tokenizer."""
    for texts in ((TEXT,), PAIR):
        batch = padded([opened.tokenize(*texts)], pad_id=opened.pad_id)
        ours = {key: rows.flatten().tolist() for key, rows in opened._inputs(batch).items()}
        theirs = opened.tokenizer.library_inputs(*texts)
        if num_types_of(opened.model) <= max(theirs.get("token_type_ids", (0,))):
            theirs.pop("token_type_ids", None)  # the model takes none of them
        for key in ours.keys() | theirs.keys():
            given, expected = (
                found.get(key) or [DEFAULTS.get(key, 0)] * len(batch.input_ids[0]) for found in (ours, theirs)
            )
            if given != expected:
                said = f"For “{' '.join(texts)}” the model is given {key} {given}; its own tokenizer gives {expected}."
                return Check(name="Inputs", outcome="differs", sentence=said)
    said = "Ids, token types and mask of a text and a pair are those of the library's own tokenizer."
    return Check(name="Inputs", outcome="holds", sentence=said, value=0)


def check_weights(opened: PretrainedBackend) -> Check:
    """Whether every tensor of the checkpoint is used, and every weight of the model in it."""
    report = opened.facts.weights
    if not report.count:
        return Check(name="Weights", outcome="does not apply", sentence="The model was not read from a checkpoint.")
    if report.remark:
        said = " ".join(filter(None, (report.remark, report.left_out)))
        return Check(name="Weights", outcome="differs", sentence=said, value=len(report.unused))
    said = f"The checkpoint's {report.count:,} tensors fill the model. {report.left_out}".strip()
    return Check(name="Weights", outcome="holds", sentence=said, value=0)


def check_head(opened: PretrainedBackend) -> Check:
    """Whether classes, tags and scores are what the folder names."""
    config, kind = opened.model.config, opened.head
    if kind is None:
        return Check(name="Head", outcome="does not apply", sentence="The model has no head that is shown.")
    named = kind in ("classes", "tags") and config.num_labels > 1
    problems = [problems_of_labels(config) if named else "", opened.activation.problem]
    said = [f"The head gives {config.num_labels} {kind}." if named else f"The head is one for {kind}."]
    if kind == "classes" and not named:
        said = [opened.activation.note or "The score is the head's logit."]
    if kind == "tags":
        said.append(scheme_in_words(labels_of(config)))
    if any(problems):
        return Check(name="Head", outcome="differs", sentence=" ".join(filter(None, (*problems, *said))))
    return Check(name="Head", outcome="holds", sentence=" ".join(said))


CHECKS: tuple[CheckFunction, ...] = (
    check_attention,
    check_tokens,
    check_inputs,
    check_length,
    check_vectors,
    check_weights,
    check_head,
)
