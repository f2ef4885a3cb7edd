"""The selection: what the page shows, and how it stands in the page's address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args, get_type_hints
from urllib.parse import urlencode

from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.senses.rows import shipped_senses
from encoder.measures.unit_attention import MEAN, Sentences
from encoder.measures.units import Level, Special
from encoder.shipped.tasks import EXAMPLES as TASK_EXAMPLES
from encoder.shipped.tasks import Task
from viz.examples import EXAMPLES

Mode = Literal["pair", "separate"]
View = Literal[
    "heat map",
    "head view",
    "model view",
    "neuron view",
    "word lens",
    "norms",
    "predictions",
    "anatomy",
    "decoder",
    "data",
    "bertviz",
]
Effect = Literal["final vector", "part of speech"]
BertViz = Literal["head view", "model view"]
Run = Literal["A", "B", "decoder"]
Kinds = Literal["cross", "decoder", "encoder", "all"]
Picture = Literal["heat map", "head view", "model view", "neuron view"]

# Browsers and servers cut or refuse longer addresses.
LONGEST_LINK = 8_000
LONGEST_MODEL_NAME = 300
NO_TAGS, ALL_LAYERS = "off", "all"
AUTOMATIC, OWN, NO_SENTENCES = "auto", "own", "none"
NOTHING = -1  # no token is pinned, no word is chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What to show. `head` is -1 for the mean over heads; layer, head and positions may exceed what there is.

    `heads` says whose lines the head view draws: "" for those of `head`, "all", "none", or numbers, "0.3.7".
    `query` and `key` are positions of pinned tokens, of the one that looks and of the one that is looked at, in the
    sentence `pinned_in` where two are encoded apart, or in the decoder's view; -1 for none.
    `sentences` keeps the attention from one sentence to the other of a pair, and hides the rest.
    `tags` says which probe reads the parts of speech under the tokens: "off", "all" for the one that reads all
    layers together, or an entry of the hidden states, "0" for the embeddings.

    The word lens: `at_a` and `at_b` are the chosen word's places among the words of A and of B, -1 where it is to be
    found; `further` names the sentences beside A and B, "auto" for the shipped ones of that word, "own" for those of
    `typed`, "none", or a shipped word; `silenced` lists heads that are silenced together, "3.7-4.11"; `effect` is
    what the map of all heads' effects shows.

    `walk` is the step of the anatomy that is open, `mask` the mask that its step on masks shows, `what_if` what its
    last but one step changes, names with dots between; `row` and `column` are the cell that is worked out.

    The decoder: `writer` is the encoder-decoder, `task` and `source` are what it is to do and with which text; `kind`
    says which of its attentions the `picture` shows; `at_step` is the step at which its
    text is looked at, -1 for the last one.
    """

    a: str = EXAMPLES[0].a
    b: str = EXAMPLES[0].b
    mode: Mode = "pair"
    model: str = "bundled"
    layer: int = 0
    head: int = 4
    heads: str = ""
    query: int = NOTHING
    key: int = NOTHING
    pinned_in: Run = "A"
    sentences: Sentences = "all"
    view: View = "heat map"
    bertviz: BertViz = "head view"
    level: Level = "wordpieces"
    special: Special = "show"
    tags: str = NO_TAGS
    at_a: int = NOTHING
    at_b: int = NOTHING
    further: str = AUTOMATIC
    typed: str = ""
    silenced: str = ""
    effect: Effect = "final vector"
    walk: StepKey = "text"
    mask: Mask = "none"
    what_if: str = ""
    row: int = 1
    column: int = 1
    writer: str = "seq2seq"
    task: Task = "reverse"
    source: str = TASK_EXAMPLES["reverse"]
    kind: Kinds = "cross"
    picture: Picture = "heat map"
    at_step: int = NOTHING

    @property
    def what_ifs(self) -> tuple[WhatIf, ...]:
        """What the walk changes, in one order, whatever order the names were given in."""
        return tuple(name for name in WHAT_IFS if name in self.what_if.split("."))

    @property
    def texts(self) -> tuple[tuple[str, str | None], ...]:
        """What to encode: one pair (A, B), or A and B alone; B is None where it is blank."""
        if not self.b.strip():
            return ((self.a, None),)
        apart = self.mode == "separate" or self.view == "word lens"
        return ((self.a, None), (self.b, None)) if apart else ((self.a, self.b),)

    @property
    def silenced_heads(self) -> tuple[tuple[int, int], ...]:
        """(layer, head) pairs, which may exceed what the model has."""
        pairs = (pair.split(".") for pair in self.silenced.split("-") if pair)
        return tuple((int(layer), int(head)) for layer, head in pairs)

    def shown_heads(self, num_heads: int) -> tuple[int, ...]:
        """The heads whose lines the head view draws; (-1,) for their mean."""
        if self.heads in ("all", "none"):
            return tuple(range(num_heads)) if self.heads == "all" else ()
        return (
            tuple(int(head) for head in self.heads.split(".") if int(head) < num_heads) if self.heads else (self.head,)
        )

    def clamped(self, num_layers: int, num_heads: int) -> Selection:
        """The nearest selection that a model with so many layers and heads has."""
        return replace(
            self,
            layer=min(max(self.layer, 0), num_layers - 1),
            head=MEAN if self.head == MEAN else min(max(self.head, 0), num_heads - 1),
            tags=str(min(int(self.tags), num_layers)) if self.tags.isdigit() else self.tags,
            silenced=written(
                [(layer, head) for layer, head in self.silenced_heads if layer < num_layers and head < num_heads]
            ),
        )


def written(heads: Iterable[tuple[int, int]]) -> str:
    """(layer, head) pairs as `Selection.silenced` keeps them."""
    return "-".join(f"{layer}.{head}" for layer, head in heads)


NAMES = tuple(field.name for field in fields(Selection))
TEXTS = ("a", "b", "typed", "source")
MODELS = ("model", "writer")
UNPINNABLE = ("query", "key", "at_a", "at_b")
CHANGEABLE = (  # by a click in a view
    *("layer", "head", "heads", "query", "key", "pinned_in", "view", "at_a", "at_b", "row", "column"),
)
NUMBERS = ("layer", "head", "query", "key", "at_a", "at_b", "row", "column", "at_step")
WHAT_IFS: tuple[WhatIf, ...] = get_args(WhatIf)
LONGEST_HEADS = 300  # characters
LONGEST_SILENCED = 4_000
CHOICES = {name: get_args(hint) for name, hint in get_type_hints(Selection).items() if name in NAMES and get_args(hint)}


def from_query(params: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """A selection from the parameters of a link, and a sentence for each that made no sense."""
    known: dict[str, Any] = {}
    problems = []
    for name, text in params.items():
        if name not in NAMES:
            continue
        value = parsed(name, text)
        if value is None:
            problems.append(f"{name}={text[:40]!r} was ignored: {_expected(name)}.")
        else:
            known[name] = value
    if "a" in known:
        known.setdefault("b", "")
    return Selection(**known), tuple(problems)


def parsed(name: str, text: str) -> str | int | None:
    if name in CHOICES:
        return text if text in CHOICES[name] else None
    if name in NUMBERS:
        if name == "head" and text == "mean":
            return MEAN
        return int(text) if _is_number(text) else None
    if name == "tags":
        return text if text in (NO_TAGS, ALL_LAYERS) or _is_number(text) else None
    if name == "heads":
        named = text in ("all", "none")
        return text if named or (len(text) <= LONGEST_HEADS and all(map(_is_number, text.split(".")))) else None
    if name == "silenced":
        pairs = [pair.split(".") for pair in text.split("-")]
        sound = len(text) <= LONGEST_SILENCED and all(len(pair) == 2 and all(map(_is_number, pair)) for pair in pairs)
        return text if sound else None
    if name == "further":
        return text if text in (AUTOMATIC, OWN, NO_SENTENCES) or text in shipped_words() else None
    if name == "what_if":
        names = text.split(".") if text else []
        return text if len(set(names)) == len(names) and set(names) <= set(WHAT_IFS) else None
    if name in MODELS and not (text.strip() and len(text) <= LONGEST_MODEL_NAME and text.isprintable()):
        return None
    return text


def shipped_words() -> tuple[str, ...]:
    """The words that have sentences of their own, each labelled with its sense."""
    return tuple(dict.fromkeys(row.word for row in shipped_senses()))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 5


def _expected(name: str) -> str:
    if name == "walk":
        return "it names no step of the walk"
    if name in CHOICES:
        return f"it can be {', '.join(CHOICES[name])}"
    if name in MODELS:
        return "it names no model"
    if name == "further":
        return f"it can be {', '.join((AUTOMATIC, OWN, NO_SENTENCES, *shipped_words()))}"
    if name == "silenced":
        return "heads are written as layer.head, with - between them"
    also = {"head": " or “mean”", "tags": ", “all” or “off”", "heads": ", numbers with dots between, “all” or “none”"}
    if name == "what_if":
        return f"it can be {', '.join(WHAT_IFS)}, with dots between"
    return f"a number is needed{also.get(name, '')}"


def to_query(selection: Selection) -> dict[str, str]:
    """The parameters of a link to a selection: what differs from the defaults.

    Texts too long for an address are left out; `fits_link` tells.
    """
    params = {
        name: "mean" if (name, value) == ("head", MEAN) else str(value)
        for name, value in asdict(selection).items()
        if value != getattr(DEFAULT, name)
    }
    if "a" in params or "b" in params:  # a text of one's own never comes back with the example's other sentence
        params |= {"a": selection.a, "b": selection.b}
    if not fits_link(selection):
        params = {name: value for name, value in params.items() if name not in TEXTS}
    return params


def fits_link(selection: Selection) -> bool:
    """Whether all that was typed fits into an address."""
    typed = {name: text for name in ("typed", "source") if (text := getattr(selection, name)) != getattr(DEFAULT, name)}
    return len(urlencode({"a": selection.a, "b": selection.b} | typed)) <= LONGEST_LINK


DEFAULT = Selection()
