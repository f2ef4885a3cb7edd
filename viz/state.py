"""The selection: what the page shows, where it is kept, and how a link restores it.

One `Selection` drives every view. Its fields are the widgets' values, under `st.session_state` keys of the same
names, and the page's address, so that a link or a reload brings the same page back.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal, get_args, get_type_hints
from urllib.parse import urlencode

import streamlit as st

from encoder.anatomy.masks import Mask
from encoder.anatomy.steps import StepKey
from encoder.anatomy.what_if import WhatIf
from encoder.measures.attention import MEAN, Sentences
from encoder.measures.units import Level, Special
from viz.examples import EXAMPLES

Mode = Literal["pair", "separate"]
View = Literal[
    "heat map", "head view", "model view", "neuron view", "norms", "predictions", "anatomy", "data", "bertviz"
]
BertViz = Literal["head view", "model view"]
Run = Literal["A", "B"]

logger = logging.getLogger(__name__)

# Browsers and servers cut or refuse longer addresses.
LONGEST_LINK = 8_000
LONGEST_MODEL_NAME = 300
NO_TAGS, ALL_LAYERS = "off", "all"
NOTHING = -1  # no token is pinned


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What to show. `head` is -1 for the mean over heads; layer, head and positions may exceed what there is.

    `heads` says whose lines the head view draws: "" for those of `head`, "all", "none", or numbers, "0.3.7".
    `query` and `key` are positions of pinned tokens, of the one that looks and of the one that is looked at, in the
    sentence `pinned_in` where two are encoded apart; -1 for none.
    `sentences` keeps the attention from one sentence to the other of a pair, and hides the rest.
    `tags` says which probe reads the parts of speech under the tokens: "off", "all" for the one that reads all
    layers together, or an entry of the hidden states, "0" for the embeddings.
    `walk` is the step of the anatomy that is open, `mask` the mask that its step on masks shows, `what_if` what its
    last but one step changes, names with dots between; `row` and `column` are the cell that is worked out.
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
    walk: StepKey = "text"
    mask: Mask = "none"
    what_if: str = ""
    row: int = 1
    column: int = 1

    @property
    def what_ifs(self) -> tuple[WhatIf, ...]:
        """What the walk changes, in one order, whatever order the names were given in."""
        return tuple(name for name in WHAT_IFS if name in self.what_if.split("."))

    @property
    def texts(self) -> tuple[tuple[str, str | None], ...]:
        """What to encode: one pair (A, B), or A and B alone; B is None where it is blank."""
        if not self.b.strip():
            return ((self.a, None),)
        return ((self.a, self.b),) if self.mode == "pair" else ((self.a, None), (self.b, None))

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
        )


NAMES = tuple(field.name for field in fields(Selection))
UNPINNABLE = ("query", "key")
CHANGEABLE = ("layer", "head", "heads", "query", "key", "pinned_in", "view")  # by a click in a view
NUMBERS = ("layer", "head", "query", "key", "row", "column")
WHAT_IFS: tuple[WhatIf, ...] = get_args(WhatIf)
LONGEST_HEADS = 300  # characters
CHOICES = {name: get_args(hint) for name, hint in get_type_hints(Selection).items() if name in NAMES and get_args(hint)}


def from_query(params: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """A selection from the parameters of a link, and a sentence for each that made no sense."""
    known: dict[str, Any] = {}
    problems = []
    for name, text in params.items():
        if name not in NAMES:
            continue
        value = _parsed(name, text)
        if value is None:
            problems.append(f"{name}={text[:40]!r} was ignored: {_expected(name)}.")
        else:
            known[name] = value
    if "a" in known:
        known.setdefault("b", "")
    return Selection(**known), tuple(problems)


def _parsed(name: str, text: str) -> str | int | None:
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
    if name == "what_if":
        names = text.split(".") if text else []
        return text if len(set(names)) == len(names) and set(names) <= set(WHAT_IFS) else None
    if name == "model" and not (text.strip() and len(text) <= LONGEST_MODEL_NAME and text.isprintable()):
        return None
    return text


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 5


def _expected(name: str) -> str:
    if name == "walk":
        return "it names no step of the walk"
    if name in CHOICES:
        return f"it can be {', '.join(CHOICES[name])}"
    also = {"head": " or “mean”", "tags": ", “all” or “off”", "heads": ", numbers with dots between, “all” or “none”"}
    if name == "what_if":
        return f"it can be {', '.join(WHAT_IFS)}, with dots between"
    return "it names no model" if name == "model" else f"a number is needed{also.get(name, '')}"


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
        params = {name: value for name, value in params.items() if name not in ("a", "b")}
    return params


def fits_link(selection: Selection) -> bool:
    """Whether both texts fit into an address."""
    return len(urlencode({"a": selection.a, "b": selection.b})) <= LONGEST_LINK


DEFAULT = Selection()


def current() -> Selection:
    """The selection that the widgets hold now."""
    return Selection(**{name: st.session_state[name] for name in NAMES})


def update(**changes: Any) -> None:
    """Change the selection from a callback, or before its widgets are drawn."""
    for name, value in changes.items():
        st.session_state[name] = value


def take(changes: Mapping[str, Any]) -> None:
    """Change the selection as somebody did in a view; what makes no sense is logged and left.

    Args:
        changes: fields of `Selection` that views may change, as text or number. A head that is chosen alone
            is shown alone: `heads` follows it unless it is given as well.
    """
    known: dict[str, Any] = {}
    for name, value in changes.items():
        text = "mean" if (name, value) == ("head", MEAN) else str(value)
        if (name in UNPINNABLE and value == NOTHING) or (name == "heads" and value == ""):
            known[name] = value
        elif name in CHANGEABLE and (parsed := _parsed(name, text)) is not None:
            known[name] = parsed
        else:
            logger.warning("A view asked for %.40s=%.40r, which makes no sense.", name, value)
    if "head" in known:
        known.setdefault("heads", "")
    update(**known)


def restore() -> None:
    """Fill the session from the page's address: when it opens, and when the browser goes back or forward."""
    params = st.query_params.to_dict()
    if "a" not in st.session_state:
        _restore_from(params)
    elif params != st.session_state["url"] and current() == st.session_state["shown"]:
        # The address changed and no widget did. (Where a widget did, a fast click overtook the last address.)
        shown = current()
        _restore_from(params, {} if "a" in params or fits_link(shown) else {"a": shown.a, "b": shown.b})
    now, shown = current(), st.session_state["shown"]
    if (now.a, now.b, now.mode) != (shown.a, shown.b, shown.mode):  # the pinned tokens are gone with their text
        update(query=NOTHING, key=NOTHING)
    if now.head != shown.head and now.heads == shown.heads:  # a head that is chosen alone is shown alone
        update(heads="")
    for name in NAMES:  # Streamlit forgets the value of a widget that one run does not draw
        st.session_state[name] = st.session_state[name]


def hold() -> None:
    """Callback of a button: what the widgets hold stands, even where the address has not caught up with them."""
    st.session_state["url"] = st.query_params.to_dict()


def _restore_from(params: dict[str, str], kept: Mapping[str, str] = MappingProxyType({})) -> None:
    """Take the selection of an address, and what is `kept` where the address does not say."""
    selection, problems = from_query({**kept, **params})
    update(**asdict(selection))
    st.session_state["url"] = params
    st.session_state["shown"] = selection
    st.session_state["link_problems"] = problems


def save(selection: Selection) -> None:
    """Write the selection into the page's address."""
    params = to_query(selection)
    if st.session_state["url"] != params:
        st.query_params.from_dict(params)
        st.session_state["url"] = params
    st.session_state["shown"] = selection
