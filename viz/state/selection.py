"""The selection: everything that the page shows, one small record for each part of it.

Its values are typed, and each says how the page's address and the browser name it. `viz.state.reducer` changes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from encoder.attribution.methods.facts import Quantity
from encoder.attribution.questions import Method, OutputKind, QuestionKind, Removal
from encoder.collection.names import SwapMeasure, WordForms
from encoder.comparison.alignment import Matching
from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.senses.rows import shipped_senses
from encoder.measures.unit_attention import Sentences
from encoder.measures.units import Level, Special
from encoder.runs.links import Link
from encoder.shipped.names import BUNDLED, SCRATCH, UNTRAINED
from encoder.shipped.tasks import EXAMPLES as TASK_EXAMPLES
from encoder.shipped.tasks import Task
from viz.examples import EXAMPLES, Mode
from viz.state.codecs import (
    COLLECTION,
    CUTS,
    HEAD,
    HEADS,
    MODEL_NAME,
    MODEL_NAMES,
    OPTIONAL_MODEL_NAME,
    PROBED_STATES,
    ROWS,
    SILENCED_HEADS,
    TOUR,
    WHAT_IF_NAMES,
    Codec,
    Cuts,
    Heads,
    Tags,
    one_of,
    param,
)

View = Literal[
    "tokens",
    "heat map",
    "head view",
    "model view",
    "neuron view",
    "models",
    "word lens",
    "predictions",
    "why",
    "why here",
    "routes",
    "similar because",
    "compare",
    "anatomy",
    "decoder",
    "norms",
    "texts",
    "driving words",
    "search",
    "swaps",
    "word map",
    "bertviz",
    "data",
]
Effect = Literal["final vector", "part of speech", "shift"]
Carried = Literal["part of speech", "shift"]
BertViz = Literal["head view", "model view"]
Run = Literal["A", "B", "decoder"]
Kinds = Literal["cross", "decoder", "encoder", "all"]
Picture = Literal["heat map", "head view", "model view", "neuron view"]
Scale = Literal["auto", "linear", "root", "largest"]
Side = Literal["A", "B"]
Compared = Literal["texts", "heads", "models", "steps"]
Pictured = Literal["one head", "all heads"]
Order = Literal["errors", "unsure", "table"]

QUANTITY_VIEWS: tuple[View, ...] = ("heat map", "head view", "model view", "data")  # the others show weights alone
# Those that show the run with its cut links; the others show it without.
CUT_VIEWS: tuple[View, ...] = ("tokens", "heat map", "head view", "model view", "data", "norms", "predictions")
COLLECTION_VIEWS: tuple[View, ...] = ("texts", "driving words", "search", "swaps", "word map")  # of a table
AUTOMATIC, OWN, NO_SENTENCES = "auto", "own", "none"
OWN_TOUR = "own"
LAST_LAYER = 9999  # clamped to the model's last layer
LAST_STEP = 9999  # replaced by the nearest saved step
LAST_STATE = 6  # of the default model, and clamped to the model in use: index into the hidden states


def shipped_words() -> tuple[str, ...]:
    """The words with shipped sentences, each of which is labelled with the word's sense."""
    return tuple(dict.fromkeys(row.word for row in shipped_senses()))


def _sentence_set(text: str) -> str:
    """The name of shipped sentences, looked up in their file, which is read lazily."""
    return one_of((AUTOMATIC, OWN, NO_SENTENCES, *shipped_words())).decode(text)


SENTENCE_SET: Codec[str] = Codec(_sentence_set)
COLLECTION_VIEW: Codec[str] = one_of(COLLECTION_VIEWS)
A_STEP: Codec[str] = one_of(get_args(StepKey), "it names no step of the anatomy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The two sentences, and whether they are encoded as one pair; B is blank where there is one sentence."""

    a: str = param(EXAMPLES[0].a, browser="types")
    b: str = param(EXAMPLES[0].b, browser="types")
    mode: Mode = param(EXAMPLES[0].mode, opening=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """Positions of the pinned query token and the pinned key token.

    Attributes:
        run: of the tokens: sentence A or B if two are encoded separately, or the decoder's run.
    """

    query: int | None = param(None, browser="shares")
    key: int | None = param(None, browser="shares")
    run: Run = param("A", name="pinned_in", browser="shares")


@dataclass(frozen=True, slots=True)
class Substitute:
    """A layer and a head that a model lacks, and those shown instead; each is (layer, head)."""

    wanted: tuple[int, int]
    shown: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A layer and a head of a model, and the tokens that are pinned there. They may exceed the model's.

    Attributes:
        head: -1 for the mean over heads.
        heads: whose lines the head view draws: those of the selected head, of all heads, of none, or of these.
        substitute: set while the model lacks the layer or the head that was chosen. Another model that has them shows
            them again. It is neither compared nor in the address.
    """

    layer: int = param(EXAMPLES[0].layer, browser="shares")
    head: int = param(EXAMPLES[0].head, HEAD, browser="shares")
    heads: Heads = param("selected", HEADS, browser="shares")
    pins: Pins = field(default_factory=Pins)
    substitute: Substitute | None = field(default=None, compare=False)

    @property
    def wanted(self) -> tuple[int, int]:
        """The layer and the head that were chosen, whether or not the model has them."""
        shown = self.layer, self.head
        return self.substitute.wanted if self.substitute and self.substitute.shown == shown else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLens:
    """The word that the lens is about, and what its charts show.

    Attributes:
        word_a, word_b: index of the word among the words of A and of B; None for a word that the view finds.
        sentences: in addition to A and B: "auto" for the shipped ones of that word, "own" for those of `typed`, "none",
            or a shipped word.
        silenced: (layer, head) of the heads that are silenced together.
        effect: what the map of all heads' effects shows.
        carried: what the map of patched tokens shows.
    """

    word_a: int | None = param(None, name="at_a", browser="sends")
    word_b: int | None = param(None, name="at_b", browser="sends")
    sentences: str = param(AUTOMATIC, SENTENCE_SET, name="further")
    typed: str = ""
    silenced: tuple[tuple[int, int], ...] = param((), SILENCED_HEADS)
    effect: Effect = "final vector"
    carried: Carried = "part of speech"


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The output number that is explained by words, and how the explanation is tested.

    Attributes:
        label: the class, the part of speech, or the word among the candidates for a mask; None for the likeliest.
        rival: the one that it is compared with; None for the likeliest other one.
        word: the word whose part of speech is read, or the mask; None for one that the view chooses.
        layer: after which the word is read.
        side: the sentence whose words are coloured, if the two are encoded separately.
        method: by which the number is split.
        removal: how words are removed.
        removed: the number of words removed in the remaining sentence.
    """

    kind: QuestionKind = param("class", name="why")
    label: int | None = param(None, name="why_label")
    rival: int | None = param(None, name="why_rival")
    word: int | None = param(None, name="why_word")
    layer: int = param(LAST_LAYER, name="why_layer")
    side: Side = param("A", name="why_side")
    method: Method = param("integrated-gradients", name="why_method")
    removal: Removal = param("mask", name="why_removal")
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """What the page's run is compared with.

    Attributes:
        kind: sentence A with B, a run with one in which heads are silenced, a model with another one, or the
            from-scratch model with an earlier or later step of its training.
        number: the output that is compared for A and B; another one if the model has no such head.
        model, step: the other model, and the other step.
        matching: whether a head of one model is compared with the head of the same number in the other one, or with
            the head whose attention is most alike. Models of different sizes are compared by likeness.
    """

    kind: Compared = param("texts", name="compare")
    number: OutputKind = param("class", name="compared_number")
    model: str = param("bundled-sentiment", MODEL_NAME, name="with_model")
    matching: Matching = param("number", name="matched")
    step: int = param(0, name="with_step")


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """The models next to the page's model, and what is shown of each.

    Attributes:
        models: their names, in the order of the pictures; the page's own model is not shown twice.
        step: of the training of the from-scratch model.
    """

    models: tuple[str, ...] = param((UNTRAINED, SCRATCH, BUNDLED), MODEL_NAMES)
    step: int = param(LAST_STEP, name="trained")
    picture: Pictured = param("one head", name="pictured")


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    """The open step of the anatomy, the mask and the changes that its steps show, and the cell that all steps follow.

    Attributes:
        row, column: of the cell; None for the one that the view finds. The row is the query's token.
        dimension: the column where columns are dimensions or units; None for the same number as `column`.
    """

    step: StepKey = param("text", A_STEP, name="walk", browser="sends")
    mask: Mask = "none"
    what_ifs: tuple[WhatIf, ...] = param((), WHAT_IF_NAMES, name="what_if")
    row: int | None = param(None, browser="sends")
    column: int | None = param(None, browser="sends")
    dimension: int | None = param(None, browser="sends")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The table of texts, and which of its rows are shown.

    Attributes:
        collection: one that ships, or "own" for the user's, which no link carries.
        rows: a filter, as in `encoder.collection.row_filters`: "errors", "false positives of good", "topic=hotel".
        order: of the rows: errors or the least sure first, or as in the table.
        opened: index of the row that was opened in another view; None if A and B are none of its rows.
        opened_from: the view that it was opened from.
        query, second_query: what is searched for, and a query next to it; "" for none.
        hit: index of the row that the search explains; None for the first hit.
        part: a set of templates with swaps; "" for the first.
        measure, label: what swaps are measured by, and of which class; None for the last class.
        word, forms: the word whose occurrences are mapped, "" for a suggested one; and whether its inflections
            count, and in which language.
        colour: what the points of the map are coloured by: a column; "" for one that the view chooses.
        map_state: index of the hidden state that the map begins with; None for the one that separates best.
        other_model: whose results, or pieces of A and B, are next to those of the page's model; "" for none.
        driven: the class that words push to; "" for the predicted class of each row.
        driving_word: the word whose rows are listed; "" for the first one.
    """

    collection: str = param("reviews", COLLECTION, opening=True)
    rows: str = param("all", ROWS)
    order: Order = "errors"
    opened: int | None = param(None, name="from_row")
    opened_from: View = param("texts", COLLECTION_VIEW, name="from_view")
    query: str = param("", name="find")
    second_query: str = param("", name="find_too")
    hit: int | None = None
    other_model: str = param("", OPTIONAL_MODEL_NAME)
    part: str = param("", ROWS)
    measure: SwapMeasure = param("class", name="swap_measure")
    label: int | None = param(None, name="swap_label")
    driven: str = param("", ROWS)
    driving_word: str = param("", ROWS)
    word: str = ""
    forms: WordForms = "form"
    colour: str = param("", ROWS)
    map_state: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """The encoder-decoder, its task and text, and how its attention is shown.

    Attributes:
        kind: which of its attentions the view shows.
        step: the decoding step that is shown, counted from 0; None for the last one.
        place: its layer and head, separate from the encoder's. It starts at the last layer, which shows most.
    """

    model: str = param("seq2seq", MODEL_NAME, name="writer", opening=True)
    task: Task = param("reverse", opening=True)
    source: str = param(TASK_EXAMPLES["reverse"], browser="types")
    kind: Kinds = "cross"
    picture: Picture = "heat map"
    step: int | None = param(None, name="at_step")
    place: Place = field(default_factory=lambda: Place(layer=LAST_LAYER, head=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the page shows.

    Attributes:
        model: the encoder, and `place` its layer and head.
        level, special: whether a row is a wordpiece or a word, and whether special tokens have rows.
        first: of a text of more than 512 tokens, the first one that views of attention show.
        cuts: links of the shown run that are cut, in the views of `CUT_VIEWS`.
        sentences: restricts the attention of a pair to that from one sentence to another.
        scale: of the heat map's colours: "linear" from 0 to 1, by the square "root", linear up to the "largest" weight
            shown, or by the text's length ("auto").
        quantity: what heat map, head view, model view and data show: weights, or the numbers of another method.
        tags: the probe that reads the parts of speech under the tokens: none ("off"), the one that reads "all" layers
            together, or the one of an index into the hidden states.
        fill: the word whose place among all words for a mask the view Predictions shows; "" for none.
        bertviz: which of BertViz's two views.
        stage: whether the page is in presentation mode: the view and the sentences alone, in large type.
        tour: the open tour: a shipped one, "own" for the user's, or "" for none.
        stop: which of its stops, counted from 1.
    """

    texts: Texts = field(default_factory=Texts)
    model: str = param("bundled", MODEL_NAME, opening=True)
    place: Place = field(default_factory=Place)
    cuts: Cuts = param((), CUTS, name="cut", browser="sends")
    sentences: Sentences = param("all", browser="shares")
    scale: Scale = param("auto", browser="shares")
    quantity: Quantity = field(default_factory=Quantity)
    view: View = param("heat map", browser="sends")
    stage: bool = param(False, opening=True)
    bertviz: BertViz = "head view"
    level: Level = param("wordpieces", opening=True)
    special: Special = param("show", opening=True)
    first: int = 0
    tags: Tags = param(LAST_STATE, PROBED_STATES, opening=True)
    word_lens: WordLens = field(default_factory=WordLens)
    why: Why = field(default_factory=Why)
    fill: str = ""
    compare: Compare = field(default_factory=Compare)
    side_by_side: SideBySide = field(default_factory=SideBySide)
    anatomy: Anatomy = field(default_factory=Anatomy)
    decoder: Decoder = field(default_factory=Decoder)
    table: Table = field(default_factory=Table)
    tour: str = param("", TOUR)
    stop: int = 1

    @property
    def shows_decoder(self) -> bool:
        """Whether the page shows the encoder-decoder, which has its own text, model and place."""
        return self.view == "decoder"

    @property
    def shows_collection(self) -> bool:
        """Whether the page shows a table of texts instead of A and B."""
        return self.view in COLLECTION_VIEWS

    @property
    def drawn(self) -> Quantity:
        """The quantity that the open view shows: the chosen one, or weights if it shows only these."""
        return self.quantity if self.view in QUANTITY_VIEWS else Quantity()

    @property
    def draws_weights(self) -> bool:
        """Whether the open view shows attention weights."""
        return self.drawn.method == "weights"

    @property
    def encodes_apart(self) -> bool:
        """Whether the view encodes the sentences separately, whatever the texts' mode."""
        compares_texts = self.view == "compare" and self.compare.kind == "texts"
        return self.view in ("word lens", "similar because") or compares_texts

    @property
    def mode(self) -> Mode:
        """How the open view encodes two sentences."""
        return "separate" if self.encodes_apart else self.texts.mode

    @property
    def shown_place(self) -> Place:
        """Layer, head and pins of the model that the page shows."""
        return self.decoder.place if self.shows_decoder else self.place

    @property
    def layer(self) -> int:
        """The selected layer of the model that the page shows."""
        return self.shown_place.layer

    @property
    def head(self) -> int:
        """The selected head of the model that the page shows; -1 for the mean over heads."""
        return self.shown_place.head

    @property
    def runs(self) -> tuple[tuple[str, str | None], ...]:
        """The texts to encode: one pair (A, B), or A and B separately; B is None if it is blank."""
        a, b = self.texts.a, self.texts.b
        if not b.strip():
            return ((a, None),)
        return ((a, None), (b, None)) if self.mode == "separate" else ((a, b),)

    @property
    def changed_runs(self) -> tuple[tuple[str, str | None, tuple[Link, ...]], ...]:
        """The texts to encode, as `runs`, and the links that are cut in each for the open view."""
        return tuple(
            (*texts, tuple(cut.link for cut in self.cuts_of("AB"[index]))) for index, texts in enumerate(self.runs)
        )

    def cuts_of(self, run: str) -> Cuts:
        """The cut links that the open view shows of a run: of A or the pair, or of "B" alone."""
        letter = "B" if run == "B" else "A"
        return tuple(cut for cut in self.cuts if cut.run == letter) if self.view in CUT_VIEWS else ()

    def with_place(self, place: Place) -> Selection:
        """The same with another place in the model that the page shows."""
        if self.shows_decoder:
            return replace(self, decoder=replace(self.decoder, place=place))
        return replace(self, place=place)


def texts_in(place: str) -> list[str]:
    """The texts whose pinned tokens a place shows: "pair", "A", "B" or "decoder"."""
    return ["A", "B"] if place == "pair" else [place]


DEFAULT = Selection()  # what the page opens with
ADDRESS_BASE = replace(DEFAULT, texts=replace(DEFAULT.texts, mode="pair"), tags="off")
"""Values of the fields that an address omits. Links outlive the page's defaults: if a default changes, its old value
stays here."""
COMPARE_WITH_RANDOM: Final[Mapping[str, Any]] = {"view": "models", "models": DEFAULT.side_by_side.models}
"""The change, by names of `viz.state.fields.FIELDS`, that opens the page's model next to an untrained one."""
