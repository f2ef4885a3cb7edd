"""Text for display: tokens without invisible characters and of a limited length, and names of hidden states."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from encoder.measures.unit_attention import MEAN
from encoder.text.pieces import SIGNS

JOINERS = "\u200c\u200d"  # part of many emoji and scripts: kept within other text
SPECIAL = re.compile(r"\[\S+\]|<\S+>")
LONGEST_WORD, LONGEST_NAME = 24, 40  # characters of a word, and of a class, a model or a column
NAMED_HEADS = 4  # heads named; the others are counted
QUOTED = re.compile("“([^“”\u2068]*)”")
FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@]")  # at the start of a cell, where spreadsheets read wide signs as well
HEADINGS = {"pair": "", "A": "Sentence A", "B": "Sentence B"}  # of texts, by place


def make_visible(label: str) -> str:
    """The label with invisible characters made visible.

    Empty becomes "∅", blank space "␣", a control or format character its sign or its code, a lone surrogate
    "\ufffd"; a label that starts with a combining mark gets a dotted circle to sit on.
    """
    if not label:
        return "∅"
    if label.isspace():
        return "".join("␣" if unicodedata.category(char) == "Zs" else _visible(char, alone=True) for char in label)
    alone = all(unicodedata.category(char) in ("Cf", "Mn") for char in label)
    text = "".join(_visible(char, alone=alone) for char in label)
    return f"◌{text}" if unicodedata.combining(text[0]) else text


def _visible(char: str, *, alone: bool) -> str:
    if char in SIGNS:
        return SIGNS[char]
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category in ("Cc", "Zl", "Zp") or (category == "Cf" and (alone or char not in JOINERS)):
        return f"⟨U+{ord(char):04X}⟩"
    return char


def runs_from_right(char: str) -> bool:
    """Whether a text with this character runs from right to left."""
    return unicodedata.bidirectional(char) in ("R", "AL", "AN")


def direction(words: Iterable[str]) -> Literal["ltr", "rtl"]:
    """The direction of a text, that of its first letter, as `dir="auto"` finds it in HTML; "[CLS]" has none."""
    typed = (word for word in words if not SPECIAL.fullmatch(word))
    strong = (unicodedata.bidirectional(char) for word in typed for char in word)
    first = next((kind for kind in strong if kind in ("L", "R", "AL")), "L")
    return "ltr" if first == "L" else "rtl"


def isolated(text: str) -> str:
    """A text that others surround, so that its signs stay on its own side: a question mark behind Hebrew is left."""
    return f"\u2068{text}\u2069" if any(map(runs_from_right, text)) else text


def isolate_quoted(sentence: str) -> str:
    """A sentence in which each quoted text is `isolated`, so that those after it stay in their order."""
    return QUOTED.sub(lambda quoted: f"“{isolated(quoted[1])}”", sentence)


def escape_markdown(text: str) -> str:
    """The text escaped for Markdown: a link may name a model `![](https://...)`."""
    return re.sub(r"([\\`*_~$&<>|#\[\]]|:(?=\S))", r"\\\1", text)


def shorten(label: str, limit: int) -> str:
    """At most `limit` characters of the label, the last one an ellipsis where something was cut off."""
    if len(label) <= limit:
        return label
    cut = label[: limit - 1]
    while len(cut) > 1 and (unicodedata.combining(label[len(cut)]) or cut[-1] in JOINERS):
        cut = cut[:-1]
    return f"{cut}…"


def word_label(word: str) -> str:
    """A word as a label, in a list or a sentence: not too long, and nothing of it invisible."""
    return shorten(make_visible(word), LONGEST_WORD)


def name_label(name: str) -> str:
    """The name of a class, a model or a column, as `word_label`."""
    return shorten(make_visible(name), LONGEST_NAME)


def in_markdown(word: str) -> str:
    """A word in a sentence, as `word_label`, escaped for Markdown."""
    return escape_markdown(word_label(word))


def safe_name(name: str) -> str:
    """A name in a sentence, as `name_label`, escaped for Markdown."""
    return escape_markdown(name_label(name))


def head_name(layer: int, head: int) -> str:
    """The label of a head, or of the mean over a layer's heads: "L3 H7" or "L3, mean over heads"."""
    return f"L{layer}, mean over heads" if head == MEAN else f"L{layer} H{head}"


def head_in_words(layer: int, head: int) -> str:
    """A head in a sentence: "layer 3, head 7", or "layer 3, mean over heads"."""
    return f"layer {layer}, {'mean over heads' if head == MEAN else f'head {head}'}"


def heads_in_words(heads: Sequence[tuple[int, int]]) -> str:
    """Heads in a sentence, (layer, head) each: the first `NAMED_HEADS` of them, and how many more there are."""
    names = [head_in_words(layer, head) for layer, head in heads[:NAMED_HEADS]]
    more = len(heads) - len(names)
    if more:
        names.append(f"{more} more head{'' if more == 1 else 's'}")
    return f"{'; '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def state_names(count: int) -> list[str]:
    """Names of the L + 1 hidden states in tables and on axes."""
    return ["embeddings", *(f"L{layer}" for layer in range(count - 1))]


def name_of_state(index: int) -> str:
    """A hidden state in a sentence: the embeddings, or the layer that it leaves."""
    return "the embeddings" if index == 0 else f"layer {index - 1}"


def first_sentence(text: str) -> str:
    """The first of some sentences; a full stop within a number or a name ends none."""
    return re.split(r"(?<=[.?!]) (?=[A-Z“*])", text, maxsplit=1)[0]


def numbered(labels: Sequence[str], numbers: Sequence[int] | None = None) -> list[str]:
    """Labels as unique names of rows and columns, because tokens repeat; "=1+1" is then no formula in a spreadsheet.

    Args:
        numbers: one for each label; None for their indices.
    """
    each = range(len(labels)) if numbers is None else numbers
    return [f"{number}: {label}" for number, label in zip(each, labels, strict=True)]


def spreadsheet_text(text: str) -> str:
    """The text for a cell of a CSV file; one that a spreadsheet would run as a formula begins with an apostrophe."""
    return f"'{text}" if FORMULA.match(unicodedata.normalize("NFKC", text)) else text
