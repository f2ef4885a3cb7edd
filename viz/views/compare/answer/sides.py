"""What is compared: A with B, a run with one without some heads, a model with another, or two steps of a training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from encoder.comparison.alignment import Matching
from encoder.comparison.compare import WordMeasure
from encoder.errors import SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.offers import ModelName
from encoder.runs.trace import Trace
from encoder.shipped.names import SCRATCH, step_name, steps
from encoder.text.tokens import Tokens
from viz.state.selection import Selection
from viz.wording.excerpts import tokens_shown
from viz.wording.labels import escape_markdown, heads_in_words, make_visible, name_label
from viz.wording.models import name_in_short, title_of_model

Heads = tuple[tuple[int, int], ...]  # layer and head of each
RunModel = Callable[[str, str, str | None, Heads], Trace]  # over a text or a pair, with some heads silenced


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The two runs that are compared.

    Attributes:
        names: of the two.
        places: "pair", "A" or "B": places of the page whose pinned tokens are shown.
        is_quoted: whether a sentence writes the names in quotation marks.
        measure: how words are compared; models that were trained separately have no common axes.
        matching: which head of B a head of A is compared with.
        note: a remark on the two, as Markdown.
        texts: A and B if both are runs of one model, each encoded alone.
    """

    a: Trace
    b: Trace
    names: tuple[str, str]
    places: tuple[str, str]
    is_quoted: bool = True
    measure: WordMeasure = "states"
    matching: Matching = "number"
    note: str = ""
    texts: tuple[str, str] | None = None

    @property
    def in_words(self) -> tuple[str, str]:
        """The names in a sentence, as plain text."""
        first, second = (f"“{name}”" if self.is_quoted else name for name in self.names)
        return first, second

    @property
    def in_markdown(self) -> tuple[str, str]:
        """The names in a sentence, as Markdown."""
        first, second = map(escape_markdown, self.in_words)
        return first, second


def sides_of(traces: Mapping[str, Trace], selection: Selection, run: RunModel) -> Sides:
    """The two runs of a selection, or their selected excerpts if a text is long; missing runs are made.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
    Raises:
        SelectionError: something is missing; the message says what to do.
        ModelError: the other model cannot be loaded.
        InputError: the other model cannot read the text.
    """
    sides = _whole_sides(traces, selection, run)
    a = sides.a.excerpt(selection.first)
    b = sides.b.excerpt(selection.first if sides.texts else _same_place(a.tokens, sides.b.tokens))
    if a is sides.a and b is sides.b:
        return sides
    return replace(sides, a=a, b=b, note=f"{sides.note} {_about_excerpts(a, b, sides)}".strip(), texts=None)


def _same_place(shown: Tokens, others: Tokens) -> int:
    """Where other tokens of the same text reach the first typed token that is shown."""
    typed = zip(shown.sentence_ids, shown.spans, strict=True)
    start = next(((sentence, span[0]) for sentence, span in typed if sentence is not None and span), (0, 0))
    ends = enumerate(zip(others.sentence_ids, others.spans, strict=True))
    found = (at for at, (sentence, span) in ends if sentence is not None and span and (sentence, span[1]) > start)
    return next(found, 0) if shown.first else 0


def _about_excerpts(a: Trace, b: Trace, sides: Sides) -> str:
    """Which tokens of long texts are compared, as Markdown."""
    if sides.texts is None and tokens_shown(a) == tokens_shown(b):
        return f"Tokens {tokens_shown(a)} are compared."
    shown = [f"tokens {tokens_shown(run)} of {name}" for run, name in zip((a, b), sides.in_markdown, strict=True)]
    carriers = " What carries a difference is measured for shorter texts." if sides.texts else ""
    return f"The view compares {shown[0]} with {shown[1]}.{carriers}"


def _whole_sides(traces: Mapping[str, Trace], selection: Selection, run: RunModel) -> Sides:
    place, first = next(iter(traces.items()))
    texts = first.tokens.texts
    match selection.compare.kind:
        case "texts":
            return _two_texts(traces)
        case "heads":
            silenced = selection.word_lens.silenced or ((selection.layer, selection.head),)
            if MEAN in silenced[0]:
                raise SelectionError("No head is silenced yet: choose one, in the list or on the map.")
            return Sides(
                a=first,
                b=run(first.model_name, *texts, silenced),
                names=("all heads", "silenced"),
                places=(place, place),
                note=f"The same text, run with all heads and without {heads_in_words(silenced)}. Attention can differ "
                "in later layers only.",
            )
        case "models":
            models = selection.model, selection.compare.model
            own, other = _short_names(*models)
            second = run(models[1], *texts, ())
            return Sides(
                a=first,
                b=second,
                names=(own, other),
                places=(place, place),
                measure="structure",
                matching=selection.compare.matching if same_size(first, second) else "likeness",
                note=f"The same text in {_titled(own, models[0])}, the page's model, and in "
                f"{_titled(other, models[1])}.",
            )
        case "steps":
            other_step = nearest_step(selection.compare.step)
            runs = [(step_of(first.model_name), first), (other_step, run(model_at_step(other_step), *texts, ()))]
            (early, a), (late, b) = sorted(runs, key=lambda each: each[0])
            return Sides(
                a=a,
                b=b,
                names=(f"step {early}", f"step {late}"),
                places=(place, place),
                is_quoted=False,
                note=f"The same text in one model, after step {early} and after step {late} of its training.",
            )


def same_size(a: Trace, b: Trace) -> bool:
    """Whether the models of two runs have the same number of layers and heads, so that each head has a counterpart."""
    return (a.num_layers, a.num_heads) == (b.num_layers, b.num_heads)


def _two_texts(traces: Mapping[str, Trace]) -> Sides:
    if len(traces) < 2:
        raise SelectionError("This compares two sentences: type a second one, or choose one of the minimal pairs.")
    a, b = traces.values()
    return Sides(
        a=a,
        b=b,
        names=("A", "B"),
        places=("A", "B"),
        is_quoted=False,
        texts=(a.tokens.sentences[0], b.tokens.sentences[0]),
    )


def step_of(model_name: str) -> int:
    """The step of its training that a model stands for.

    Raises:
        SelectionError: it is not the from-scratch model.
    """
    name = ModelName(model_name)
    if name.listed != SCRATCH:
        raise SelectionError("Only the from-scratch model has saved training steps: open it to compare them.")
    return steps()[-1] if name.step is None else name.step


def nearest_step(wanted: int) -> int:
    """The saved step that is nearest to the wanted one."""
    return min(steps(), key=lambda step: abs(step - wanted))


def model_at_step(step: int) -> str:
    """The name of the from-scratch model after a step of its training."""
    return SCRATCH if step == steps()[-1] else step_name(step)


def _short_names(first: str, second: str) -> tuple[str, str]:
    """Titles of two models, of folders their names; short ones where these still differ."""
    names = [make_visible(_title_or_name(*pair)) for pair in ((first, second), (second, first))]
    short = [name_label(name) for name in names]
    own, other = short if short[0] != short[1] else names
    return own, other


def _title_or_name(name: str, other: str) -> str:
    title = title_of_model(name)
    return name_in_short(name, other) if title == name else title


def _titled(shown: str, model_name: str) -> str:
    """The title of a model, with the name by which the view calls it if that is shorter."""
    title = title_of_model(model_name)
    if title == shown:
        return f"“{escape_markdown(shown)}”"
    return f"{escape_markdown(make_visible(title))} (“{escape_markdown(shown)}”)"
