"""Measure a model on labelled occurrences: `python -m encoder.measures.senses FILE --model NAME`.

Prints one JSON object. Rows of the split "train" give a centroid for each word, sense and layer; rows of the split
"test" are classified by the centroids of their word.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from encoder.catalogue import load
from encoder.errors import DataError, reports_errors
from encoder.experiments.senses.rows import SPLITS, SenseRow, read_senses
from encoder.experiments.senses.states import states_of_rows
from encoder.lab.command import command_parser
from encoder.measures.senses import SenseAccuracy, commonest, nearest_senses, sense_accuracy
from encoder.models.base import Backend
from encoder.models.device import add_device_option

AVERAGES = ("micro", "macro")
NAMED = 20  # unread rows that are listed; further ones are only counted


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordScores:
    """How well the senses of one word are distinguished, for N test rows.

    Attributes:
        train_senses, test_senses: the true senses of the rows that the model reads.
        right: (L + 1, N) whether a layer predicts a test row's sense.
        majority: N flags, whether a row's sense is the most frequent one of the train rows.
        unread: the rows whose word the model does not read.
    """

    word: str
    train_senses: list[str]
    test_senses: list[str]
    right: NDArray[np.bool_]
    majority: list[bool]
    unread: list[SenseRow]

    @property
    def senses(self) -> list[tuple[str, str]]:
        """Word and sense of every test row."""
        return [(self.word, sense) for sense in self.test_senses]

    @property
    def untrained_senses(self) -> dict[str, int]:
        """Test rows of each sense that has no train rows."""
        return Counter(f"{self.word}: {sense}" for sense in self.test_senses if sense not in self.train_senses)


def evaluate_senses(backend: Backend, rows: Sequence[SenseRow]) -> dict[str, Any]:
    """Accuracy over all words and for each word, by layer, and the rows that were left out.

    "micro" is the share of rows, "macro" the mean over senses of the share of a sense's rows.

    A test row is left out, and listed, if its word has no train rows or is not read by the model. A sense without train
    rows cannot be predicted: its rows count as wrong, and the sense is listed.

    Raises:
        DataError: there are no train rows, or no test rows.
    """
    splits = Counter(row.split for row in rows)
    for split in SPLITS:
        if not splits[split]:
            raise DataError(f"There are no rows of split {split!r}: {len(rows)} rows are {dict(splits)}.")
    names = dict.fromkeys(row.word for row in rows)
    every_word = [
        _score_word(backend, word, [row for row in rows if row.word == word])
        for word in tqdm(names, desc="words", unit=" words", disable=None)
    ]
    trained = [scores for scores in every_word if scores.train_senses]
    words = {scores.word: _figures_of_word(scores) for scores in trained}
    by_layer = {name: [figures["accuracy"][name] for figures in words.values() if figures["n"]] for name in AVERAGES}
    return {
        "model": backend.name,
        "method": "nearest centroid by cosine, per word and sense; no weight is trained",
        "layers": ["embeddings", *(f"L{layer}" for layer in range(backend.num_layers))],
        "all_words": _figures(_accuracy_of_all(trained, backend.num_layers)),
        "mean_over_words": {name: np.mean(each, axis=0).tolist() if each else None for name, each in by_layer.items()},
        "words": words,
        **_left_out(every_word),
    }


def _score_word(backend: Backend, word: str, rows: Sequence[SenseRow]) -> WordScores:
    """Classify the test rows of a word by the centroids of its train rows."""
    kept, states = states_of_rows(backend, rows)
    read = [rows[index] for index in kept]
    train, test = ([index for index, row in enumerate(read) if row.split == split] for split in SPLITS)
    train_senses, test_senses = ([read[index].sense for index in indices] for indices in (train, test))
    right = np.zeros((backend.num_layers + 1, len(test)), dtype=bool)
    if train:
        right = nearest_senses(states[train], train_senses, states[test]) == np.array(test_senses, dtype=str)
    return WordScores(
        word=word,
        train_senses=train_senses,
        test_senses=test_senses,
        right=right,
        majority=[sense == commonest(train_senses) for sense in test_senses] if train else [],
        unread=[rows[index] for index in sorted(set(range(len(rows))) - set(kept))],
    )


def _accuracy_of_all(words: Sequence[WordScores], num_layers: int) -> SenseAccuracy:
    """The accuracy over the test rows of all words."""
    right = [scores.right for scores in words] or [np.zeros((num_layers + 1, 0), dtype=bool)]
    majority = [flag for scores in words for flag in scores.majority]
    senses = [pair for scores in words for pair in scores.senses]
    return sense_accuracy(np.concatenate(right, axis=1), majority, senses)


def _left_out(words: Sequence[WordScores]) -> dict[str, Any]:
    """The rows that are not scored, and the senses that cannot be predicted."""
    untrained_words = {scores.word: len(scores.test_senses) for scores in words if not scores.train_senses}
    unread = [row for scores in words for row in scores.unread]
    untrained_senses: dict[str, int] = {}
    for scores in words:
        untrained_senses |= scores.untrained_senses if scores.train_senses else {}
    return {
        "left_out": {
            "words_without_train_rows": {"n": sum(untrained_words.values()), "words": untrained_words},
            "rows_not_read": {"n": len(unread), "first": [f"{row.where} ({row.split})" for row in unread[:NAMED]]},
        },
        "senses_without_train_rows": {"n": sum(untrained_senses.values()), "senses": untrained_senses},
    }


def _figures_of_word(scores: WordScores) -> dict[str, Any]:
    train, test = scores.train_senses, scores.test_senses
    senses = {sense: {"n_train": train.count(sense), "n": test.count(sense)} for sense in dict.fromkeys(train + test)}
    return _figures(sense_accuracy(scores.right, scores.majority, scores.senses)) | {"senses": senses}


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


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 for a faulty file or model."""
    parser = command_parser("encoder.measures.senses", __doc__)
    parser.add_argument("file", type=Path, help="tab-separated, with the columns split, word, index, sense, text")
    parser.add_argument("--model", required=True, help="a name that `encoder.load` takes, such as bundled")
    add_device_option(parser)
    args = parser.parse_args(arguments)
    rows = read_senses(args.file)
    figures = {"file": str(args.file)} | evaluate_senses(load(args.model, device=args.device), rows)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
