"""Evaluate a model on files of the public formats: `python -m encoder.training.evaluate --model NAME --sst FILE ...`.

Prints one JSON object. Any subset of the files can be given; each figure has n, the number of examples, and a baseline.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from encoder.catalogue import load
from encoder.errors import UnsupportedModelError, reports_errors
from encoder.lab.command import command_parser
from encoder.lab.training.data import NounVerb, Review, TaggedSentence, read_noun_verb, read_reviews, read_tagged
from encoder.lab.training.figures import accuracy, sentiment_figures
from encoder.models.base import Backend
from encoder.models.device import add_device_option
from encoder.models.labels import SENTIMENTS, TAG_IDS, TAGS, VERB_LABELS
from encoder.runs.trace import Prediction
from encoder.shipped.probes import Probes, load_probes
from encoder.shipped.sentiment import SentimentBackend

NOUN, VERB = TAG_IDS["NOUN"], TAG_IDS["VERB"]
# The least probability at which a word counts as a verb. The challenge set counts gerunds as verbs ("capacity
# planning"), which EWT tags as nouns, and two thirds of its words are verbs. Chosen on the challenge's development
# half.
VERB_THRESHOLD = 0.1


def evaluate_reviews(backend: Backend, reviews: Sequence[Review]) -> dict[str, Any]:
    """Sentiment: two classes (neutral left out), three classes, and the score. Raises UnsupportedModelError."""
    classes, scores = [], []
    for prediction in predictions(backend, [review.text for review in reviews]):
        if prediction is None or prediction.labels != SENTIMENTS or prediction.score is None:
            raise UnsupportedModelError(
                f"{backend.name} has no sentiment head: measure it without --sst, or another model."
            )
        classes.append(prediction.logits)
        scores.append(prediction.score)
    return sentiment_figures(
        np.array(classes),
        np.array(scores),
        np.array([review.sentiment for review in reviews]),
        np.array([review.score for review in reviews]),
    )


def predictions(backend: Backend, texts: Sequence[str]) -> list[Prediction | None]:
    """The prediction of a model for each text; None if it has no head.

    A `SentimentHead` reads hidden states, which are computed in batches of similar length: 8 ms per text on one core,
    while a trace takes 17 ms.
    """
    if not isinstance(backend, SentimentBackend):
        return [backend.trace(text).prediction for text in _progress(texts, "sentiment")]
    tokens = [backend.tokenize(text) for text in texts]
    by_length = sorted(range(len(texts)), key=lambda index: len(tokens[index]))
    states = backend.hidden_states([tokens[index] for index in by_length])  # (L + 1, T, D) each
    by_text = {
        index: backend.head.predict(of_text)
        for index, of_text in zip(_progress(by_length, "sentiment"), states, strict=True)
    }
    return [by_text[index] for index in range(len(texts))]


def _evaluate_tags(backend: Backend, probes: Probes, sentences: Sequence[TaggedSentence]) -> dict[str, Any]:
    """Parts of speech, by each layer's probe (embeddings first) and by the combined one."""
    [(layers, combined)] = predict_tags(backend, [probes], sentences)
    truth = np.array([tag for sentence in sentences for tag in sentence.tags])
    return tag_figures(layers, combined, truth)


def predict_tags(
    backend: Backend, probes: Sequence[Probes], sentences: Sequence[TaggedSentence]
) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """(L + 1, N) and (N,) likeliest tags of all words, by each layer's probe and by the combined one.

    Truncated words have the tag -1.
    """
    layers: list[list[Any]] = [[] for _ in probes]
    combined: list[list[Any]] = [[] for _ in probes]
    for sentence in _progress(sentences, "parts of speech"):
        trace = backend.trace(list(sentence.words))
        for index, probe in enumerate(probes):
            layer_probabilities, combined_probabilities = probe.read(trace)  # (L + 1, W, C), (W, C)
            unread = np.isnan(combined_probabilities[:, 0])  # (W,)
            layers[index].append(np.where(unread, -1, layer_probabilities.argmax(axis=2)))
            combined[index].append(np.where(unread, -1, combined_probabilities.argmax(axis=1)))
    return [(np.concatenate(a, axis=1), np.concatenate(b)) for a, b in zip(layers, combined, strict=True)]


def tag_figures(
    layers: np.ndarray[Any, Any], combined: np.ndarray[Any, Any], truth: np.ndarray[Any, Any]
) -> dict[str, Any]:
    """The figures of (L + 1, N) and (N,) tags against (N,) true ones."""
    return {
        "per_layer": [accuracy(layer == truth, truth, TAGS) for layer in layers],
        "combined": accuracy(combined == truth, truth, TAGS),
    }


def evaluate_noun_verb(backend: Backend, probes: Probes, rows: Sequence[NounVerb]) -> dict[str, Any]:
    """Whether the target is a verb: a probe predicts so if the probability of VERB exceeds `VERB_THRESHOLD`.

    Also the accuracy of the combined probe without the threshold: it predicts a verb if VERB is likelier than NOUN.
    """
    above_threshold, likelier_than_noun, layers_above_threshold = [], [], []
    for row in _progress(rows, "noun or verb"):
        layers, combined = probes.read(backend.trace(list(row.words)))  # (L + 1, W, C), (W, C)
        above_threshold.append(combined[row.index, VERB] > VERB_THRESHOLD)
        likelier_than_noun.append(combined[row.index, VERB] > combined[row.index, NOUN])
        layers_above_threshold.append(layers[:, row.index, VERB] > VERB_THRESHOLD)  # (L + 1,)
    truth = np.array([row.is_verb for row in rows], dtype=int)
    answers = np.array([above_threshold, likelier_than_noun, *np.array(layers_above_threshold).T])  # (L + 3, N)
    all_layers, verb_over_noun, *per_layer = (accuracy(of_probe == truth, truth, VERB_LABELS) for of_probe in answers)
    return {
        "threshold": VERB_THRESHOLD,
        "combined": all_layers,
        "combined_verb_over_noun": verb_over_noun,
        "per_layer": per_layer,
    }


def evaluate(
    backend: Backend, *, sst: Path | None = None, ewt: Path | None = None, noun_verb: Path | None = None
) -> dict[str, Any]:
    """All figures of a model on the given files. Raises HeadlightError."""
    figures: dict[str, Any] = {"model": backend.name}
    if sst is not None:
        figures["sst"] = {"file": str(sst)} | evaluate_reviews(backend, read_reviews(sst))
    if ewt is not None:
        figures["tags"] = {"file": str(ewt)} | _evaluate_tags(backend, load_probes(backend.name), read_tagged(ewt))
    if noun_verb is not None:
        figures["noun_verb"] = {"file": str(noun_verb)} | evaluate_noun_verb(
            backend, load_probes(backend.name), read_noun_verb(noun_verb)
        )
    return figures


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for faulty files or models."""
    parser = command_parser("encoder.training.evaluate", __doc__)
    parser.add_argument("--model", required=True, help="bundled, bundled-sentiment or scratch")
    parser.add_argument("--sst", type=Path, help="sentences with a sentiment score, such as sst_dev.tsv.gz")
    parser.add_argument("--ewt", type=Path, help="tagged sentences, such as ewt_dev.jsonl.gz")
    parser.add_argument("--noun-verb", type=Path, help="the challenge set, such as noun_verb_challenge_dev.jsonl.gz")
    add_device_option(parser)
    args = parser.parse_args(arguments)
    files = {"sst": args.sst, "ewt": args.ewt, "noun_verb": args.noun_verb}
    if not any(files.values()):
        parser.error("name at least one file: --sst, --ewt or --noun-verb")
    figures = evaluate(load(args.model, device=args.device), **files)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0


def _progress(rows: Sequence[Any], what: str) -> Any:
    return tqdm(rows, desc=what, unit=" rows", disable=None)


if __name__ == "__main__":
    sys.exit(main())
