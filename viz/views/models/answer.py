"""One sentence in several models: what each model is, and over how many tokens its heads spread their attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from encoder.comparison.alignment import align
from encoder.measures.head_profiles import attended_tokens, mean_entropy_bits
from encoder.measures.near_ties import first_largest
from encoder.measures.unit_attention import MEAN, shown_attention
from encoder.measures.units import units_of
from encoder.offers import CATALOGUE, ModelName
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.names import SCRATCH, is_untrained, steps
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Columns, Sentence, Table
from viz.state.codecs import is_model_name
from viz.state.reducer import nearest_head
from viz.state.selection import Pictured, Selection
from viz.views.compare.answer.sides import model_at_step, nearest_step
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, make_visible
from viz.wording.models import name_in_short, title_of_model
from viz.wording.numbers import percent

ALMOST_EVEN: Final = 0.95  # of all tokens
NO_TOKEN: Final = -1
EXPLANATION: Final = Explanation(
    "All pictures have one scale of colours. Choose a layer and a head, or click a cell: every picture follows. The "
    "strongest link is between two different words.",
    "Heads of models that were trained separately have nothing in common but their number.",
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ModelRun:
    """The run of one of the models.

    Attributes:
        name: of the model, without the revision of its files.
        wanted: the layer and the head that were chosen on the page.
        next_to: names of the other models.
        is_own: whether it is the page's model.
    """

    name: str
    trace: Trace
    wanted: tuple[int, int]
    next_to: tuple[str, ...] = ()
    is_own: bool = False

    @property
    def shown(self) -> tuple[int, int]:
        """The nearest layer and head that the model has."""
        return nearest_head(self.wanted, self.trace.num_layers, self.trace.num_heads)


def other_models(selection: Selection) -> dict[str, str]:
    """The models next to the page's: their names in the selection, and with the training step that is shown."""
    chosen = selection.side_by_side
    at_step = model_at_step(nearest_step(chosen.step))
    return {name: at_step if name == SCRATCH else name for name in chosen.models if name != selection.model}


def with_own(names: Sequence[str], selection: Selection) -> tuple[str, ...]:
    """The chosen models, from those next to the page's: its own keeps its choice for when the page has another.

    Args:
        names: as a list reports them: a browser that has no current list reports titles of the catalogue.
    """
    own = selection.model
    kept = (own,) if own in selection.side_by_side.models else ()
    by_title = {entry.title: name for name, entry in CATALOGUE.items()}
    chosen = [by_title.get(name, name) for name in names]
    return tuple(dict.fromkeys([*(name for name in chosen if is_model_name(name) and name != own), *kept]))


def title_of(run: ModelRun) -> str:
    """The model's title as Markdown; at a training step, that of the trained model."""
    return escape_markdown(_plain_title(run))


def _plain_title(run: ModelRun) -> str:
    name = ModelName(run.name)
    listed = run.name if name.step is None else name.listed
    return title_of_model(listed) if name.entry else make_visible(name_in_short(run.name, *run.next_to))


def description_of(run: ModelRun) -> str:
    """The model's size, and how far it was trained."""
    size = f"{run.trace.num_layers} layers × {run.trace.num_heads} heads"
    return " · ".join(filter(None, (size, _training_of(run.name))))


def _training_of(name: str) -> str:
    if is_untrained(name):
        return "its weights are random"
    if name == SCRATCH:
        return f"after all {steps()[-1]:,} training steps"
    step = ModelName(name).step
    return "" if step is None else f"after {step:,} training steps"


def heading_of(run: ModelRun) -> str:
    """The model's title as plain text, with its training step, for a slide."""
    step = ModelName(run.name).step
    return _plain_title(run) + ("" if step is None else f", step {step:,}")


def spreads(runs: Sequence[ModelRun], picture: Pictured) -> Answer:
    """Over how many tokens each model spreads a token's attention, and the same of every head as a table."""
    return Answer(
        (
            Sentence(_focus(runs, picture) or _spreads_in_words(runs, picture)),
            Table(
                name="models-spread",
                title="Every head in numbers",
                columns=lambda: _table(runs),
                note="Tokens: 2 to the power of the entropy in bits, averaged over the head's rows. 1 is a single "
                "token; all tokens of the text are an even spread.",
                decimals=2,
            ),
        )
    )


def remark_on(run: ModelRun, picture: Pictured) -> str:
    """The largest weight, and the head that is shown if the chosen one does not exist; or the most selective head."""
    if picture == "all heads":
        return _most_selective_head(run.trace)
    return " ".join(filter(None, (_substitute(run), _strongest_link(run))))


def follows(run: ModelRun, own: ModelRun) -> dict[str, Any]:
    """What a picture of a model needs to follow the page's model: layer, head, and the tokens of pins."""
    return {
        "layers": run.trace.num_layers,
        "heads": run.trace.num_heads,
        "tokens": tokens_of_page(own.trace.tokens, run.trace.tokens),
        "shown": own.shown,
        "wanted": own.wanted,
    }


def tokens_of_page(own: Tokens, other: Tokens) -> list[int]:
    """For each token of the page's model, the token of another model at the same place in the same word; or -1."""
    if own.pieces == other.pieces:
        return list(range(len(own)))
    found = [NO_TOKEN] * len(own)
    alignment = align(own, other)
    for in_own, in_other in alignment.shared:
        for token, counterpart in zip(alignment.a.members[in_own], alignment.b.members[in_other], strict=False):
            found[token] = counterpart
    return found


def _in_words(place: tuple[int, int]) -> str:
    layer, head = place
    return f"layer {layer}, mean over heads" if head == MEAN else f"layer {layer}, head {head}"


def _focus(runs: Sequence[ModelRun], picture: Pictured) -> str:
    """Whether training focuses attention, if the page's model is trained and an untrained one is next to it."""
    untrained = next((run for run in runs[1:] if is_untrained(run.name)), None)
    if untrained is None or is_untrained(runs[0].name):
        return ""
    (own, of_own), (other, of_other) = ((_spread(run, picture), len(run.trace.tokens)) for run in (runs[0], untrained))
    here = f"over {own:.1f} of {of_own} tokens, and over {other:.1f} of {of_other} with random weights"
    focuses = "focuses" if own / of_own < other / of_other else "does not focus"
    return f"**Training {focuses} attention here:** a token spreads its attention {here}."


def _spreads_in_words(runs: Sequence[ModelRun], picture: Pictured) -> str:
    parts = [_spread_in_words(run, picture) for run in runs]
    listed = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    where = f"In {_in_words(runs[0].wanted)}"
    if picture == "all heads":
        where = "On average over all heads"
    elif any(run.shown != run.wanted for run in runs):
        where += " or the nearest that a model has"
    return f"{where}, a token spreads its attention {listed}."


def _spread(run: ModelRun, picture: Pictured) -> float:
    """Over how many tokens the shown head, or the mean head, spreads a token's attention."""
    entropies = _entropies(run.trace) if picture == "all heads" else mean_entropy_bits(_shown_weights(run))
    return float(attended_tokens(entropies.mean()))


def _spread_in_words(run: ModelRun, picture: Pictured) -> str:
    count, spread = len(run.trace.tokens), _spread(run, picture)
    even = ", almost evenly," if spread >= ALMOST_EVEN * count else ""
    return f"over **{spread:.1f} of {count}** tokens{even} in {title_of(run)}"


def _shown_weights(run: ModelRun) -> FloatArray:
    """(T, T) weights of the shown head, or mean weights of the shown layer."""
    layer, head = run.shown
    weights = run.trace.weights(layer)  # (H, T, T)
    shown: FloatArray = weights.mean(axis=0) if head == MEAN else weights[head]
    return shown


def _entropies(trace: Trace) -> FloatArray:
    """(L, H) entropies in bits."""
    return np.stack([mean_entropy_bits(trace.weights(layer)) for layer in range(trace.num_layers)])


def _most_selective_head(trace: Trace) -> str:
    spread = attended_tokens(_entropies(trace))
    layer, head = np.unravel_index(first_largest(-spread), spread.shape)
    return f"Most selective: layer {layer}, head {head}, over {spread[layer, head]:.1f} of {len(trace.tokens)} tokens."


def _strongest_link(run: ModelRun) -> str:
    words = units_of(run.trace.tokens, level="words", special="hide")
    if len(words) < 2:
        return ""
    weights = shown_attention(_shown_weights(run), words, "hide")[0].copy()  # (U, U)
    np.fill_diagonal(weights, 0)
    query, key = np.unravel_index(first_largest(weights), weights.shape)
    labels = [escape_markdown(make_visible(words.labels[index])) for index in (query, key)]
    share = percent(float(weights[query, key]))
    return f"Strongest link: “{labels[0]}” → “{labels[1]}”, {share}."


def _substitute(run: ModelRun) -> str:
    if run.shown == run.wanted:
        return ""
    return f"{_in_words(run.shown).capitalize()}, the nearest that it has."


def _table(runs: Sequence[ModelRun]) -> Columns:
    spread = [attended_tokens(_entropies(run.trace)) for run in runs]  # (L, H) each
    places = [np.indices(each.shape).reshape(2, -1) for each in spread]
    return {
        "model": np.repeat([run.name for run in runs], [each.size for each in spread]),
        "layer": np.concatenate([layers for layers, _ in places]),
        "head": np.concatenate([heads for _, heads in places]),
        "tokens": np.concatenate([each.ravel() for each in spread]),
        "of": np.repeat([len(run.trace.tokens) for run in runs], [each.size for each in spread]),
    }
