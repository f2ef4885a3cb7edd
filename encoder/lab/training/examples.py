"""Turn rows of data into padded batches: texts with a sentiment, with tags for some words, or both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from encoder.lab.training.data import Homograph, Review, TaggedSentence
from encoder.models.device import device_of
from encoder.models.tensors import batches_within
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.encoder import Encoder, EncoderOutput

NO_LABEL = -100  # ignored by cross entropy


@dataclass(frozen=True, slots=True)
class Example:
    """One text: its pieces and labels."""

    ids: NDArray[np.int64]  # (T,)
    sentiment: NDArray[np.float32] | None = None  # (3,) probabilities, from a label or a teacher
    score: float = math.nan
    tags: NDArray[np.int64] | None = None  # (T,) tag of each word at its first piece, NO_LABEL elsewhere
    tag_weight: float = 1.0  # weight of its tags in the loss
    states: NDArray[np.float16] | None = None  # (T, E) a teacher's states, standardised


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts padded to one length."""

    ids: Tensor  # (B, T)
    mask: Tensor  # (B, T)
    sentiment: Tensor  # (B, 3), rows of 0 where unknown
    score: Tensor  # (B,), NaN where unknown
    tags: Tensor  # (B, T)
    tag_weights: Tensor  # (B, T)
    states: Tensor | None  # (n, E) of the tokens where `has_state` is True, row by row
    has_state: Tensor  # (B, T)


# From rows to examples ----------------------------------------------------------------------------------------------


def encode_reviews(tokenizer: Tokenizer, reviews: Sequence[Review], *, smoothing: float = 0.0) -> list[Example]:
    """Texts with their class and score."""
    if not reviews:
        return []
    encoded = tokenizer.inner([review.text for review in reviews], truncation=True, max_length=tokenizer.max_length)
    targets = np.eye(3, dtype=np.float32) * (1 - smoothing) + np.float32(smoothing / 3)
    return [
        Example(np.array(ids), sentiment=targets[review.sentiment], score=review.score)
        for ids, review in zip(encoded["input_ids"], reviews, strict=True)
    ]


def encode_words(
    tokenizer: Tokenizer, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[int]]
) -> list[Example]:
    """Lists of words with a tag each; NO_LABEL = unknown."""
    if not sentences:
        return []
    encoded = tokenizer.inner(
        [list(words) for words in sentences],
        is_split_into_words=True,
        truncation=True,
        max_length=tokenizer.max_length,
    )
    examples = []
    for row, known in enumerate(tags):
        labels = np.full(len(encoded["input_ids"][row]), NO_LABEL)
        previous = None
        for token, word in enumerate(encoded.word_ids(row)):
            if word is not None and word != previous:
                labels[token] = known[word]
            previous = word
        examples.append(Example(np.array(encoded["input_ids"][row]), tags=labels))
    return examples


def encode_as_typed(tokenizer: Tokenizer, sentences: Sequence[TaggedSentence]) -> list[Example]:
    """Sentences as typed ("don't"), with each word's tag at the first piece that starts within it."""
    texts, starts = [], []
    for sentence in sentences:
        text, begins = "", []
        for word, space in zip(sentence.words, sentence.space_after, strict=True):
            begins.append(len(text))
            text += word + " " * space
        texts.append(text)
        starts.append(begins)
    if not texts:
        return []
    encoded = tokenizer.inner(texts, truncation=True, max_length=tokenizer.max_length, return_offsets_mapping=True)
    examples = []
    for row, sentence in enumerate(sentences):
        offsets = np.array(encoded["offset_mapping"][row])  # (T, 2)
        words = np.searchsorted(starts[row], offsets[:, 0], side="right") - 1  # (T,)
        labels = np.full(len(offsets), NO_LABEL)
        seen: set[int] = set()
        for token, word in enumerate(words):
            if offsets[token, 1] > offsets[token, 0] and word not in seen:  # [CLS] and [SEP] are empty
                labels[token] = sentence.tags[word]
                seen.add(int(word))
        examples.append(Example(np.array(encoded["input_ids"][row]), tags=labels))
    return examples


def encode_tagged(tokenizer: Tokenizer, sentences: Sequence[TaggedSentence]) -> list[Example]:
    """Tagged sentences word by word, and also as typed if that gives other pieces, as in "don't"."""
    word_by_word = encode_words(tokenizer, [row.words for row in sentences], [row.tags for row in sentences])
    typed = encode_as_typed(tokenizer, sentences)
    return word_by_word + [
        typed_example
        for split_example, typed_example in zip(word_by_word, typed, strict=True)
        if not np.array_equal(split_example.ids, typed_example.ids)
    ]


def encode_homographs(tokenizer: Tokenizer, rows: Iterable[Homograph], *, weight: float = 1.0) -> list[Example]:
    """The balanced training rows, with the tag of their target word only."""
    kept = [row for row in rows if row.split == "train" and row.balanced]
    tags = [[row.tag if index == row.index else NO_LABEL for index in range(len(row.words))] for row in kept]
    examples = encode_words(tokenizer, [row.words for row in kept], tags)
    return [replace(example, tag_weight=weight) for example in examples]


# Batches ------------------------------------------------------------------------------------------------------------


def batches_of(examples: Sequence[Example], budget: int, random: np.random.Generator | None = None) -> list[list[int]]:
    """Batches of examples of similar length, as indices, of at most `budget` pieces including padding.

    With a generator, texts of similar length are mixed at random, and the batches are shuffled.
    """
    lengths = np.array([len(example.ids) for example in examples])
    noise = random.random(len(lengths)) * 2 if random else np.zeros(len(lengths))
    order = np.argsort(lengths + noise, kind="stable")
    batches = batches_within(order.tolist(), lengths.tolist(), budget)
    if random:
        random.shuffle(batches)
    return batches


@torch.inference_mode()
def encoded(
    encoder: Encoder, examples: Sequence[Example], budget: int = 4096, *, what: str | None = None
) -> Iterator[tuple[list[int], Batch, EncoderOutput]]:
    """Batches of examples, with their indices and the encoder's output; shows progress if `what` is given."""
    device = device_of(encoder)
    batches = batches_of(examples, budget)
    for indices in tqdm(batches, desc=what, disable=None if what else True, mininterval=5.0):
        batch = collate([examples[index] for index in indices])
        yield indices, batch, encoder(batch.ids.to(device), None, batch.mask.to(device))


def collate(examples: Sequence[Example]) -> Batch:
    """Pad examples to one length."""
    count, length = len(examples), max(len(example.ids) for example in examples)
    ids, mask = np.zeros((count, length), np.int64), np.zeros((count, length), np.int64)
    tags = np.full((count, length), NO_LABEL)
    sentiment = np.zeros((count, 3), np.float32)
    for row, example in enumerate(examples):
        ids[row, : len(example.ids)] = example.ids
        mask[row, : len(example.ids)] = 1
        if example.tags is not None:
            tags[row, : len(example.ids)] = example.tags
        if example.sentiment is not None:
            sentiment[row] = example.sentiment
    score = np.array([example.score for example in examples], np.float32)
    weights = np.broadcast_to(np.array([[example.tag_weight] for example in examples], np.float32), tags.shape).copy()
    teacher_states = [example.states for example in examples if example.states is not None]
    has_state = np.array([[example.states is not None] for example in examples]) & (mask == 1)
    return Batch(
        ids=torch.from_numpy(ids),
        mask=torch.from_numpy(mask),
        sentiment=torch.from_numpy(sentiment),
        score=torch.from_numpy(score),
        tags=torch.from_numpy(tags),
        tag_weights=torch.from_numpy(weights),
        states=torch.from_numpy(np.concatenate(teacher_states)).float() if teacher_states else None,
        has_state=torch.from_numpy(has_state),
    )
