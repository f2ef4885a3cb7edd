"""A second set of searches that fail for a known reason: keywords, among sentences of the treebank EWT.

The query is some of the words of a sentence. Texts that are put before it are queries, too: of a title, say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from encoder.collection.missed_case import FOUND
from encoder.collection.missed_causes import Cause
from encoder.collection.search import scores_of_queries
from encoder.lab.evaluation.plants import Chance, Plant, Plants, vectors_of
from encoder.lab.training.data import TaggedSentence, find_file, read_paragraphs, read_tagged
from encoder.models.base import Backend
from encoder.models.labels import TAGS

SEARCHED: Final = 400  # sentences
LENGTHS: Final = range(9, 29)  # words of a sentence
KEYWORDS: Final = 5
RIVALS: Final = 8  # that differ in what the query is about
BEFORE: Final = 40  # paragraphs before a text that is cut off
HUBS: Final = 12
NEGATIONS: Final = ("not", "n't", "never", "no")
LEADS: Final = ("Reminder:", "Re:", "Title:", "Topic:", "See also", "Tagged", "Filed under", "Notes on")
ABROAD: Final = (
    ("wann schließt die Bücherei am Samstag", "On Saturdays we lend books until one o'clock."),
    ("où puis-je garer mon vélo", "Bicycles may be left in the yard behind the station."),
    ("cuánto cuesta la entrada para niños", "Admission is free for anybody under twelve."),
    ("quando arriva il prossimo treno", "The next train is expected at twenty past six."),
    ("hoe laat gaat de winkel open", "We unlock the doors of the shop at nine in the morning."),
    ("a que horas começa a reunião", "The meeting starts at half past two."),
    ("wer hat das Fenster zerbrochen", "It was the boy next door whose ball broke the glass."),
    ("comment enlever une tache de vin", "Salt and cold water get red wine out of a shirt."),
    ("dónde está la llave del sótano", "The key to the cellar hangs behind the kitchen door."),
    ("vad kostar en kopp kaffe", "Coffee is three crowns a cup, milk included."),
    ("kiedy pada śnieg w górach", "Snow falls in the mountains from November on."),
    ("kuinka kauan kanaa paistetaan", "Roast the chicken for an hour and twenty minutes."),
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence and its words that carry meaning, in their order."""

    text: str
    words: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(cls, given: TaggedSentence) -> _Sentence:
        spaced = zip(given.words, given.space_after, strict=True)
        text = "".join(word + " " * space for word, space in spaced).strip()
        return cls(text, given.words, tuple(TAGS[tag] for tag in given.tags))

    def having(self, *tags: str) -> list[str]:
        """Its words of these tags, each once."""
        pairs = zip(self.words, self.tags, strict=True)
        return list(dict.fromkeys(word for word, tag in pairs if tag in tags and len(word) > 2))

    @property
    def content(self) -> list[str]:
        return self.having("NOUN", "PROPN", "VERB", "ADJ")


class _Source:
    """What plants are made of: the searched sentences, a book, and names."""

    def __init__(self, tagged: Sequence[TaggedSentence], book: Sequence[str]) -> None:
        self.book = book
        every = list(map(_Sentence.of, tagged))
        usable = [each for each in every if len(each.words) in LENGTHS and len(each.content) >= KEYWORDS]
        order = np.random.default_rng(0).permutation(len(usable))[:SEARCHED]
        self.sentences = [usable[at] for at in order]
        self.texts = [each.text for each in self.sentences]
        self.others = sorted({each.text for each in every if len(each.words) in LENGTHS} - {*self.texts})
        self.names = sorted({name for each in every for name in each.having("PROPN") if name.istitle()})
        self.counts = Counter(word for each in self.sentences for word in each.content)

    def draw(self, chance: Chance) -> _Sentence:
        return self.sentences[int(chance.integers(len(self.sentences)))]

    def cut_off(self, chance: Chance) -> Plant:
        own, start = self.draw(chance), int(chance.integers(len(self.book) - BEFORE))
        text = " ".join([*self.book[start : start + BEFORE], own.text])
        query = _query(own.content, chance)
        return Plant(query, [text], own.text, query)

    def several_topics(self, chance: Chance) -> Plant:
        own, *others = (self.draw(chance) for _ in range(7))
        lines = [each.text for each in (*others[:3], own, *others[3:])]
        query = _query(own.content, chance)
        return Plant(query, ["\n".join(lines)], own.text, query)

    def number(self, chance: Chance) -> Plant | None:
        own = self.draw(chance)
        numbers = [word for word in own.having("NUM") if word.isdigit()]
        if not numbers:
            return None
        others = map(str, chance.integers(10, 10 ** len(numbers[0]), 2 * RIVALS).tolist())
        return _among_rivals(own, numbers[0], [other for other in others if other not in numbers], chance)

    def name(self, chance: Chance) -> Plant | None:
        own = self.draw(chance)
        names = [name for name in own.having("PROPN") if name in self.names and self.counts[name] == 1]
        others = [self.names[at] for at in chance.permutation(len(self.names))]
        return (
            _among_rivals(own, names[0], [name for name in others if name not in own.words], chance) if names else None
        )

    def negation(self, chance: Chance) -> Plant | None:
        own = self.draw(chance)
        if not any(word.casefold() in NEGATIONS for word in own.words):
            return None
        affirmed = _query(own.content, chance)
        first, second, *rest = affirmed.split()
        query = " ".join([first, second, "not", *rest])
        return Plant(query, [own.text, *(f"{lead} {affirmed}" for lead in LEADS)], own.text, query)

    def copies(self, chance: Chance) -> Plant:
        own = self.draw(chance)
        query = _query(own.content, chance)
        posts = [end.join((query, "")) for end in (".", "!", " .", "", "!!", " !")]
        return Plant(query, [own.text, *posts, query.upper()], own.text, query)

    def other_language(self, chance: Chance) -> Plant:
        query, text = ABROAD[int(chance.integers(len(ABROAD)))]
        return Plant(query, [text], "")

    def unknown_words(self, chance: Chance) -> Plant:
        own = self.draw(chance)
        query = _query(own.content, chance)
        first, *rest = query.split()
        spelled = ["".join(chr(0x1200 + ord(letter) % 0x150) for letter in word) for word in rest]  # Ethiopic
        return Plant(" ".join([first, *spelled]), [own.text], own.text, query)

    def one_word(self, chance: Chance) -> Plant:
        own = self.draw(chance)
        return Plant(max(own.content, key=self.counts.__getitem__), [own.text], own.text, _query(own.content, chance))

    def something_else(self, chance: Chance) -> Plant | None:
        own, other = self.draw(chance), self.draw(chance)
        if {*own.words} & {*other.content}:
            return None
        return Plant(_query(own.content, chance), [other.text], other.text)

    def beside_hubs(self, model: Backend) -> Callable[[Chance], Plant]:
        """Plants beside the sentences, of all others, that are among the first of the most queries, which are short."""
        draw = np.random.default_rng(0)
        queries = [_query(each.content, draw, most=2) for each in self.sentences]
        similar = scores_of_queries(model, queries, vectors_of(model, self.others))  # (Q, others)
        firsts = np.argsort(-similar, axis=1, kind="stable")[:, :FOUND]
        most = np.argsort(-np.bincount(firsts.ravel(), minlength=len(self.others)), kind="stable")[:HUBS]
        hubs = [self.others[at] for at in most]

        def plant(chance: Chance) -> Plant:
            own = self.draw(chance)
            query = _query(own.content, chance, most=2)
            return Plant(query, [own.text, *hubs], own.text, query)

        return plant


def _query(words: Sequence[str], chance: Chance, *, most: int = KEYWORDS) -> str:
    """Some of the words, in their order."""
    return " ".join(words[at] for at in sorted(chance.permutation(len(words))[:most]))


def _among_rivals(own: _Sentence, word: str, others: Sequence[str], chance: Chance) -> Plant:
    """A sentence among keywords that have another word in the place of one of the query's."""
    words = _query([each for each in own.content if each != word], chance)
    query = f"{words} {word}"
    return Plant(query, [own.text, *(f"{words} {other}" for other in others[:RIVALS])], own.text, query)


def keywords(model: Backend, data: Path) -> Plants:
    """Plants of sentences of EWT. Raises DataError."""
    source = _Source(read_tagged(find_file(data, "ewt_dev.jsonl")), read_paragraphs(find_file(data, "longtext.txt")))
    draw = np.random.default_rng(0)
    kinds: Mapping[Cause | None, Sequence[Callable[[Chance], Plant | None]]] = {
        "cut off": (source.cut_off,),
        "unknown words": (source.unknown_words,),
        "other language": (source.other_language,),
        "copies before it": (source.copies,),
        "number or name": (source.number, source.name),
        "negation": (source.negation,),
        "several topics": (source.several_topics,),
        "near to everything": (source.beside_hubs(model),),
        "one word": (source.one_word,),
        None: (source.something_else,),
    }
    queries = [_query(each.content, draw) for each in source.sentences]
    return Plants(source.texts, queries, vectors_of(model, source.texts), kinds)
