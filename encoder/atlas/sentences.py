"""Sentences of a corpus, with their dependency trees if known, and skipped lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from encoder.errors import DataError

ROOT = -1  # the head of a word without a head
NUMBER_AT_END = re.compile(r"-?\d+$")
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A dependency tree: for each of N words the index of its head (ROOT = none) and its relation to it."""

    heads: tuple[int, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence as a list of N words, or two neighbours that are read together.

    Attributes:
        where: file and line, counted from 1.
        name: its id in the corpus; `where` in a corpus without ids.
        document: the document that it is from.
        tags: universal part of speech of every word, or None.
        tree: or None.
        b_start: index of the second sentence's first word, or None.
    """

    where: str
    name: str
    document: str
    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None
    tree: Tree | None = None
    b_start: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line or sentence that was skipped, and why."""

    where: str
    reason: str


def document_of(name: str) -> str:
    """The document of a sentence, from a name such as "weblog-0001": its document is "weblog"."""
    return NUMBER_AT_END.sub("", name)


def check_words(where: str, words: Sequence[object], *, most: int) -> tuple[str, ...]:
    """The words of a sentence.

    Args:
        most: the largest number of words.
    Raises:
        DataError: there are none or too many, or an entry is not a word.
    """
    if not words:
        raise DataError(f"{where}: there are no words")
    if len(words) > most:
        raise DataError(f"{where}: more than {most} words")
    for word in words:
        if not isinstance(word, str) or not word.strip() or SURROGATE.search(word):
            raise DataError(f"{where}: {str(word)[:40]!a} is not a word")
    return tuple(str(word) for word in words)


def check_tree(where: str, heads: Sequence[object], relations: Sequence[object], *, count: int) -> Tree:
    """A tree over `count` words.

    Args:
        heads: counted from 1, 0 = root.
    Raises:
        DataError: a head or relation is missing or invalid.
    """
    if len(heads) != count or len(relations) != count:
        raise DataError(f"{where}: {count} words have {len(heads)} heads and {len(relations)} relations")
    checked = []
    for index, head in enumerate(heads):
        if not isinstance(head, int) or isinstance(head, bool) or not 0 <= head <= count or head == index + 1:
            raise DataError(f"{where}: the head of word {index + 1} is {str(head)[:20]!a}, which is not another word")
        checked.append(head - 1)
    for relation in relations:
        if not isinstance(relation, str) or not relation.strip():
            raise DataError(f"{where}: {str(relation)[:20]!a} is not a relation")
    return Tree(heads=tuple(checked), relations=tuple(map(str, relations)))


def joined(a: Sentence, b: Sentence) -> Sentence:
    """Join two sentences to one text for the model, with their trees and tags."""
    shift = len(a.words)
    tree = None
    if a.tree is not None and b.tree is not None:
        moved = tuple(head if head == ROOT else head + shift for head in b.tree.heads)
        tree = Tree(heads=a.tree.heads + moved, relations=a.tree.relations + b.tree.relations)
    return Sentence(
        where=a.where,
        name=a.name,
        document=a.document,
        words=a.words + b.words,
        tags=a.tags + b.tags if a.tags is not None and b.tags is not None else None,
        tree=tree,
        b_start=shift,
    )
