"""Cut links: what they change together in a run's outputs, and what the strongest links of words would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from encoder import Backend
from encoder.attribution.cuts import DRAWS, LinkEffects, effects_of_runs, link_effects
from encoder.progress import Progress, no_progress
from encoder.runs.links import Link
from encoder.runs.trace import Trace
from viz.answers.cuts import effects as effects_in_words
from viz.answers.strongest_link import Link as Strongest
from viz.answers.without_link import Without, is_named, matters, without_links
from viz.recipes.step import LongStep, Recipe, Step

RUNS: Final = 3 + DRAWS  # of a cut link
MOST_AT_ONCE: Final = 64  # tokens of a text whose runs take about a second

Texts = tuple[str, str | None]


def cuts(before: Trace, after: Trace) -> Recipe[LinkEffects | None]:
    """What the links that a run has changed do, next to random links when those are there.

    Args:
        before, after: runs of the text without and with the links.
    Raises:
        HeadlightError: as `link_effects`.
    """
    found = yield from control_of(after)
    yield effects_in_words(effects_of_runs(before, after) if found is None else found)
    return found


def control_of(after: Trace) -> Step[LinkEffects] | LongStep[LinkEffects]:
    """What the changed links of a run do, with random links."""
    args, tokens = (after.tokens.texts, after.links), RUNS * len(after.tokens)
    if len(after.tokens) <= MOST_AT_ONCE:
        return Step(effects_of_links, args, by_parts=True)
    return LongStep(effects_of_links, args, tokens=tokens, what="The cut link and 20 random ones", key="cuts")


def without_look(traces: Mapping[str, Trace], links: Sequence[Strongest]) -> Recipe[None]:
    """What each link would change if it were cut everywhere, and if it changes nothing, why. Raises HeadlightError.

    Args:
        traces: short ones, by their places.
    """
    tried = []
    for link in links:
        before = traces[link.run]
        tokens = before.tokens
        asked = tokens.texts, (link.cut.link,)
        of_link = yield from Step(effects_of_links, (*asked, DRAWS, before), identity=asked, by_parts=True)
        others = tuple(at for at, word in enumerate(tokens.word_ids) if word is not None and at not in link.queries)
        of_words = None
        if others and is_named(of_link) and not matters(of_link):
            of_all = tokens.texts, (Link(query=link.queries, key=others),), 0
            of_words = yield from Step(effects_of_links, (*of_all, before), identity=of_all, by_parts=True)
        tried.append(Without(link=link, of_link=of_link, of_words=of_words))
    yield without_links(tried)


def effects_of_links(
    backend: Backend,
    texts: Texts,
    links: tuple[Link, ...],
    draws: int = DRAWS,
    before: Trace | None = None,
    *,
    progress: Progress = no_progress,
) -> LinkEffects:
    """What changes by links, and by random ones of a single link."""
    progress(0, 3)
    return link_effects(backend, backend.tokenize(*texts), links, draws=draws, before=before, progress=progress)
