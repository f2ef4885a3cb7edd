"""Train the small encoder: `python -m encoder.training.train scratch --data FOLDER`.

It reads the data, adds labels from our larger models if configured, trains, and writes the weights, the training steps
and a model card. A small model learns more from a larger one's predictions than from gold labels alone (Hinton et al.
2015), and silver tags on more text raised published noun-verb taggers from 73.9 to 86.4 % (Elkahky et al. 2018).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from encoder.catalogue import load
from encoder.lab.training import data
from encoder.lab.training.data import Review
from encoder.lab.training.examples import (
    NO_LABEL,
    Example,
    encode_homographs,
    encode_reviews,
    encode_tagged,
    encoded,
)
from encoder.lab.training.measuring import DevSets, measure, read_dev_sets
from encoder.lab.training.multitask import CONFIG, Corpus, Settings, Training
from encoder.lab.training.output import (
    BUNDLED_CREDIT,
    CHALLENGE_CREDIT,
    EWT_CREDIT,
    SST_CREDIT,
    Card,
    save_tensors,
    write_card,
)
from encoder.models.base import Backend
from encoder.models.checkpoint import load_bert_folder
from encoder.shipped.bundled import bundled_folder
from encoder.shipped.card import Figure
from encoder.shipped.multi_task import read_step, word_table
from encoder.shipped.names import SCRATCH
from encoder.shipped.probes import load_probes
from encoder.shipped.sentiment import SentimentBackend, load_bundled_sentiment
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.encoder import Encoder

MAX_SHIPPED_STEPS = 12  # steps of the training, the last one included


# Options: what they are called, their placeholder, and what they do.
OPTIONS = {
    "epochs": ("N", "at most so many epochs"),
    "phrases": ("N", "phrases drawn per epoch"),
    "silver_tags": ("P", "tag SST sentences with the bundled model's probe, at least at this probability (0 = do not)"),
    "soft_labels": ("SHARE", "mix the fine-tuned model's predictions into the labels of SST (0 = do not)"),
    "hint_layer": ("N", "train the last states to predict the bundled model's states after N layers (0 = do not)"),
    "homograph_weight": ("W", "weight of words whose context decides between noun and verb"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `python -m encoder.training.train scratch`."""
    for name, (metavar, summary) in OPTIONS.items():
        default = getattr(Settings(), name)
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=type(default), default=default, metavar=metavar, help=summary
        )
    parser.add_argument("--resume", action="store_true", help="resume the training that was interrupted in --out")


def run(args: argparse.Namespace) -> None:
    """Train, and write weights, steps and model card to `args.out`."""
    settings = Settings(config=CONFIG, seed=args.seed, **{name: getattr(args, name) for name in OPTIONS})
    folder = bundled_folder()
    tokenizer = Tokenizer.from_folder(folder)
    corpus, dev_sets = _read_corpus(args.data, tokenizer, settings, args.device), read_dev_sets(args.data)
    training = Training(settings, word_table(folder), device=args.device)
    state = args.out / f"{SCRATCH}-training.pt"
    if args.resume:
        training.resume(state)
    training.run(partial(training.run_epoch, corpus, dev_sets, tokenizer), state=state)
    ship(training, dev_sets, tokenizer, args.out)
    state.unlink()


def _read_corpus(folder: Path, tokenizer: Tokenizer, settings: Settings, device: torch.device) -> Corpus:
    """Encode all training files of the data folder; the teachers that label them, if any, run on the device."""
    sentences = data.read_reviews(data.find_file(folder, "sst_train.tsv"))
    whole_texts = {review.treebank_text for review in sentences}
    phrases = [
        review
        for review in data.read_reviews(data.find_file(folder, "sst_phrases_train.tsv"))
        if review.treebank_text not in whole_texts and review.treebank_text.count(" ") + 1 >= settings.shortest_phrase
    ]
    tagged = data.read_tagged(data.find_file(folder, "ewt_train.jsonl"))
    homographs = data.read_homographs(data.find_file(folder, "noun_verb_homographs.jsonl"))
    smoothing = settings.label_smoothing
    sentence_examples = encode_reviews(tokenizer, sentences, smoothing=smoothing)
    if settings.silver_tags:
        sentence_examples = with_silver_tags(
            load("bundled", device=str(device)), sentences, sentence_examples, confidence=settings.silver_tags
        )
    phrase_examples = encode_reviews(tokenizer, phrases, smoothing=smoothing)
    if settings.soft_labels:
        teacher = load_bundled_sentiment(bundled_folder()).to(device)
        sentence_examples = with_soft_sentiment(teacher, sentence_examples, share=settings.soft_labels)
        phrase_examples = with_soft_sentiment(teacher, phrase_examples, share=settings.soft_labels)
    every_epoch = (
        sentence_examples
        + encode_tagged(tokenizer, tagged)
        + encode_homographs(tokenizer, homographs, weight=settings.homograph_weight)
    )
    if settings.hint_layer:
        every_epoch = with_states(load_bert_folder(bundled_folder()).to(device), settings.hint_layer, every_epoch)
    return Corpus(always=every_epoch, sometimes=phrase_examples)


def ship(training: Training, dev_sets: DevSets, tokenizer: Tokenizer, out: Path) -> None:
    """Write the best weights, earlier steps and the model card, evaluated in their shipped precision."""
    settings, last = training.settings, training.best["step"]
    metadata = {"config": json.dumps(asdict(settings.config)), "step": str(last)}
    final = {name: tensor.half() for name, tensor in training.best["tensors"].items()}
    kept = {
        step: training.kept[step]
        for step in choose_evenly([step for step in training.kept if step < last], MAX_SHIPPED_STEPS - 1)
    }
    save_tensors(out / f"{SCRATCH}.safetensors", final, metadata)
    save_tensors(
        out / f"{SCRATCH}-steps.safetensors",
        {f"{step}/{name}": tensor for step, tensors in kept.items() for name, tensor in tensors.items()},
        metadata | {"steps": json.dumps(sorted(kept))},
    )
    curve = []
    for step in [*sorted(kept), last]:
        tensors = final if step == last else read_step(out / f"{SCRATCH}-steps.safetensors", step)
        with training.using(tensors):
            figures = measure(training.model, tokenizer, dev_sets)
        curve.append({"step": step} | {figure.name: {"value": figure.value, "n": figure.n} for figure in figures})
    write_card(out, SCRATCH, _card_of(training, tuple(figures), curve))


def choose_evenly(steps: Sequence[int], count: int) -> list[int]:
    """At most `count` of the steps, evenly spaced, the first and the last included."""
    places = np.linspace(0, len(steps) - 1, min(count, len(steps))).round().astype(int)
    return [sorted(steps)[place] for place in places]


def _card_of(training: Training, figures: tuple[Figure, ...], curve: list[dict[str, Any]]) -> Card:
    """The model card of a finished training."""
    settings = training.settings
    return Card(
        name=SCRATCH,
        what=(
            "Our own encoder (encoder/transformer/), trained from zero on three tasks at once: sentiment in three "
            "classes and as a score from 0 to 1, both read at [CLS], and the part of speech of every word, read at its "
            "first piece. Its word vectors are not trained: it reads the bundled model's (all-MiniLM-L6-v2), "
            "unchanged, through a projection that it learned. Positions are fixed sines and cosines."
            + _describe_teachers(settings)
        ),
        command=(
            f"python -m encoder.training.train scratch --data FOLDER --seed {settings.seed} "
            + " ".join(f"--{name.replace('_', '-')} {getattr(settings, name)}" for name in OPTIONS)
        ),
        data=(SST_CREDIT, EWT_CREDIT, CHALLENGE_CREDIT, BUNDLED_CREDIT),
        settings=asdict(settings) | {"best_step": training.best["step"], "best_epoch": training.best["epoch"]},
        figures=figures,
        limits=(
            "It read film reviews and their phrases for sentiment: about anything else its answer is a guess.",
            "Its best epoch was chosen by the development sets that the figures are from: they flatter it a little.",
            "It read single texts; of a pair, the second sentence is to it a continuation of the first.",
            "Few of its texts were longer than 60 pieces; beyond that its positions are new to it.",
        ),
        extra={"curve": curve, "history": training.history},
    )


def _describe_teachers(settings: Settings) -> str:
    """Sentences for the card about what the model learned from our other models."""
    sentences = ""
    if settings.hint_layer:
        sentences += (
            " While it trained, a linear map of its last states also had to predict the bundled model's hidden states "
            f"after its layer {settings.hint_layer - 1}; that map is not part of it."
        )
    if settings.silver_tags:
        sentences += (
            " SST sentences, which have no tags, took those that the bundled model's combined probe gives with a "
            f"probability of at least {settings.silver_tags}."
        )
    if settings.soft_labels:
        sentences += (
            f" The fine-tuned bundled model's answers have a share of {settings.soft_labels} in the labels of SST."
        )
    return sentences


def with_silver_tags(
    teacher: Backend, reviews: Sequence[Review], examples: Sequence[Example], *, confidence: float
) -> list[Example]:
    """The reviews' examples, with tags from the teacher's combined probe at a probability of at least `confidence`."""
    probes = load_probes(teacher.name)
    tagged = []
    pairs = zip(reviews, examples, strict=True)
    for review, example in tqdm(pairs, desc="silver tags", total=len(reviews), disable=None, mininterval=5.0):
        trace = teacher.trace(review.text)
        _, probabilities = probes.read(trace)  # (W, 17)
        labels = np.full(len(example.ids), NO_LABEL)
        words = trace.tokens.word_ids
        for token, word in enumerate(words):
            if word is not None and word != words[token - 1] and probabilities[word].max() >= confidence:
                labels[token] = int(probabilities[word].argmax())
        tagged.append(replace(example, tags=labels))
    return tagged


def with_soft_sentiment(
    teacher: SentimentBackend, examples: Sequence[Example], *, share: float, batch_tokens: int = 4096
) -> list[Example]:
    """Examples with the teacher's probabilities and score mixed into their labels, by a share."""
    relabelled = list(examples)
    for indices, _, output in encoded(teacher.encoder, examples, batch_tokens, what="soft labels"):
        states = torch.stack(output.hidden_states, dim=1).cpu().numpy()  # (B, L + 1, T, D)
        for row, index in enumerate(indices):
            example = examples[index]
            prediction = teacher.head.predict(states[row, :, : len(example.ids)])
            if example.sentiment is not None and prediction.probabilities is not None and prediction.score is not None:
                relabelled[index] = replace(
                    example,
                    sentiment=(1 - share) * example.sentiment + np.float32(share) * prediction.probabilities,
                    score=(1 - share) * example.score + share * prediction.score,
                )
    return relabelled


def with_states(
    teacher: Encoder, layer: int, examples: Sequence[Example], *, batch_tokens: int = 4096
) -> list[Example]:
    """The examples with the teacher's hidden states at a layer, standardised per dimension.

    Predicting them gives the student a training signal at every token (Romero et al. 2015, "FitNets"; Jiao et al. 2020,
    "TinyBERT").
    """
    teacher.layers = teacher.layers[:layer]  # later layers are not needed
    states: list[NDArray[np.float16]] = [np.empty(0, np.float16)] * len(examples)
    total, squares, count = torch.zeros(1, dtype=torch.double), torch.zeros(1, dtype=torch.double), 0
    for indices, batch, output in encoded(teacher, examples, batch_tokens, what="teacher's states"):
        hidden = output.hidden_states[layer].cpu()  # (B, T, E)
        real = hidden[batch.mask.bool()].double()  # (n, E)
        total, squares, count = total + real.sum(0), squares + real.square().sum(0), count + len(real)
        for row, index in enumerate(indices):
            states[index] = hidden[row, : len(examples[index].ids)].half().numpy()  # (T, E)
    mean = total / count  # (E,)
    deviation = (squares / count - mean * mean).clamp(min=1e-12).sqrt()  # (E,)
    shift, scale = mean.half().numpy(), deviation.half().numpy()
    return [replace(example, states=(given - shift) / scale) for example, given in zip(examples, states, strict=True)]
