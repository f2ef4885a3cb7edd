"""Measure a model on labelled occurrences: `python -m encoder.measures.senses FILE --model NAME`.

Prints one JSON object. Rows of the split "train" make a centroid for each word, sense and layer, rows of the split
"test" are scored against those of their word.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from encoder.catalogue import load
from encoder.errors import DataError, HeadlightError, InputError
from encoder.experiments.senses.rows import SenseRow, read_senses
from encoder.measures.senses import SenseAccuracy, commonest, nearest_senses, sense_accuracy
from encoder.models.base import Backend
from encoder.text.occurrences import Positions, positions_of_span
from encoder.text.tokens import Tokens
from encoder.trace import FloatArray

AVERAGES = ("micro", "macro")
NAMED = 20  # rows that are named one by one; the others are counted


def states_of_rows(backend: Backend, rows: Sequence[SenseRow]) -> tuple[list[int], FloatArray]:
    """The states of labelled words, each sentence encoded alone.

    Returns:
        The indices of the N rows whose word the model reads, in order, and (N, L + 1, D) states. A word is left out
        where it was cut off, or where the tokenizer keeps none of its characters.
    """
    located = list(_located(backend, rows))
    states = backend.states_of_words([(tokens, positions) for _, tokens, positions in located])
    return [index for index, _, _ in located], states


def _located(backend: Backend, rows: Sequence[SenseRow]) -> Iterator[tuple[int, Tokens, Positions]]:
    """The rows whose word the model reads: index, tokens, and the word's positions among them."""
    for index, row in enumerate(rows):
        try:
            tokens = backend.tokenize(row.text)
            yield index, tokens, positions_of_span(tokens, row.span)
        except InputError:
            continue


def evaluate_senses(backend: Backend, rows: Sequence[SenseRow]) -> dict[str, Any]:
    """Accuracy over all words and of every word, by layer, with what was left out.

    "micro" is the share of rows, "macro" the mean over senses of the share of a sense's rows.

    A test row is left out where its word has no train rows, or the model does not read it; it is counted and named.
    A sense without train rows can never be right: its rows count as wrong, and it is named.

    Raises:
        DataError: there are no train rows, or no test rows.
    """
    splits = Counter(row.split for row in rows)
    for split in ("train", "test"):
        if not splits[split]:
            raise DataError(f"There are no rows of split {split!r}: {len(rows)} rows are {dict(splits)}.")
    words: dict[str, Any] = {}
    unread: list[SenseRow] = []
    untrained_words: dict[str, int] = {}
    untrained_senses: dict[str, int] = {}
    right, guessed, senses = [], [], []
    for word in tqdm(dict.fromkeys(row.word for row in rows), desc="words", unit=" words", disable=None):
        of_word = [row for row in rows if row.word == word]
        kept, states = states_of_rows(backend, of_word)
        unread += [row for at, row in enumerate(of_word) if at not in set(kept)]
        train = [at for at, index in enumerate(kept) if of_word[index].split == "train"]
        test = [at for at, index in enumerate(kept) if of_word[index].split == "test"]
        of_train, truth = ([of_word[kept[at]].sense for at in part] for part in (train, test))
        if not train:
            untrained_words[word] = len(test)
            continue
        untrained_senses |= Counter(f"{word}: {sense}" for sense in truth if sense not in of_train)
        found = nearest_senses(states[train], of_train, states[test]) == np.array(truth, dtype=str)  # (L + 1, N)
        guess = [sense == commonest(of_train) for sense in truth]
        pairs = [(word, sense) for sense in truth]
        words[word] = _figures(sense_accuracy(found, guess, pairs)) | {
            "senses": {
                sense: {"n_train": of_train.count(sense), "n": truth.count(sense)}
                for sense in dict.fromkeys(of_train + truth)
            }
        }
        right.append(found)
        guessed += guess
        senses += pairs
    overall = np.concatenate(right, axis=1) if right else np.zeros((backend.num_layers + 1, 0), dtype=bool)
    by_layer = {name: [of_word["accuracy"][name] for of_word in words.values() if of_word["n"]] for name in AVERAGES}
    return {
        "model": backend.name,
        "method": "nearest centroid by cosine, per word and sense; no weight is trained",
        "layers": ["embeddings", *(f"L{layer}" for layer in range(backend.num_layers))],
        "all_words": _figures(sense_accuracy(overall, guessed, senses)),
        "mean_over_words": {name: np.mean(rows, axis=0).tolist() if rows else None for name, rows in by_layer.items()},
        "words": words,
        "left_out": {
            "words_without_train_rows": {"n": sum(untrained_words.values()), "words": untrained_words},
            "rows_not_read": {"n": len(unread), "first": [f"{row.where} ({row.split})" for row in unread[:NAMED]]},
        },
        "senses_without_train_rows": {"n": sum(untrained_senses.values()), "senses": untrained_senses},
    }


def _figures(figures: SenseAccuracy) -> dict[str, Any]:
    return {
        "accuracy": {
            "micro": None if figures.micro is None else figures.micro.tolist(),
            "macro": None if figures.macro is None else figures.macro.tolist(),
        },
        "majority_baseline": {"micro": figures.majority_micro, "macro": figures.majority_macro},
        "n": figures.n,
        "n_senses": figures.n_senses,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, measure, print; the exit code is 1 where the file or the model is at fault."""
    parser = argparse.ArgumentParser(
        prog="python -m encoder.measures.senses", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("file", type=Path, help="tab-separated, with the columns split, word, index, sense, text")
    parser.add_argument("--model", required=True, help="a name that `encoder.load` takes, such as bundled")
    args = parser.parse_args(arguments)
    try:
        rows = read_senses(args.file)
        figures = {"file": str(args.file)} | evaluate_senses(load(args.model), rows)
    except HeadlightError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0
