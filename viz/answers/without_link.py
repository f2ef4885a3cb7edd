"""What the model makes of a word that may not look where it looks most, in a sentence next to random links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from encoder.attribution.cuts import PART_OF_SPEECH, SHIFT, LinkEffects
from viz.answers.answer import Answer, Sentence
from viz.answers.cuts import LEAST, number, random_range
from viz.answers.strongest_link import Link
from viz.wording.labels import escape_markdown, name_label
from viz.wording.tags import TAG_NAMES

READ_BY: Final = (PART_OF_SPEECH, "tag", "class", "score", SHIFT)  # the first that the model has is named


@dataclass(frozen=True, slots=True, kw_only=True)
class Without:
    """A link, what its cut in all layers changes, and what the cut of the word's links to all other words does.

    Attributes:
        of_words: None where the link itself matters, or where there is nothing to compare it with.
    """

    link: Link
    of_link: LinkEffects
    of_words: LinkEffects | None = None


def matters(found: LinkEffects) -> bool:
    """Whether the reading is another one, or its number leaves the range of random links by half a point."""
    before, after = _reading(found)
    drawn, value = found.random[:, before], float(found.after[before])
    if not len(drawn) or np.isnan(drawn).any():
        return before != after or abs(value - float(found.before[before])) >= LEAST
    return before != after or not drawn.min() - LEAST < value < drawn.max() + LEAST


def is_named(found: LinkEffects) -> bool:
    """Whether the reading is a label."""
    return bool(found.outputs[_reading(found)[0]].label)


def without_links(tried: Sequence[Without]) -> Answer:
    """What each link changes: “Without any look at “time”, the model reads it as a noun (88 %, before 5 % …).”"""
    looks = ["any look at ", *[""] * len(tried)]  # said once
    return Answer((Sentence(" ".join(map(_sentence, tried, looks))),))


def _sentence(tried: Without, look: str) -> str:
    link = tried.link
    target = f"“{escape_markdown(link.target)}”" if link.target else "itself"
    where = f"In {link.letter}, without" if link.letter else "Without"
    return f"{where} {look}{target}, {_effect(tried.of_link)}{_why(tried)}."


def _effect(found: LinkEffects) -> str:
    """The reading without the link, before, and with random links cut instead."""
    before, after = _reading(found)
    what, _, label = found.outputs[after]
    now, was = (number(what, values[after]) for values in (found.after, found.before))
    drawn = random_range(found, after)
    control = f"; random links: {drawn}" if drawn else ""
    if what == SHIFT:
        return f"its last vector moves by {now}" + (f" (random links: {drawn})" if drawn else "")
    if not label:
        return f"the score is {now} (before {was}{control})"
    if before != after:
        says = {PART_OF_SPEECH: "reads it as", "tag": "tags it as"}.get(what, "says")
        return f"the model {says} **{_name(found, after)}** ({now}, before {was}{control})"
    stays = f"{_subject(what)} stays {_name(found, after)}"
    return f"{stays}, at {now} (before {was}{control})" if matters(found) else f"{stays} ({now}{control})"


def _why(tried: Without) -> str:
    """Why a cut changes nothing: what is left without any look at another word."""
    if tried.of_words is None:
        return ""
    before, after = _reading(tried.of_words)
    what = tried.of_words.outputs[after].what
    share = number(what, tried.of_words.after[after])
    alone = f"“{escape_markdown(tried.link.word)}” sees no other word"
    if before == after:
        return f", as when {alone} ({share})"
    return f"; when {alone}, {_subject(what)} is {_name(tried.of_words, after)} ({share})"


def _subject(what: str) -> str:
    return "the class" if what == "class" else "it"


def _name(found: LinkEffects, row: int) -> str:
    what, _, label = found.outputs[row]
    return TAG_NAMES[label] if what == PART_OF_SPEECH else f"“{escape_markdown(name_label(label))}”"


def _reading(found: LinkEffects) -> tuple[int, int]:
    """The rows of what the model makes of the word, before and after."""
    kinds = [output.what for output in found.outputs]
    what = next(each for each in READ_BY if each in kinds)
    rows = [row for row, kind in enumerate(kinds) if kind == what]
    before, after = (max(rows, key=values.__getitem__) for values in (found.before, found.after))
    return before, after
