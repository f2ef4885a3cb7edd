"""A small corpus with trees, the command that builds an atlas of it, and slow loops that count what it counts."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from encoder.atlas.__main__ import main
from encoder.atlas.build.corpus import ROOT, Sentence, Tree
from encoder.atlas.names import HABITS, OFFSETS
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

MODEL = "scratch-untrained"
FLIES = (
    ("Time", "NOUN", 2, "nsubj"),
    ("flies", "VERB", 0, "root"),
    ("like", "ADP", 5, "case"),
    ("an", "DET", 5, "det"),
    ("arrow", "NOUN", 2, "obl"),
    (".", "PUNCT", 2, "punct"),
)
# "antidisestablishmentarianism" has several pieces; "the" occurs twice, once with a capital.
SPLIT = (
    ("The", "DET", 2, "det"),
    ("antidisestablishmentarianism", "NOUN", 3, "nsubj"),
    ("annoys", "VERB", 0, "root"),
    ("the", "DET", 5, "det"),
    ("bureaucrats", "NOUN", 3, "obj"),
)
SHORT = (("Go", "VERB", 0, "root"), ("home", "ADV", 1, "advmod:lmod"))
ALONE = (("Yes", "INTJ", 0, "root"),)
ROWS = (FLIES, SPLIT, SHORT, ALONE)


def sentence_of(row: tuple[tuple[str, str, int, str], ...], number: int = 0) -> Sentence:
    words, tags, heads, relations = zip(*row, strict=True)
    return Sentence(
        where=f"small:{number}",
        name=f"small-{number}",
        document="small",
        words=words,
        tags=tags,
        tree=Tree(heads=tuple(head - 1 for head in heads), relations=relations),
    )


def write_corpus(path: Path, copies: int, *, documents: int = 4) -> Path:
    """A file of JSON lines with every sentence so many times, each a little different, in several documents."""
    lines = []
    for number in range(copies * len(ROWS)):
        words, tags, heads, relations = map(list, zip(*ROWS[number % len(ROWS)], strict=True))
        words[0] = f"{words[0]}{number % 7}"
        name = f"document{number % documents}-{number}"
        row = {"sent_id": name, "words": words, "upos": tags, "head": heads, "deprel": relations}
        lines.append(json.dumps(row))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def command(corpus: Path, out: Path, *more: str) -> list[str]:
    given = ["build", "--model", MODEL, "--corpus", str(corpus), "--out", str(out), "--shard-size", "50"]
    return [*given, "--device", "cpu", "--workers", "1", *more]


def run(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(arguments)
    return (code, *capsys.readouterr())


def word_attention(trace: Trace) -> tuple[FloatArray, list[int | None]]:
    """(L, H, U, U) attention by Clark's rule, and for each of the U units its word, None = special token."""
    units: list[list[int]] = []
    words: list[int | None] = []
    for position, word in enumerate(trace.tokens.word_ids):
        if word is not None and word in words:
            units[words.index(word)].append(position)
        else:
            units.append([position])
            words.append(word)
    weights = np.stack([trace.weights(layer) for layer in range(trace.num_layers)]).astype(np.float64)
    looked_at = np.stack([weights[..., unit].sum(-1) for unit in units], axis=-1)
    return np.stack([looked_at[:, :, unit].mean(-2) for unit in units], axis=-2), words


def slow_habits(trace: Trace, sentence: Sentence) -> tuple[FloatArray, np.ndarray]:
    """(L, H, HABITS) habits of a single sentence, and (HABITS,) which of them it has."""
    attention, words = word_attention(trace)
    habits = np.zeros((*attention.shape[:2], len(HABITS)))
    defined = np.zeros(len(HABITS), dtype=bool)
    queries = [unit for unit, word in enumerate(words) if word is not None]
    for index, habit in enumerate(HABITS):
        shares = []
        for query in queries:
            if habit == "entropy":
                row = attention[:, :, query]
                shares.append(-np.where(row > 0, row * np.log2(np.where(row > 0, row, 1)), 0).sum(-1))
                continue
            keys = [key for key, word in enumerate(words) if looks_there(habit, words[query], word, key, sentence)]
            if keys:
                shares.append(attention[:, :, query, keys].sum(-1))
        if habit == "span":
            distance = np.abs(np.subtract.outer(queries, queries))
            among = attention[:, :, queries][..., queries]
            shares = [(among * distance).sum((-1, -2)) / among.sum((-1, -2))]
        if shares:
            habits[..., index], defined[index] = np.mean(shares, axis=0), True
    return habits, defined


def looks_there(habit: str, query: int | None, key: int | None, unit: int, sentence: Sentence) -> bool:
    """Whether attention from one word to another word or special token is part of a habit, for a single sentence."""
    assert query is not None
    if key is None:
        return habit == ("[CLS]" if unit == 0 else "[SEP] 1")
    if habit.startswith("offset"):
        return key - query == int(habit.split()[1])
    same = sentence.words[key].lower() == sentence.words[query].lower()
    return {
        "itself": key == query,
        "same word": key != query and same,
        "punctuation": sentence.words[key] == ".",
    }.get(habit, False)


def clark_accuracy(trace: Trace, sentence: Sentence, *, transposed: bool) -> tuple[Counter, Counter, np.ndarray]:
    """Clark et al.'s measure as their section 4 describes it: the word that each word attends to most.

    Attention to itself and to special tokens is ignored; a word is right if that word is its head, or, transposed,
    if its head attends to it most. Punctuation and roots are left out.

    Returns:
        By relation how often each head is right, (L, H), how often it could be; and the (L, H, N) words looked at.
    """
    attention, words = word_attention(trace)
    units = [unit for unit, word in enumerate(words) if word is not None]
    among = attention[:, :, units][..., units].copy()
    among[..., range(len(units)), range(len(units))] = -1
    looked_at = among.argmax(-1)
    right: Counter = Counter()
    n: Counter = Counter()
    tree = sentence.tree
    for dependent, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True)):
        if head == ROOT or relation == "punct":
            continue
        found = looked_at[..., head] == dependent if transposed else looked_at[..., dependent] == head
        right[relation] = right[relation] + found.astype(np.int64)
        n[relation] += 1
    return right, n, looked_at


def offsets_looked_at(looked_at: np.ndarray) -> np.ndarray:
    """(L, H, O) how many words look most at the word at each offset."""
    offset = looked_at - np.arange(looked_at.shape[-1])
    return np.stack([(offset == steps).sum(-1) for steps in OFFSETS], axis=-1)
