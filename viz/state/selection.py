"""The selection: everything that the page shows, one small record for each part of it.

Its values are typed. Their texts in the page's address are for `viz.state.codecs`, their changes for
`viz.state.reducer`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from encoder.attribution.method_facts import Quantity
from encoder.attribution.questions import Method, OutputKind, QuestionKind, Removal
from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.senses.rows import shipped_senses
from encoder.measures.unit_attention import Sentences
from encoder.measures.units import Level, Special
from encoder.shipped.tasks import EXAMPLES as TASK_EXAMPLES
from encoder.shipped.tasks import Task
from viz.examples import EXAMPLES, Mode

View = Literal[
    "heat map",
    "head view",
    "model view",
    "neuron view",
    "norms",
    "bertviz",
    "data",
    "word lens",
    "predictions",
    "why",
    "why here",
    "similar because",
    "compare",
    "anatomy",
    "decoder",
]
Effect = Literal["final vector", "part of speech", "shift"]
Carried = Literal["part of speech", "shift"]
BertViz = Literal["head view", "model view"]
Run = Literal["A", "B", "decoder"]
Kinds = Literal["cross", "decoder", "encoder", "all"]
Picture = Literal["heat map", "head view", "model view", "neuron view"]
Scale = Literal["auto", "linear", "root", "largest"]
Heads = Literal["selected", "all", "none"] | tuple[int, ...]
Tags = Literal["off", "all"] | int
Side = Literal["A", "B"]
Compared = Literal["texts", "heads", "models", "steps"]

QUANTITY_VIEWS: tuple[View, ...] = ("heat map", "head view", "model view", "data")  # the others show weights alone
AUTOMATIC, OWN, NO_SENTENCES = "auto", "own", "none"
OWN_TOUR = "own"
LAST_LAYER = 9999  # is clamped to the last layer that the model has
WHAT_IFS: tuple[WhatIf, ...] = get_args(WhatIf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The two sentences, and whether they are encoded as one pair; B is blank where there is one sentence."""

    a: str = EXAMPLES[0].a
    b: str = EXAMPLES[0].b
    mode: Mode = EXAMPLES[0].mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """Positions of the pinned tokens, of the one that looks (query) and the one that is looked at (key).

    Attributes:
        run: where they are: in sentence A or B where two are encoded apart, or in the decoder's run.
    """

    query: int | None = None
    key: int | None = None
    run: Run = "A"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A layer and a head of a model, and the tokens that are pinned there. They may exceed what the model has.

    Attributes:
        head: -1 for the mean over heads.
        heads: whose lines the head view draws: the selected head's, those of "all", of "none", or of these.
    """

    layer: int = 0
    head: int = 4
    heads: Heads = "selected"
    pins: Pins = field(default_factory=Pins)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLens:
    """The word that the lens is about, and what its pictures show.

    Attributes:
        word_a, word_b: places of the word among the words of A and of B; None where it is to be found.
        sentences: those beside A and B: "auto" for the shipped ones of that word, "own" for those of `typed`, "none",
            or a shipped word.
        silenced: (layer, head) of the heads that are silenced together.
        effect: what the map of all heads' effects shows.
        carried: what the map of patched tokens shows.
    """

    word_a: int | None = None
    word_b: int | None = None
    sentences: str = AUTOMATIC
    typed: str = ""
    silenced: tuple[tuple[int, int], ...] = ()
    effect: Effect = "final vector"
    carried: Carried = "part of speech"


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The number of the model that is explained by its words, and how that is put to the test.

    Attributes:
        label, word: of the class or the part of speech, and of the word that it is read off; None for the likeliest,
            and for a word that the view chooses.
        layer: after which the word is read.
        side: the sentence whose words are coloured, where the two are encoded apart.
        method: by which the number is split.
        removal: how words are taken away.
        removed: how many of them are, in the sentence that is left.
    """

    kind: QuestionKind = "class"
    label: int | None = None
    word: int | None = None
    layer: int = LAST_LAYER
    side: Side = "A"
    method: Method = "integrated-gradients"
    removal: Removal = "mask"
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """What the page's run is compared with.

    Attributes:
        kind: sentence A with B, a run with one in which heads are silenced, a model with another one, or the
            from-scratch model with an earlier or later step of its training.
        number: what the model puts out for A and for B; another one where it has no such head.
        model, step: the other model, and the other step.
    """

    kind: Compared = "texts"
    number: OutputKind = "class"
    model: str = "bundled-sentiment"
    step: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    """The open step of the anatomy, the mask and the changes that its steps show, and the cell that is worked out."""

    step: StepKey = "text"
    mask: Mask = "none"
    what_ifs: tuple[WhatIf, ...] = ()
    row: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """The encoder-decoder, what it is to do with which text, and how its attention is shown.

    Attributes:
        kind: which of its attentions the picture shows.
        step: the step at which its text is looked at, counted from 0; None for the last one.
        place: its layer and head, apart from the encoder's. It is first seen at its last layer, where most is to be
            seen.
    """

    model: str = "seq2seq"
    task: Task = "reverse"
    source: str = TASK_EXAMPLES["reverse"]
    kind: Kinds = "cross"
    picture: Picture = "heat map"
    step: int | None = None
    place: Place = field(default_factory=lambda: Place(layer=LAST_LAYER, head=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the page shows.

    Attributes:
        model: the encoder, and `place` its layer and head.
        level, special: what a row of a picture stands for, and whether special tokens have one.
        sentences: keeps the attention from one sentence to the other of a pair, and hides the rest.
        scale: how the heat map's colours follow from weights: "linear" from 0 to 1, by their square "root", linearly up
            to the "largest" in the picture, or as the text's length has it ("auto").
        quantity: what heat map, head view, model view and data show: weights, or the numbers of another method.
        tags: the probe that reads the parts of speech under the tokens: none ("off"), the one that reads "all" layers
            together, or the one of an index into the hidden states.
        bertviz: which of BertViz's two views.
        stage: whether the page is shown to an audience: the picture and the sentences alone, in large type.
        tour: the tour that is given: one that ships, "own" for the one that is made here, or "" for none.
        stop: which of its stops, counted from 1.
    """

    texts: Texts = field(default_factory=Texts)
    model: str = "bundled"
    view: View = "heat map"
    stage: bool = False
    place: Place = field(default_factory=Place)
    level: Level = "wordpieces"
    special: Special = "show"
    sentences: Sentences = "all"
    scale: Scale = "auto"
    quantity: Quantity = field(default_factory=Quantity)
    tags: Tags = "off"
    word_lens: WordLens = field(default_factory=WordLens)
    why: Why = field(default_factory=Why)
    compare: Compare = field(default_factory=Compare)
    anatomy: Anatomy = field(default_factory=Anatomy)
    decoder: Decoder = field(default_factory=Decoder)
    bertviz: BertViz = "head view"
    tour: str = ""
    stop: int = 1

    @property
    def shows_decoder(self) -> bool:
        """Whether the page is that of an encoder-decoder, which has a text, a model and a place of its own."""
        return self.view == "decoder"

    @property
    def drawn(self) -> Quantity:
        """What the open view draws: the chosen quantity, or weights where it draws nothing else."""
        return self.quantity if self.view in QUANTITY_VIEWS else Quantity()

    @property
    def draws_weights(self) -> bool:
        """Whether the open view draws attention weights."""
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
        """What to encode: one pair (A, B), or A and B alone; B is None where it is blank."""
        a, b = self.texts.a, self.texts.b
        if not b.strip():
            return ((a, None),)
        return ((a, None), (b, None)) if self.mode == "separate" else ((a, b),)

    def with_place(self, place: Place) -> Selection:
        """The same with another place in the model that the page shows."""
        if self.shows_decoder:
            return replace(self, decoder=replace(self.decoder, place=place))
        return replace(self, place=place)


def shipped_words() -> tuple[str, ...]:
    """The words that have sentences of their own, each labelled with its sense."""
    return tuple(dict.fromkeys(row.word for row in shipped_senses()))


DEFAULT = Selection()  # what the page opens with
ADDRESS_BASE = replace(DEFAULT, texts=replace(DEFAULT.texts, mode="pair"))
"""What an address means that omits a field. Links outlive the page's defaults: where one of those changes, this keeps
the value that it had."""
