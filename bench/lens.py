"""The word lens: from the choice of a word to its map of senses, and the sweep over all heads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from bench.context import BUNDLED, Context
from bench.measure import Row, alternate, compare, timed
from bench.page import Tab
from encoder.catalogue import load
from encoder.experiments.silencing import CONTROL_WORDS, draw_control_words, sweep_heads
from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.shipped.probes import load_probes
from encoder.text.occurrences import positions_of_word
from encoder.text.tokens import Tokens

PART = "The word lens, two sentences of 12 words"
PAINTED, MANY, SWEEP = "< 1500", "< 3000", "≤ 1.5"
A = "time flies like light above our bank while bats watch spring matches"
B = "our bank watch says that spring bats like light while time flies"
COMMON = ("time", "flies", "like", "light", "our", "bank", "while", "bats", "watch", "spring")
SENTENCES = 50


def rows(context: Context) -> Iterator[Row]:
    """A word that was not looked at before, to the sense map, whose fold is open; and the sweep, without a page.

    A word is chosen when the sweep of the one before is over, as by people who have looked at its pictures.
    """
    bundled = load("bundled")
    tokens = [bundled.tokenize(text) for text in (A, B)]
    own = "\n".join(f"{A} {number}" for number in range(SENTENCES))
    sets = (("12 further sentences", {"further": "flies"}, PAINTED), ("50 further sentences", {"further": "own"}, MANY))
    with context.app() as server:
        for name, link, target in sets:
            typed = {"typed": own} if link["further"] == "own" else {}
            with context.tab(server) as tab:
                tab.open(a=A, b=B, view="word lens", **link, **typed)
                further = [bundled.tokenize(line) for line in own.splitlines()] if typed else []
                variants = {"lens": _another_word(tab), "alone": timed(_needed(bundled, tokens, further))}
                times = alternate(variants, min(context.rounds, len(COMMON) - 1))
            what = f"word chosen to the sense map, {name}, over the forward passes needed, {BUNDLED}"
            row = compare(times, "lens", "alone", part=PART, what=what)
            yield row
            yield Row(part=PART, what=f"the same, {name}", ours=row.ours, n=row.n, target=target, judged_by="ours")
    for model, folder in context.models.items():
        backend = bundled if model == BUNDLED else load_folder(model, folder)
        yield _sweep(context, backend, model)


def _another_word(tab: Tab) -> Callable[[], float]:
    numbers = count()

    def sample() -> float:
        tab.page.wait_for_selector(".st-key-lens_sweep_stop", state="detached")
        tab.idle()
        word = COMMON[next(numbers) % len(COMMON)]
        strip = tab.page.locator(".strip").first
        return tab.measure("word lens", strip.locator(".token", has_text=word).first.click).seconds

    return sample


def _needed(backend: Backend, tokens: list[Tokens], further: list[Tokens]) -> Callable[[], object]:
    """Both sentences, and the sentences that are new."""
    texts = [*tokens, *further]
    return lambda: list(backend.hidden_states(texts))


def _sweep(context: Context, backend: Backend, model: str) -> Row:
    """Every head of one sentence silenced in turn, over as many runs with nothing silenced."""
    tokens = backend.tokenize(A)
    word = positions_of_word(tokens, 1)
    words = [word, *draw_control_words(tokens, word, count=CONTROL_WORDS)]
    probes = load_probes("bundled") if model == BUNDLED else None
    runs = backend.num_layers * backend.num_heads
    variants = {
        "sweep": timed(lambda: sweep_heads(backend, tokens, words, probes=probes)),
        "alone": timed(lambda: list(backend.hidden_states([tokens] * runs))),
    }
    what = f"all {runs} heads silenced in turn, over {runs} forward passes in the same batches, {model}"
    return compare(alternate(variants, context.rounds), "sweep", "alone", part=PART, what=what, target=SWEEP)
