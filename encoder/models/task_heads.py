"""The heads of models of `transformers`: their logits for a batch, and their predictions for a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch import Tensor

from encoder.errors import InputError
from encoder.models.files import quoted
from encoder.models.mask_candidates import likeliest_words, masked_positions
from encoder.models.reranker import Activation
from encoder.models.tensors import to_numpy
from encoder.runs.trace import UNUSED_HEAD, Prediction, TokenPrediction
from encoder.text.given import Reads
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Text, Tokens

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

HeadKind = Literal["classes", "tags", "replaced", "span", "mask", "choices", "next sentence"]
# The head of a class, by the end of its name; longer ends first.
HEADS: dict[str, HeadKind] = {
    "ForSequenceClassification": "classes",
    "ForTokenClassification": "tags",
    "ForQuestionAnswering": "span",
    "ForMultipleChoice": "choices",
    "ForNextSentencePrediction": "next sentence",
    "ElectraForPreTraining": "replaced",
    "ForMaskedLM": "mask",
}
MULTI_LABEL = "Each probability is independent: several labels may hold at once, so they need not sum to 1."
NEXT_SENTENCE = ("B follows A", "B is from another text")
REPLACED = ("original", "replaced")
NEEDS_CHOICES = (
    "This model compares choices: type what they continue in A and at least two choices in B, on lines of their own or "
    "with | between them, and read A and B together."
)
SHOWN_CHOICE = "The choices in B are compared: the attention shown is that of A with the likeliest one."
MOST_CHOICES = 20
MOST_NAMED = 6
LOGIT = Activation()


class HeadLogits(NamedTuple):
    """The output of a head for a batch: one row of logits for each text, or for each token."""

    of_text: Tensor | None = None  # (B, C)
    of_tokens: Tensor | None = None  # (B, T, C)

    def of_row(self, row: int, length: int) -> HeadLogits:
        """Of one text, as a batch of one without padding."""
        of_text, of_tokens = (None if logits is None else logits[row : row + 1] for logits in self)
        return HeadLogits(of_text, None if of_tokens is None else of_tokens[:, :length])


def head_of(class_name: str) -> HeadKind | None:
    """The head of a class of `transformers`; None for a class without one that is supported."""
    return next((kind for end, kind in HEADS.items() if class_name.endswith(end)), None)


def reads_of(kind: HeadKind | None, config: PreTrainedConfig) -> Reads:
    """What a list of two strings is to a head: a pair to rerankers, readers, and classifiers of entailment."""
    if kind in ("tags", "replaced"):
        return "words"
    ranks = config.num_labels == 1 and config.problem_type != "regression"
    entails = any("entail" in name.lower() for name in labels_of(config))
    return (
        "pairs"
        if (kind == "classes" and (ranks or entails)) or kind in ("span", "choices", "next sentence")
        else "texts"
    )


def logits_of(kind: HeadKind | None, output: Any) -> HeadLogits:
    """The logits in the output of a model.

    A discriminator gives one logit, that of "replaced" against "original": the other logit is 0.
    """
    if kind is None:
        return HeadLogits()
    if kind == "span":
        return HeadLogits(of_tokens=torch.stack((output.start_logits, output.end_logits), -1))
    logits: Tensor = output.logits
    if kind == "replaced":
        return HeadLogits(of_tokens=torch.stack((torch.zeros_like(logits), logits), -1))
    return HeadLogits(of_tokens=logits) if kind in ("tags", "mask") else HeadLogits(of_text=logits)


def prediction_of(
    kind: HeadKind, config: PreTrainedConfig, logits: Tensor, activation: Activation = LOGIT
) -> Prediction:
    """The prediction of a head that reads the whole text.

    Args:
        logits: (C,); of one choice, if the head compares choices.
        activation: what makes the score of a single logit.
    """
    values = to_numpy(logits)
    if kind == "next sentence":
        return Prediction(labels=NEXT_SENTENCE, logits=values, probabilities=to_numpy(logits.softmax(-1)))
    if len(values) == 1:
        if kind == "choices":
            score = float(values[0])
            return Prediction(labels=("score",), logits=values, probabilities=None, score=score, of="choices")
        score = float(activation(logits)[0])
        return Prediction(labels=("score",), logits=values, probabilities=None, score=score, note=activation.note)
    labels = labels_of(config)
    if config.problem_type == "regression":
        return Prediction(labels=labels, logits=values, probabilities=None)
    if config.problem_type == "multi_label_classification":
        shares = to_numpy(logits.sigmoid())
        return Prediction(labels=labels, logits=values, probabilities=shares, note=MULTI_LABEL, of="labels")
    return Prediction(labels=labels, logits=values, probabilities=to_numpy(logits.softmax(-1)))


def token_prediction_of(
    kind: HeadKind, config: PreTrainedConfig, logits: Tensor, tokens: Tokens, tokenizer: Tokenizer
) -> TokenPrediction:
    """The prediction of a head that reads each token.

    Args:
        logits: (T, C), or (T, V) of a head for masked words.
    """
    if kind == "mask":
        positions = masked_positions(tokenizer, tokens)
        return likeliest_words(logits[list(positions)], positions, tokenizer)
    names = {"span": ("start", "end"), "replaced": REPLACED}
    return TokenPrediction(
        task="span" if kind == "span" else "tags",
        positions=tuple(range(len(tokens))),
        logits=to_numpy(logits),
        labels=names.get(kind) or labels_of(config),
    )


def choices_in(text: Text | None) -> tuple[str, ...]:
    """The choices in a text, which are on lines of their own or have a vertical bar between them. Raises InputError."""
    if not isinstance(text, str):
        return ()
    choices = tuple(part.strip() for line in text.splitlines() for part in line.split("|") if part.strip())
    if len(choices) > MOST_CHOICES:
        raise InputError(f"There are {len(choices)} choices in B; at most {MOST_CHOICES} are compared.")
    return choices


def labels_of(config: PreTrainedConfig) -> tuple[str, ...]:
    """The names of the C classes or tags: their numbers where there is no name, and behind a name that occurs twice."""
    names = [str(config.id2label.get(index) or "").strip() or str(index) for index in range(config.num_labels)]
    counts = Counter(map(str.lower, names))
    return tuple(f"{name} ({index})" if counts[name.lower()] > 1 else name for index, name in enumerate(names))


def problems_of_labels(config: PreTrainedConfig) -> str:
    """What is wrong with the names of the classes, in full sentences; "" if nothing is."""
    found, names = [], config.id2label
    counts = Counter(str(name).strip().lower() for name in names.values())
    if twice := [str(name) for name in dict.fromkeys(names.values()) if counts[str(name).strip().lower()] > 1]:
        found.append(f"The name {quoted(twice[0])} is that of several classes: their numbers stand behind it.")
    if unnamed := [index for index in range(config.num_labels) if not str(names.get(index) or "").strip()]:
        found.append(f"id2label has no name for {', '.join(map(str, unnamed[:MOST_NAMED]))}: a number is shown there.")
    if beyond := sorted(set(names) - set(range(config.num_labels))):
        found.append(f"id2label names {beyond[0]}, and the head's classes are 0 to {config.num_labels - 1}.")
    own = {str(name): str(index) for index, name in names.items()}
    other = {str(name): str(index) for name, index in (config.label2id or {}).items()}
    if set(own) == set(other) and own != other and not twice:
        name = next(name for name in own if own[name] != other[name])
        found.append(f"{quoted(name)} is {own[name]} in id2label, which is used, and {other[name]} in label2id.")
    return " ".join(found)


# The task of a class of `transformers`, by the suffix of its name; longer suffixes first.
TASKS = {
    "ForTokenClassification": "for token classification",
    "ForQuestionAnswering": "for question answering",
    "ForMultipleChoice": "for multiple choice",
    "ForNextSentencePrediction": "for next-sentence prediction",
    "ElectraForPreTraining": "for finding replaced tokens",
    "ForPreTraining": "for pretraining",
    "ForMaskedLM": "for masked words",
    "WithLMHeadModel": "for masked words",
    "ForCausalLM": "for the next token",
    "LMHeadModel": "for the next token",
    "ForConditionalGeneration": "for the next token",
    "ForSequenceClassification": "for the classes of a text",
}


def unused_head(architectures: Iterable[str] | None, used: str, *, lacks: bool = False) -> str:
    """A note on a checkpoint's head that is not used, or "".

    Args:
        architectures: the classes in its config.json.
        used: the class that it was loaded as.
        lacks: whether the checkpoint does not have the weights of that head.
    """
    for name in architectures or ():
        task = next((task for ending, task in TASKS.items() if name.endswith(ending)), None)
        if task and name != used and name.isidentifier():
            if lacks:
                return f"The checkpoint has no head {task}, which its config.json names ({name}): its encoder is shown."
            if used.endswith("ForMaskedLM") and name.endswith("ForPreTraining"):
                return f"{UNUSED_HEAD} for pairs of sentences ({name}) is not used here: its head for masked words is."
            return f"{UNUSED_HEAD} {task} ({name}) is not used here: what is shown is its encoder."
    return ""
