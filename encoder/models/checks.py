"""The checks of a passport: attention, tokens and inputs against those of the library, and the checkpoint.

A check is a function of an opened model. It is called when the passport is first asked for, never while a model is
opened: the first view does not wait for it. What a check needs from the folder is in `model.facts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn

from encoder.measures.word_tags import scheme_in_words
from encoder.models.checkpoint import shapes_only
from encoder.models.device import device_of
from encoder.models.files import read_config
from encoder.models.length_check import check_length
from encoder.models.passport import Check, CheckFunction
from encoder.models.task_heads import labels_of, problems_of_labels
from encoder.models.tensors import own_row, padded, to_numpy
from encoder.models.vector_checks import check_vectors
from encoder.runs.arrays import FloatArray
from encoder.runs.layer_attention import LayerAttention
from encoder.text.tokenizer_file import PROBES, TOKENIZER_FILE
from encoder.text.tokens import Tokens
from encoder.transformer.bert_names import our_name

if TYPE_CHECKING:
    from encoder.models.base import Backend
    from encoder.models.pretrained import PretrainedBackend
    from encoder.runs.trace import Trace

# Short, because every token costs: on one core, a model's weights are read from memory once a run anyway.
TEXT, PAIR = "Rates fell.", ("She sat.", "Why?")
DEFAULTS = {"attention_mask": 1}  # where an input is not given
ROUNDINGS = 128  # of the largest number, that a sum over the width of a model may be off by
MOST_LOSS = 0.05  # of the largest number, in half precision


Expected = tuple[Sequence[FloatArray], FloatArray]  # (H, T, T) weights of each layer, and the last states (T, D)


def _check_attention(opened: Any) -> Check:
    """Weights of all layers and last states against the library's "eager" attention, for a text and a padded pair.

    Our own encoder is compared with the same folder in the library, or with an example that ships.
    """
    name = "Attention"
    if opened.facts.example is not None:
        trace: Trace = opened.facts.example()
        expected: Expected = [trace.weights(layer) for layer in range(trace.num_layers)], trace.hidden_states[-1]
        runs, other = iter([([trace.tokens], [expected])]), "the example that ships"
    elif hasattr(opened, "model") or opened.facts.folder is not None:
        runs, other = _runs_of_library(opened), "transformers in eager mode"
    else:
        said = "It runs in our own encoder, which the tests of Headlight compare with transformers."
        return Check(name=name, outcome="does not apply", sentence=said)
    found = _differences(opened, runs)
    weights, states, largest = found.weights, found.states, max(found.weights, found.states / found.size)
    parameter = next(opened.modules[0].parameters())
    precision = torch.finfo(parameter.dtype).eps if parameter.is_floating_point() else 0.0
    # A layer rounds queries and keys, which moves their products by 2 eps; a weight moves by half of that at most.
    roundings = max(ROUNDINGS, opened.num_layers * found.products)
    allowed = min(roundings * precision, MOST_LOSS)
    if unknown := _unknown_keywords(opened):
        said = (
            f"The model hands {' and '.join(map(repr, unknown))} to its attention function, which Headlight does not "
            f"compute; weights differ from those of {other} by {weights:.0e}."
        )
        return Check(name=name, outcome="differs", sentence=said, value=largest)
    if largest <= allowed:
        said = f"Weights and last states are those of {other}, to within {largest:.0e}."
        return Check(name=name, outcome="holds", sentence=said, value=largest)
    said = (
        f"Weights differ from those of {other} by up to {weights:.2g}, and last states by {states:.2g}: do not rely on "
        "this model's numbers here."
    )
    return Check(name=name, outcome="differs", sentence=said, value=largest)


def _unknown_keywords(opened: Any) -> tuple[str, ...]:
    if not hasattr(opened, "model"):
        return ()
    from encoder.models.pretrained_points import unknown_keywords  # imports transformers, which takes seconds

    return unknown_keywords(opened.model)


class _Differences(NamedTuple):
    """The largest difference of weights and of last states, the size of these states, and of queries times keys."""

    weights: float
    states: float
    size: float
    products: float


@torch.inference_mode()
def _differences(opened: Backend, runs: Iterable[tuple[list[Tokens], list[Expected]]]) -> _Differences:
    """Those of all texts; sizes are at least 1."""
    of_weights, of_states, size, products = 0.0, 0.0, 1.0, 1.0
    for texts, expected in runs:
        for trace, (weights, last) in zip(opened._run_checked(texts), expected, strict=True):
            for layer, theirs in zip(range(trace.num_layers), weights, strict=False):
                of_weights = max(of_weights, float(np.abs(trace.weights(layer) - theirs).max()))
                products = max(products, _largest_product(trace.layers[layer]))
            of_states = max(of_states, float(np.abs(trace.hidden_states[-1] - last).max()))
            size = max(size, float(np.abs(last).max()))
    return _Differences(of_weights, of_states, size, products)


def _largest_product(layer: LayerAttention) -> float:
    """The length of the longest query times that of the longest key, scaled; 0 where there are only weights."""
    if layer.given_weights is not None:
        return 0.0
    lengths = (np.linalg.norm(layer.captured(name), axis=-1).max() for name in ("query", "key"))
    return float(np.prod([*lengths])) * layer.scaling


@torch.inference_mode()
def _runs_of_library(opened: Any) -> Iterator[tuple[list[Tokens], list[Expected]]]:
    """A text and a pair in one batch, padded, as the library runs them; in two if the model has a decoder."""
    is_own = not hasattr(opened, "model")
    twin = _as_bert(opened.encoder, opened.facts.folder) if is_own else _in_eager_mode(opened.model)
    texts = [opened.tokenize(TEXT), opened.tokenize(*PAIR)]
    for rows in opened._batches(texts):
        some = [texts[row] for row in rows]
        batch = padded(some, pad_id=opened.pad_id, device=device_of(opened.modules[0]))
        if is_own:
            output = twin(**batch._asdict(), output_attentions=True, output_hidden_states=True)
        else:
            output = opened._output(twin, batch, attentions=True)
        counts = [len(tokens) for tokens in some]
        yield some, [(_weights_of(output, *each), _last_of(output, *each)) for each in enumerate(counts)]


def _weights_of(output: Any, row: int, count: int) -> list[FloatArray]:
    return [own_row(to_numpy(weights), row, count)[..., :count] for weights in output.attentions]


def _last_of(output: Any, row: int, count: int) -> FloatArray:
    return to_numpy(output.hidden_states[-1][row, :count])


def _as_bert(encoder: nn.Module, folder: Path) -> Any:
    """The `BertModel` of a folder with the weights of our encoder, which it shares."""
    from transformers import BertConfig, BertModel  # takes seconds

    config = BertConfig.from_dict(read_config(folder))
    config._attn_implementation = "eager"
    with shapes_only():
        twin = BertModel(config, add_pooling_layer=False)
    own = encoder.state_dict()
    twin.load_state_dict({name: own[our_name(name)] for name in twin.state_dict()}, assign=True)
    place = device_of(encoder)
    positions = torch.arange(config.max_position_embeddings, device=place)[None]
    twin.embeddings.position_ids, twin.embeddings.token_type_ids = positions, torch.zeros_like(positions)
    return twin.eval()


def _in_eager_mode(model: nn.Module) -> Any:
    """The same model, sharing its weights, with the library's plain attention: runs of the other are not disturbed."""
    shared = {id(tensor): tensor for tensor in chain(model.parameters(), model.buffers())}
    twin = deepcopy(model, shared)
    for module in twin.modules():
        config: Any = getattr(module, "config", None)
        if config is not None:
            config._attn_implementation = "eager"
    return twin.eval()


def _check_tokens(opened: Backend) -> Check:
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


def _check_inputs(opened: PretrainedBackend) -> Check:
    """The ids, token types and mask of a text and a pair against those of the library's own tokenizer."""
    if not hasattr(opened, "model"):
        said = "It runs in our own encoder, which reads ids, token types and the mask."
        return Check(name="Inputs", outcome="does not apply", sentence=said)
    from encoder.models.pretrained_points import num_types_of  # imports transformers, which takes seconds

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


def _check_weights(opened: PretrainedBackend) -> Check:
    """Whether every tensor of the checkpoint is used, and every weight of the model in it."""
    report = opened.facts.weights
    if not report.count:
        return Check(name="Weights", outcome="does not apply", sentence="The model was not read from a checkpoint.")
    if report.remark:
        said = " ".join(filter(None, (report.remark, report.left_out)))
        return Check(name="Weights", outcome="differs", sentence=said, value=len(report.unused))
    said = f"The checkpoint's {report.count:,} tensors fill the model. {report.left_out}".strip()
    return Check(name="Weights", outcome="holds", sentence=said, value=0)


def _check_head(opened: PretrainedBackend) -> Check:
    """Whether classes, tags and scores are what the folder names."""
    if not hasattr(opened, "model"):
        return Check(name="Head", outcome="does not apply", sentence="Its heads, if any, were trained here.")
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
    _check_attention,
    _check_tokens,
    _check_inputs,
    check_length,
    check_vectors,
    _check_weights,
    _check_head,
)
