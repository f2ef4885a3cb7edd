"""Evaluate a multi-task model on reviews and tagged words; each figure has n and a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from encoder.lab.training import data
from encoder.lab.training.data import NounVerb, Review, TaggedSentence
from encoder.lab.training.examples import NO_LABEL, encode_reviews, encode_words, encoded
from encoder.lab.training.figures import accuracy, accuracy_figure, sentiment_card_figures, sentiment_figures
from encoder.models.labels import TAG_IDS, TAGS, VERB_LABELS
from encoder.shipped.card import Figure
from encoder.shipped.multi_task import MultiTaskModel
from encoder.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class DevSets:
    """Evaluation data, never trained on."""

    reviews: list[Review]
    tagged: list[TaggedSentence]
    noun_verb: list[NounVerb]


def read_dev_sets(folder: Path) -> DevSets:
    """Read the evaluation data."""
    return DevSets(
        data.read_reviews(data.find_file(folder, "sst_dev.tsv")),
        data.read_tagged(data.find_file(folder, "ewt_dev.jsonl")),
        data.read_noun_verb(data.find_file(folder, "noun_verb_challenge_dev.jsonl")),
    )


def measure(model: MultiTaskModel, tokenizer: Tokenizer, sets: DevSets) -> list[Figure]:
    """All figures; an empty set has none."""
    return [
        *_sentiment_figures(model, tokenizer, sets.reviews),
        *_tag_figures(model, tokenizer, sets.tagged),
        *_noun_verb_figures(model, tokenizer, sets.noun_verb),
    ]


@torch.inference_mode()
def _sentiments(
    model: MultiTaskModel, tokenizer: Tokenizer, reviews: Sequence[Review]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(n, 3) probabilities and (n,) scores."""
    examples = encode_reviews(tokenizer, reviews)
    probabilities, scores = np.zeros((len(examples), 3), np.float32), np.zeros(len(examples), np.float32)
    for indices, batch, output in encoded(model.encoder, examples):
        hidden, ids = output.last_hidden_state, batch.ids.to(output.last_hidden_state.device)  # (B, T, D), (B, T)
        probabilities[indices] = model.heads.classifier(hidden, ids).probabilities.cpu().numpy()
        scores[indices] = model.heads.score(hidden, ids).cpu().numpy()
    return probabilities, scores


@torch.inference_mode()
def word_tags(
    model: MultiTaskModel, tokenizer: Tokenizer, sentences: Sequence[Sequence[str]], wanted: Sequence[Sequence[bool]]
) -> list[NDArray[np.float32]]:
    """(w, 17) probabilities for each sentence, of the wanted words that are not truncated."""
    examples = encode_words(tokenizer, sentences, [[0 if want else NO_LABEL for want in row] for row in wanted])
    tag_probabilities: list[NDArray[np.float32]] = [np.zeros((0, len(TAGS)), np.float32)] * len(examples)
    for indices, batch, output in encoded(model.encoder, examples):
        probabilities = model.heads.tag(output.last_hidden_state).probabilities.cpu().numpy()  # (B, T, 17)
        for row, index in enumerate(indices):
            tag_probabilities[index] = probabilities[row][batch.tags[row].numpy() != NO_LABEL]
    return tag_probabilities


def _sentiment_figures(model: MultiTaskModel, tokenizer: Tokenizer, reviews: Sequence[Review]) -> Sequence[Figure]:
    if not reviews:
        return ()
    probabilities, scores = _sentiments(model, tokenizer, reviews)
    labels, true = np.array([row.sentiment for row in reviews]), np.array([row.score for row in reviews])
    return sentiment_card_figures(sentiment_figures(probabilities, scores, labels, true))


def _tag_figures(model: MultiTaskModel, tokenizer: Tokenizer, sentences: Sequence[TaggedSentence]) -> Sequence[Figure]:
    if not sentences:
        return ()
    words = [row.words for row in sentences]
    tag_probabilities = word_tags(model, tokenizer, words, [[True] * len(row) for row in words])
    # A sentence with a truncated or dropped word counts as wrong.
    right = [
        tags.argmax(1) == np.array(row.tags) if len(tags) == len(row.tags) else np.zeros(len(row.tags), dtype=bool)
        for tags, row in zip(tag_probabilities, sentences, strict=True)
    ]
    truth = np.array([tag for row in sentences for tag in row.tags])
    measured = accuracy(np.concatenate(right), truth, TAGS)
    return (accuracy_figure("tag_accuracy", "Part of speech, 17 tags, accuracy", "EWT dev", measured),)


def _noun_verb_figures(model: MultiTaskModel, tokenizer: Tokenizer, rows: Sequence[NounVerb]) -> Sequence[Figure]:
    if not rows:
        return ()
    wanted = [[index == row.index for index in range(len(row.words))] for row in rows]
    tag_probabilities = word_tags(model, tokenizer, [row.words for row in rows], wanted)
    verb = np.array([bool(len(tags)) and bool(is_verb(tags)[0]) for tags in tag_probabilities])
    truth = np.array([row.is_verb for row in rows], dtype=int)
    measured = accuracy(verb == truth, truth, VERB_LABELS)
    return (
        accuracy_figure(
            "noun_verb_accuracy", "Noun or verb, hard cases, accuracy", "noun-verb challenge dev", measured
        ),
    )


def is_verb(tags: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(w, 17) to (w,): whether VERB is likelier than NOUN."""
    return tags[:, TAG_IDS["VERB"]] > tags[:, TAG_IDS["NOUN"]]
