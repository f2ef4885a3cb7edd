"""What the golden file records: pages, by their address, and what commands and notebooks make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FLIES = {"a": "time flies like an arrow", "b": "fruit flies like a banana"}
APART = {**FLIES, "mode": "separate"}
REVIEW = {"model": "bundled-sentiment", "a": "the film was not good"}
LONG = {"a": " ".join(["the old man told his daughter that the river near the town had flooded the bank again"] * 7)}
ODD = {"a": "naïve 😀 שלום </script><b>&amp; ``` $x$ unbelievableness", "b": "عربي [MASK] ##s | \\ “quoted” 1+1=2"}

STEPS = (
    "text", "ids", "embeddings", "positions", "projections", "scores", "scaling", "mask", "softmax", "context", "heads",
    "output", "residual", "feed-forward", "layers", "prediction", "what-if", "numbers",
)  # fmt: skip
STOPS = (("time-flies", 1), ("twelve-steps", 5), ("heads", 2), ("decoder", 2), ("explanation", 3), ("trust", 4))
ANSWER = ("tour_next",)  # which shows a stop's words and claims
TOURS = ("time-flies", "twelve-steps", "heads", "decoder", "explanation", "trust")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSelection:
    """One page.

    Attributes:
        name: its header in the golden file.
        link: its address.
        clicks: keys of buttons that are pressed one after another.
        sidebar: whether the sidebar is recorded too.
        exports: whether the saved pages and the trace's file are made and recorded; tables always are.
    """

    name: str
    link: Mapping[str, str] = field(default_factory=dict)
    clicks: tuple[str, ...] = ()
    sidebar: bool = False
    exports: bool = False


def _page(name: str, /, *parts: Mapping[str, str], **link: str) -> PageSelection:
    return PageSelection(name=name, link={key: value for part in (*parts, link) for key, value in part.items()})


PAGES: tuple[PageSelection, ...] = (
    PageSelection(name="the page as it opens", sidebar=True, exports=True),
    _page("heat map of two sentences apart, with tags", APART, view="heat map", layer="2", head="3", tags="all"),
    _page("heat map of words without special tokens", FLIES, level="words", special="hide", scale="root"),
    _page("heat map renormalised, within sentences", FLIES, special="renormalise", sentences="within", head="mean"),
    _page("heat map of value-weighted norms", FLIES, method="norms", layer="1", head="3"),
    _page("heat map of rollout from the input", FLIES, method="rollout", reach="input", layer="3"),
    _page("heat map of DecompX", REVIEW, method="decompx", reach="input", layer="5"),
    _page("heat map of a long text", LONG, layer="4", head="7", scale="largest"),
    _page("heat map of an odd pair", ODD, mode="pair"),
    _page("heat map of two odd texts of words", ODD, mode="separate", level="words"),
    _page("heat map of an empty text", {"a": "", "b": ""}),
    _page("heat map from scratch, untrained", FLIES, model="scratch-untrained"),
    _page("heat map from scratch with BERT's weights", FLIES, model="scratch-bert", layer="3"),
    _page("heat map of an unknown model", FLIES, model="nobody/nothing"),
    _page("head view of all heads", FLIES, view="head view", heads="all", layer="3", query="3"),
    _page("head view of some heads, ALTI", APART, view="head view", heads="1.4", method="alti", layer="2"),
    _page("model view", FLIES, view="model view"),
    _page("model view of a long text", LONG, view="model view"),
    _page("neuron view", FLIES, view="neuron view", layer="1", head="2", query="3", key="2"),
    _page("neuron view of a long text", LONG, view="neuron view", layer="5", special="hide"),
    _page("tokens of an odd pair", ODD, view="tokens", mode="pair", other_model="scratch"),
    _page("tokens of two equal texts", view="tokens", a="かぎ", b="かき", mode="separate"),
    _page("norms of two sentences apart", APART, view="norms"),
    _page("norms of words", FLIES, view="norms", level="words", special="hide"),
    _page("BertViz, head view", FLIES, view="bertviz"),
    _page("BertViz, model view", APART, view="bertviz", bertviz="model view", model="scratch"),
    _page("data", FLIES, view="data", layer="2", head="mean"),
    _page("data of GlobEnc", FLIES, view="data", layer="2", method="globenc", reach="input"),
    _page("models side by side", FLIES, view="models", mode="separate", layer="2"),
    _page("models side by side, all heads of a pair", FLIES, view="models", pictured="all heads", trained="61"),
    _page("models side by side, a small model first", FLIES, view="models", model="scratch", layer="5", head="9"),
    _page("predictions", APART, view="predictions"),
    _page("predictions of sentiment", REVIEW, view="predictions"),
    _page("predictions from scratch", FLIES, view="predictions", model="scratch"),
    _page("why a sentiment", REVIEW, view="why"),
    _page("why a score, leave one out", REVIEW, view="why", why="score", why_method="leave-one-out", removed="1"),
    _page(
        "why a part of speech, DecompX", FLIES, view="why", why="part of speech", why_method="decompx", why_layer="3"
    ),
    _page("why a similarity, Shapley", FLIES, view="why", why="similarity", why_method="shapley", why_removal="delete"),
    _page("why a shift", FLIES, view="why", why="shift", why_side="B"),
    _page("why here", FLIES, view="why here", layer="2", head="3", query="3", key="2"),
    _page("why here, nothing pinned", APART, view="why here", model="bundled-sentiment"),
    _page("routes of a class", REVIEW, view="routes", model="bundled-sentiment"),
    _page("routes of a part of speech", APART, view="routes", why="part of speech", level="words"),
    _page("similar because", FLIES, view="similar because"),
    _page("similar because, words of an odd pair", a="😀 שלום", b="naïve </b>", view="similar because", level="words"),
    _page("compare texts", FLIES, view="compare", layer="5", head="9"),
    _page("compare heads", FLIES, view="compare", compare="heads", silenced="0.4-3.7"),
    _page("compare models", REVIEW, view="compare", compare="models", with_model="bundled"),
    _page("compare steps", FLIES, view="compare", model="scratch", compare="steps", with_step="1"),
    _page("word lens", FLIES, view="word lens"),
    _page("word lens, heads silenced", FLIES, view="word lens", silenced="0.4-3.7", effect="shift", carried="shift"),
    _page("word lens without sentences", ODD, view="word lens", further="none"),
    *(_page(f"anatomy, {step}", FLIES, view="anatomy", walk=step, layer="2", head="3", row="2") for step in STEPS),
    _page("anatomy, causal mask", FLIES, view="anatomy", walk="softmax", mask="causal", what_if="unscaled"),
    _page("anatomy of the untrained model", FLIES, view="anatomy", walk="context", model="scratch-untrained"),
    PageSelection(name="decoder", link={"view": "decoder"}, sidebar=True, exports=True),
    _page("decoder, neuron view at a step", view="decoder", kind="decoder", picture="neuron view", at_step="2"),
    _page("decoder, head view of all kinds", view="decoder", kind="all", picture="head view", task="sort"),
    _page("stage", APART, stage="1", view="head view"),
    _page("stage, compare", FLIES, stage="1", view="compare"),
    _page("stage, word lens", FLIES, stage="1", view="word lens"),
    *(
        PageSelection(
            name=f"tour {tour}, stop {stop}", link={"tour": tour, "stop": str(stop)}, clicks=ANSWER, sidebar=True
        )
        for tour, stop in STOPS
    ),
    _page("tour on stage", tour="time-flies", stop="3", stage="1"),
    PageSelection(name="saved page of a long text", link={**LONG, "view": "heat map"}, exports=True),
    PageSelection(name="saved page of DecompX", link={**REVIEW, "method": "decompx"}, exports=True),
    PageSelection(name="saved view, why", link={**REVIEW, "view": "why"}, exports=True),
)
