"""What cut links change: one sentence of a run's outputs before and after, next to random links."""

from __future__ import annotations

from typing import Final

import numpy as np

from encoder.attribution.cuts import PART_OF_SPEECH, SHIFT, LinkEffects
from encoder.runs.links import Link
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Sentence
from viz.wording.labels import escape_markdown, head_in_words, word_label
from viz.wording.numbers import percent, written
from viz.wording.tags import TAG_NAMES

ONE_TEXT: Final = "This is the effect in this sentence, not what the head does elsewhere."
PROBE: Final = "The part of speech is read off the last layer by a probe."
MOST_NAMED: Final = 3  # outputs in the sentence
LEAST: Final = 0.005  # change of a share that is named


def effects(found: LinkEffects) -> Answer:
    """The outputs that change most, what the word is read as before all others, with the range of random links."""
    changes = np.abs(np.nan_to_num(found.after) - np.nan_to_num(found.before))  # below the listed words counts as 0
    shares = [row for row, output in enumerate(found.outputs) if output.what != SHIFT]
    is_read = [output.what in (PART_OF_SPEECH, "tag") for output in found.outputs]
    largest = sorted((row for row in shares if changes[row] >= LEAST), key=lambda row: -changes[row])[:MOST_NAMED]
    said = [_change(found, row) for row in sorted(largest, key=lambda row: not is_read[row])]
    if not said:
        said = ["no probability changes by half a point"] if shares else []
        said += [f"t{_moved(found, row)[1:]}" for row in _moved_rows(found)]
    return Answer((Sentence(f"**{cut_in_words(found.links, found.tokens)}:** {'; '.join(said)}."),))


def about(found: LinkEffects) -> str:
    """What was done, how far the word moves, and what the numbers are, in sentences of Markdown."""
    read = PROBE if any(output.what == PART_OF_SPEECH for output in found.outputs) else ""
    moved = [f"{_moved(found, row)}." for row in _moved_rows(found)]
    if len(found.links) > 1:
        are_cut = all(link.factor == 0 for link in found.links)
        said = [f"The rest of each row gets {'its weight' if are_cut else 'what the row loses'}."]
    else:
        drawn = len(found.random)
        done = "cut" if found.links[0].factor == 0 else "changed likewise,"
        control = f"Each of {drawn} random links of similar weight in the same heads is {done} alone."
        no_control = "The text is too short for random links."
        lost = "its weight" if found.links[0].factor == 0 else "what it loses of its weight"
        said = [f"The rest of the row gets {lost} of {found.weight:.2f}.", control if drawn else no_control]
    return " ".join(filter(None, (*said, *moved, read)))


def cut_in_words(links: tuple[Link, ...], tokens: Tokens) -> str:
    """ "Without “flies” → “time” in layer 0, head 4"; of several links their number, for Markdown."""
    if len(links) > 1:
        are_cut = all(link.factor == 0 for link in links)
        return f"Without these {len(links)} links together" if are_cut else f"With these {len(links)} links changed"
    [link] = links
    named = escape_markdown(link_in_words(link, tokens))
    if isinstance(link.factor, str):
        return f"With evenly divided weights of {named}"
    return f"With {percent(link.factor)} of {named}" if link.factor else f"Without {named}"


def link_in_words(link: Link, tokens: Tokens) -> str:
    """“flies” → “time” in layer 0, head 4."""
    place = "in all layers" if link.layer is None else f"in layer {link.layer}"
    place = head_in_words(link.layer, link.head) if link.layer is not None and link.head is not None else place
    place = f"in {place}" if link.head is not None else place
    return f"{_name(link.queries, tokens)} → {_name(link.keys, tokens)} {place}"


def _name(positions: tuple[int, ...], tokens: Tokens) -> str:
    words = list(dict.fromkeys(tokens.word_ids[at] for at in positions))
    if len(words) == 1 and words[0] is not None:
        return f"“{word_label(tokens.words[words[0]])}”"
    return f"“{word_label(' '.join(tokens.labels[at] for at in positions))}”"


def _change(found: LinkEffects, row: int) -> str:
    """ "verb 93 % → 6 % (random links: 33 to 95 %)"."""
    what, of, label = found.outputs[row]
    name = escape_markdown(label) if label else what
    name = TAG_NAMES[label].partition(" ")[2] if what == PART_OF_SPEECH else name
    name = f"{name} for {escape_markdown(word_label(of))}" if of and what in ("word at mask", "answer") else name
    before, after = number(what, found.before[row]), number(what, found.after[row])
    return f"{name} {before} → **{after}**{_random(found, row)}"


def _moved(found: LinkEffects, row: int) -> str:
    of = escape_markdown(word_label(found.outputs[row].of))
    return f"The last vector of “{of}” moves by {written(found.after[row], '.2f')}{_random(found, row)}"


def _moved_rows(found: LinkEffects) -> list[int]:
    return [row for row, output in enumerate(found.outputs) if output.what == SHIFT]


def _random(found: LinkEffects, row: int) -> str:
    drawn = random_range(found, row)
    return f" (random links: {drawn})" if drawn else ""


def random_range(found: LinkEffects, row: int) -> str:
    """The range of an output after random links were changed; "" without such links, or where one is not listed."""
    what, drawn = found.outputs[row].what, found.random[:, row]
    if not len(drawn) or np.isnan(drawn).any():
        return ""
    low, high = (number(what, value) for value in (drawn.min(), drawn.max()))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def number(what: str, value: float) -> str:
    """A value of a kind of output, as `Output.what` names it: a share in percent, a score or a shift as a number."""
    if np.isnan(value):
        return "below the listed words"
    return written(value, ".2f") if what in ("score", SHIFT) else percent(float(value))
