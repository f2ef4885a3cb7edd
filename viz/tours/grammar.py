"""Claims and points as texts: a small grammar, parsed token by token and never evaluated as Python.

::

    claim   = measure relation (number | measure)
    point   = ("cell" | "line") "(" word "→" word ")"  |  "token" "(" word ")"  |  "head" "(" layer "," head ")"
    measure = name "(" argument {"," argument} ")"
    argument = keyword "=" value  |  word ["→" word]  |  label      (the value of “text” is in quotes)
    word    = ["A:" | "B:"] '"' text '"' ["#" number]

“->” or “>” may be typed for “→”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast, get_args

from viz.tours.measures import EXTREMES, MEASURES, is_number, wrong_value
from viz.tours.tour import Claim, Letter, Measure, Number, Point, PointKind, Relation, Word

LONGEST = 500  # characters of a claim or a point
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted>"(?:[^"\\]|\\.)*"|“[^“”]*”)
      | (?P<letter>[AB]:)
      | (?P<relation>>=|<=|≥|≤|>|<|=)
      | (?P<arrow>→|->)
      | (?P<heads>[0-9]{1,4}\.[0-9]{1,4}(?:-[0-9]{1,4}\.[0-9]{1,4})+)
      | (?P<number>-?[0-9]{1,9}(?:\.[0-9]{1,9})?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<mark>[(),\#])
    )""",
    re.VERBOSE,
)
_SPELLINGS = {"≥": ">=", "≤": "<="}
_ARROWS = (("arrow", None), ("relation", ">"))
_LETTER = re.compile(r"\w")
_BARE_LABEL = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class GrammarError(ValueError):
    """The text is not a claim or a point; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


def parse_claim(text: str) -> Claim:
    """The claim in a text.

    Raises:
        GrammarError: it is not a claim, or has an argument that its measure does not take.
    """
    reader = _Reader(text)
    measure = reader.measure()
    relation = cast(Relation, reader.take("relation", "a relation (>, <, >=, <= or =)"))
    bound: Measure | Number = reader.measure() if reader.sees("name") else Number(reader.take("number", "a number"))
    reader.end()
    if relation == "=" and isinstance(bound, Measure):
        raise GrammarError("After “=” a number is needed: two measures are hardly ever equal.")
    return Claim(measure, relation, bound)


def parse_point(text: str) -> Point:
    """The point in a text. Raises GrammarError."""
    reader = _Reader(text)
    kind = reader.take("name", f"one of {', '.join(get_args(PointKind))}")
    if kind not in get_args(PointKind):
        raise GrammarError(f"“{kind}” is no kind of point: it can be {', '.join(get_args(PointKind))}.")
    arguments = reader.arguments()
    reader.end()
    options = dict(arguments.options)
    words = {"cell": 2, "line": 2, "token": 1, "head": 0}[kind]
    keywords = ["layer", "head"] if kind == "head" else []
    fits = len(arguments.words) == words and not arguments.labels and arguments.arrows == (words == 2)
    if not fits or list(options) != keywords or not all(map(is_number, options.values())):
        raise GrammarError(f"A point is written {_POINT_EXAMPLES[kind]}.")
    layer, head = (int(options[name]) if name in options else None for name in ("layer", "head"))
    return Point(cast(PointKind, kind), tuple(arguments.words), layer, head)


_POINT_EXAMPLES = {
    "cell": 'cell("flies" -> "fruit")',
    "line": 'line("flies" -> "fruit")',
    "token": 'token("flies")',
    "head": "head(layer=0, head=4)",
}


def format_claim(claim: Claim) -> str:
    """The text of a claim, which `parse_claim` reads back."""
    bound = claim.bound.text if isinstance(claim.bound, Number) else _format_measure(claim.bound)
    return f"{_format_measure(claim.measure)} {claim.relation} {bound}"


def _format_measure(measure: Measure) -> str:
    """The text of a measure."""
    signature = MEASURES[measure.name]
    parts = [f"{key}={_quoted(value) if key == 'text' else value}" for key, value in measure.options]
    if measure.words:
        parts.append((" → " if signature.arrow else ", ").join(map(format_word, measure.words)))
    if measure.label:
        parts.append(measure.label if _BARE_LABEL.fullmatch(measure.label) else _quoted(measure.label))
    return f"{measure.name}({', '.join(parts)})"


def format_point(point: Point) -> str:
    """The text of a point, which `parse_point` reads back."""
    if point.kind == "head":
        return f"head(layer={point.layer}, head={point.head})"
    return f"{point.kind}({' → '.join(map(format_word, point.words))})"


def point_in_words(point: Point) -> str:
    """A point in words: "flies → time in A"."""
    if point.kind == "head":
        return f"layer {point.layer}, head {point.head}"
    letters = {word.sentence for word in point.words} - {None}
    return " → ".join(f"“{word.text}”" for word in point.words) + (f" in {letters.pop()}" if len(letters) == 1 else "")


# What a measure's number is about. `first` is the first word with its sentence, `name` without it.
PHRASES = {
    "weight": "{head}{kind}, {arrow}{text}",
    "entropy": "entropy of {head}{kind}{text}",
    "share": "{head}{kind} to {to}{text}",
    "corpus": "{head} {habit}, over a corpus",
    "cosine": "cosine of {words} {after}",
    "norm": "length of {first} {after}",
    "probe": "{first}: {label} {after}",
    "prediction": "{label}{without}",
    "masked": "{label} at {first}{without}",
    "tag": "{first}: {label}{without}",
    "start": "answer starts at {first}{without}",
    "end": "answer ends at {first}{without}",
    "effect": "effect of {head} on {first}",
    "log_odds": "log-odds of {first}{without}",
    "control": "chance for {first}",
    "cut": "{label} without {arrow}{within}",
    "patched": "{name} patched {after}, cosine to {to}",
    "attribution": "{first} adds{by}",
    "faithfulness": "beats random orders{by}",
    "similarity": "{words} add",
    "difference": "difference of {head}",
    "writes": "step {step} writes {label}",
    "accuracy": "accuracy{rows}",
    "errors": "{own} called {said}",
    "shift": "shift {arrow}",
    "place": "place of “{name}”{by}",
    "found": "found among the first {count}{by}",
    "cause": "{label} is why “{name}” is missed",
    "drives": "“{name}” adds on average",
    "removal": "change without “{name}”",
    "neighbour": "neighbour of “{name}” {after}",
}
SHARES_IN_WORDS = {
    "previous": "the token before",
    "next": "the token after",
    "separators": "[SEP]",
    "first": "[CLS]",
    "copied": "the copied token",
}


def measure_in_words(measure: Measure) -> str:
    """What the number of a measure is about: "flies → time", "cosine of both flies after layer 5"."""
    names = [word.text if _LETTER.search(word.text) else f"“{word.text}”" for word in measure.words] or [""]
    letter = measure.words[0].sentence if measure.words else None
    head, to, text = _head_in_words(measure), measure.option("to") or "A", measure.option("text")
    kind, by = measure.option("kind"), [measure.option("by"), measure.option("removal")]
    return PHRASES[measure.name].format(
        name=names[0],
        first=f"{names[0]} in {letter}" if letter else names[0],
        words=f"both {names[0]}" if len(set(names)) < len(names) else " and ".join(names),
        arrow=" → ".join(names),
        head=head,
        without=f" without {head}" if head else "",
        within=f" in {head}" if head else "",
        after=_after_layer(measure.option("layer")),
        label=measure.label,
        to=SHARES_IN_WORDS.get(to, to),
        habit="joins words that go together" if to == "together" else f"to {SHARES_IN_WORDS.get(to, to)}",
        kind=f" ({kind})" if kind else "",
        text=f" in “{text}”" if text else "",
        step=measure.option("step"),
        count=measure.option("first"),
        by=f" ({', '.join(each.replace('_', ' ') for each in by if each)})" if any(by) else "",
        own=names[0],
        said=names[-1],
        rows=_rows_in_words(measure),
    )


def _rows_in_words(measure: Measure) -> str:
    """ " of irony without neutral"; "" for all rows."""
    words = {"where": "of", "without": "without"}
    return "".join(f" {word} {cell}" for name, word in words.items() if (cell := measure.option(name)))


def _head_in_words(measure: Measure) -> str:
    """ "layer 0, head 4", "mean of layer 0", "highest of all heads"; "" without a head."""
    layer, head, silenced = (measure.option(name) for name in ("layer", "head", "silenced"))
    if silenced:
        return "; ".join("layer {}, head {}".format(*pair.split(".")) for pair in silenced.split("-"))
    if head is None:
        return ""
    if layer in EXTREMES:
        return f"{layer} of all heads"
    return f"layer {layer}, head {head}" if is_number(head) else f"{head} of layer {layer}"


def _after_layer(layer: str | None) -> str:
    return "at the start" if layer == "embeddings" else "from all layers" if layer == "all" else f"after layer {layer}"


def format_word(word: Word) -> str:
    """The text of a word, with its sentence and its occurrence."""
    sentence = f"{word.sentence}:" if word.sentence else ""
    return f"{sentence}{_quoted(word.text)}{'' if word.occurrence is None else f'#{word.occurrence}'}"


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


@dataclass(slots=True)
class _Arguments:
    options: list[tuple[str, str]]
    words: list[Word]
    labels: list[str]
    arrows: bool


class _Reader:
    """Reads the tokens of one text from left to right."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise GrammarError(f"It has {len(text):,} characters; {LONGEST} are allowed.")
        self._tokens = list(_tokens(text))
        self._next = 0

    def sees(self, kind: str, text: str | None = None) -> bool:
        """Whether the next token has this kind and text."""
        if self._next >= len(self._tokens):
            return False
        token = self._tokens[self._next]
        return token.kind == kind and text in (None, token.text)

    def take(self, kind: str, wanted: str, text: str | None = None) -> str:
        """The text of the next token. Raises GrammarError if it has another kind or text."""
        if not self.sees(kind, text):
            raise GrammarError(f"After “{self._before()}” {wanted} is needed.")
        self._next += 1
        return self._tokens[self._next - 1].text

    def end(self) -> None:
        if self._next < len(self._tokens):
            raise GrammarError(f"Nothing may follow “{self._before()}”.")

    def measure(self) -> Measure:
        name = self.take("name", "the name of a measure")
        signature = MEASURES.get(name)
        if signature is None:
            raise GrammarError(f"“{name}” is no measure: it can be {', '.join(MEASURES)}.")
        found = self.arguments()
        labels = found.labels
        words = found.words
        if signature.label and len(words) == signature.words + 1 and not labels and words[-1] == Word(words[-1].text):
            labels = [words.pop().text]  # a label in quotes
        options = dict(found.options)
        for keyword in options:
            if keyword not in signature.keywords:
                raise GrammarError(f"“{name}” takes no “{keyword}”: it takes {_taken(name)}.")
            wanted = wrong_value(name, keyword, options[keyword])
            if wanted:
                raise GrammarError(f"{keyword}={options[keyword]} is not possible in “{name}”: it can be {wanted}.")
        fits = (
            all(keyword in options for keyword in signature.required)
            and len(words) == signature.words
            and found.arrows == signature.arrow
            and len(labels) == bool(signature.label)
            and (name != "effect" or set(options) in ({"layer", "head"}, {"silenced"}))
        )
        if not fits:
            raise GrammarError(f"“{name}” takes {_taken(name)}.")
        ordered = tuple((keyword, options[keyword]) for keyword in signature.keywords if keyword in options)
        return Measure(name, ordered, tuple(words), labels[0] if labels else "")

    def arguments(self) -> _Arguments:
        """The arguments between parentheses."""
        found = _Arguments([], [], [], arrows=False)
        self.take("mark", "“(”", "(")
        while not self.sees("mark", ")"):
            if found.options or found.words or found.labels:
                self.take("mark", "“,” or “)”", ",")
            if self.sees("name"):
                self._name(found)
            else:
                self._words(found)
        self.take("mark", "“)”", ")")
        return found

    def _name(self, found: _Arguments) -> None:
        name = self.take("name", "a name")
        if not self.sees("relation", "="):
            found.labels.append(name)
            return
        self.take("relation", "“=”", "=")
        if name in dict(found.options):
            raise GrammarError(f"“{name}” is given twice.")
        kinds = ("quoted",) if name == "text" else ("name", "heads", "number")
        kind = next((kind for kind in kinds if self.sees(kind)), kinds[0])
        found.options.append((name, self.take(kind, f"a value of “{name}”")))

    def _words(self, found: _Arguments) -> None:
        found.words.append(self._word())
        arrow = next((kind for kind, text in _ARROWS if self.sees(kind, text)), None)
        if arrow:
            self.take(arrow, "“->”")
            found.words.append(self._word())
            found.arrows = True

    def _word(self) -> Word:
        letter = cast(Letter, self.take("letter", "A: or B:")[0]) if self.sees("letter") else None
        text = self.take("quoted", "a word in quotes")
        if not text.strip():
            raise GrammarError("A word has at least one letter.")
        occurrence = None
        if self.sees("mark", "#"):
            self.take("mark", "“#”")
            number = self.take("number", "a number from 1")
            if not is_number(number) or int(number) < 1:
                raise GrammarError(f"#{number} is no occurrence: they are counted from 1.")
            occurrence = int(number)
        return Word(text, letter, occurrence)

    def _before(self) -> str:
        """The end of the text that was read, for a message."""
        return " ".join(token.text for token in self._tokens[max(self._next - 4, 0) : self._next]) or "the beginning"


def _taken(name: str) -> str:
    """The arguments of a measure, for a message."""
    signature = MEASURES[name]
    parts = [f"{keyword}=…" for keyword in signature.required]
    parts += [f"{keyword}=… if wanted" for keyword in signature.optional]
    if name == "effect":
        parts = ["layer=… and head=…, or silenced=…"]
    words = ['"word" -> "word"'] if signature.arrow else ['"word"'] * signature.words
    return ", ".join([*parts, *words, *([signature.label] if signature.label else [])])


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].strip()
            raise GrammarError(f"“{rest[:20]}” cannot be read.")
        found = match[match.lastgroup]
        if match.lastgroup == "quoted":
            found = re.sub(r"\\(.)", r"\1", found[1:-1]) if found[0] == '"' else found[1:-1]
        elif match.lastgroup == "relation":
            found = _SPELLINGS.get(found, found)
        yield _Token(match.lastgroup, found)
        position = match.end()
