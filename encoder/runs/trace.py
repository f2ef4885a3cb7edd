"""One run of an encoder as an immutable record of numpy arrays.

A trace stores queries, keys and values, and computes attention weights on demand, one layer at a time: at 512 tokens,
the weights of BERT-base take 151 MB, its queries and keys 38 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np

from encoder.columns import SHORT, Columns
from encoder.errors import ArgumentError, NotFiniteError, SelectionError, ShapeError, TraceFileError
from encoder.runs.arrays import ByValue, FloatArray, NamedArray, check_finite
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.links import Link
from encoder.runs.trace_file import as_tuple, pack, read_tokens, unpack
from encoder.text.tokens import Tokens

# The first ones are names of sentence-transformers; the last two stand for a folder's own modules.
PoolingMode = Literal["mean", "cls", "max", "weightedmean", "lasttoken", "linear modules", "modules"]
OWN_MODULES = ("linear modules", "modules")
ALL_READ = "All positions:"  # how the note begins that says what the end of a text changes that is usually cut off
# How notes begin that describe the model; all others are caveats.
DESCRIPTIONS = (
    "The vector of a text",
    "The prompt",
    "This folder has prompts",
    "The adapter",
    "This encoder-decoder",
    "The choices in B",
    ALL_READ,
)
WORD_WEIGHTS = "a weight of each word of its vocabulary, as SPLADE does"  # how a note describes such a model
UNUSED_HEAD = "The checkpoint's head"  # begins the note on one that is not used
LAYER_ARRAYS = ("query", "key", "value", "bias", "sink", "given_weights")
PREDICTION_ARRAYS = ("logits", "probabilities")
TokenTask = Literal["tags", "span", "mask"]
TOKEN_PREDICTION_ARRAYS = ("logits", "normaliser")
WHOLE = 1e-3  # tolerance for probabilities that sum to 1
MOST_WEIGHTS = 1_000_000_000  # bytes of the weights of all layers


def name_states(index: int) -> str:
    """The name of one of the L + 1 hidden states, for messages."""
    return "the embedding output" if index == 0 else f"the states after layer {index - 1}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Prediction(ByValue, Columns):
    """The prediction of a model's head for a text.

    `probabilities` is None for pure regression, `score` without a regression head, `score_range` if unknown. `of` says
    whether the labels are classes of the text, the choices of which the head prefers one, or labels of which several
    may hold.
    """

    labels: tuple[str, ...]
    logits: FloatArray  # (C,)
    probabilities: FloatArray | None  # (C,)
    score: float | None = None
    score_range: tuple[float, float] | None = None
    trained: bool = True
    note: str = ""
    of: Literal["classes", "choices", "labels"] = "classes"

    @property
    def logit(self) -> float | None:
        """The logit of a single score that is a function of it; None if the score is the logit, or there is none."""
        is_single = self.score is not None and self.labels == ("score",) and self.note != ""
        return float(self.logits[0]) if is_single else None

    @property
    def about(self) -> str:
        return f"of {self.of}" if self.score is None else f"of {self.of}, score {self.score:.4g}"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of C rows: the label, its logit, and its probability if there are probabilities."""
        columns = {"label": self.labels, "logit": self.logits}
        if self.logit is not None:
            columns["score"] = (self.score,)
        return columns if self.probabilities is None else {**columns, "probability": self.probabilities}

    @property
    def is_choice(self) -> bool:
        """Whether the head chooses one of several classes: its probabilities sum to 1."""
        shares = self.probabilities
        return self.of != "labels" and shares is not None and len(shares) > 1 and abs(float(shares.sum()) - 1) < WHOLE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TokenPrediction(ByValue, Columns):
    """The prediction of a head that reads the state of each token, for P tokens of a text.

    Attributes:
        task: "tags" for a tag of each token, "span" for the start and the end of an answer, "mask" for the word at a
            masked token.
        positions: the P tokens.
        logits: (P, C) of the tags, of a start and an end at the token, or of its C likeliest vocabulary pieces in
            descending order.
        labels: names of the C tags, or "start" and "end"; empty for "mask".
        candidates, candidate_ids: for "mask", P tuples of C vocabulary pieces and their ids.
        normaliser: for "mask", (P,) log of the summed exponentials of the logits of the whole vocabulary.
    Raises:
        ShapeError: the numbers of tokens, labels or candidates differ from the shape of the logits.
    """

    task: TokenTask
    positions: tuple[int, ...]
    logits: FloatArray
    labels: tuple[str, ...] = ()
    candidates: tuple[tuple[str, ...], ...] = ()
    candidate_ids: tuple[tuple[int, ...], ...] = ()
    normaliser: FloatArray | None = None

    def __post_init__(self) -> None:
        count, shape = len(self.positions), self.logits.shape
        if self.task == "mask":
            rows = [len(row) for row in (*self.candidates, *self.candidate_ids)]
            fits = len(shape) == 2 and rows == [shape[1]] * 2 * count
            fits = fits and self.normaliser is not None and self.normaliser.shape == (count,)
        else:
            fits = shape == (count, len(self.labels))
        if not fits or shape[0] != count:
            raise ShapeError(f"The logits of {count} tokens are {shape}, and do not match the labels or candidates.")

    @property
    def probabilities(self) -> FloatArray:
        """(P, C) over a token's tags, over the tokens for a start and an end, or over the vocabulary."""
        if self.normaliser is not None:
            return np.exp(self.logits - self.normaliser[:, None])
        axis = 0 if self.task == "span" else 1
        exponentials = np.exp(self.logits - self.logits.max(axis=axis, keepdims=True))
        return exponentials / exponentials.sum(axis=axis, keepdims=True)

    @property
    def about(self) -> str:
        return f"of {self.task} at {len(self.positions)} tokens"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns for the P tokens: the likeliest tag, both edges of an answer, or a row for each candidate word."""
        shares, positions = self.probabilities, self.positions
        if self.task == "tags":
            tags = [self.labels[best] for best in self.logits.argmax(axis=1)]
            return {"position": positions, "tag": tags, "probability": shares.max(axis=1)}
        if self.task == "span":
            return {"position": positions, **dict(zip(self.labels, shares.T, strict=True))}
        words = [word for row in self.candidates for word in row]
        return {"position": np.repeat(positions, shares.shape[1]), "word": words, "probability": shares.ravel()}

    @property
    def arrays(self) -> Mapping[str, FloatArray]:
        """The arrays that it has, by name."""
        found = {name: getattr(self, name) for name in TOKEN_PREDICTION_ARRAYS}
        return {name: array for name, array in found.items() if array is not None}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Trace(ByValue):
    """One run: tokens, attention of each layer, hidden states and prediction, without a batch axis.

    Attributes:
        hidden_states: (L + 1, T, D); `[0]` is the embedding output, `[l + 1]` the output of layer l.
        embedding_parts: "word", "position", "token type" as far as the model has them, (T, D) each, before the layer
            norm.
        prediction: of a head that reads the whole text, if the model has one.
        token_prediction: of a head that reads each token, if the model has one.
        silenced_heads: (layer, head) pairs whose context was replaced by zero.
        links: whose attention weights were changed, located in the text.
        notes: remarks about this run, in full sentences.
        pooling: how the model makes the vector of a text from its last states.
        text_vectors: (L + 1, D') what a folder's own modules make of the states of each layer; the last is the vector
            of the text. None for other poolings.
        whole: the run of which this is an excerpt; None if it is not one.
        checked: makes the line that says what was proved of the model, which files have; "" without one.
        draw: makes the HTML of a trace for notebooks; who can draw sets it.
    Raises:
        ShapeError: hidden states, embedding parts, text vectors or predicted positions do not match layers and tokens.
        NotFiniteError: a number is NaN, infinite, or too large to be squared.
    """

    model_name: str
    tokens: Tokens
    layers: tuple[LayerAttention, ...]
    hidden_states: FloatArray
    embedding_parts: Mapping[str, FloatArray] = field(default_factory=lambda: MappingProxyType({}))
    prediction: Prediction | None = None
    token_prediction: TokenPrediction | None = None
    silenced_heads: tuple[tuple[int, int], ...] = ()
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()
    pooling: PoolingMode = "mean"
    text_vectors: FloatArray | None = None
    whole: Trace | None = None
    checked: Callable[[], str] = field(default=str, compare=False)
    draw: ClassVar[Callable[[Trace], str | None] | None] = None

    def __post_init__(self) -> None:
        states, count = self.hidden_states, len(self.tokens)
        if states.ndim != 3 or states.shape[:2] != (len(self.layers) + 1, count):
            raise ShapeError(
                f"Hidden states are {states.shape}; {len(self.layers)} layers and {count} tokens need "
                f"({len(self.layers) + 1}, {count}, D)."
            )
        for name, part in self.embedding_parts.items():
            if part.ndim != 2 or len(part) != count:
                raise ShapeError(f"The {name} embeddings are {part.shape}; {count} tokens need ({count}, D).")
        of_text = self.text_vectors
        if (of_text is None) == (self.pooling in OWN_MODULES) or (
            of_text is not None and (of_text.ndim != 2 or len(of_text) != len(states))
        ):
            shape = None if of_text is None else of_text.shape
            raise ShapeError(f"The vectors of the text are {shape} for {len(states)} states pooled by {self.pooling}.")
        predicted = () if self.prediction is None else (self.prediction.logits, self.prediction.probabilities)
        by_token = {} if self.token_prediction is None else self.token_prediction.arrays
        positions = () if self.token_prediction is None else self.token_prediction.positions
        if not all(0 <= position < count for position in positions):
            raise ShapeError(f"Tokens {positions} are predicted for; the text has 0 to {count - 1}.")
        for array in (states, of_text, *self.embedding_parts.values(), *predicted, *by_token.values()):
            if array is not None:
                array.flags.writeable = False
        if self.whole is None:  # whose parts are checked
            check_finite(self.model_name, self._named_arrays())

    def _repr_html_(self) -> str | None:
        """The head view, in a notebook in which `headlight` or a view of `viz` is in use, which draw it; else None."""
        return None if Trace.draw is None else Trace.draw(self)

    def __repr__(self) -> str:
        texts = ", ".join(SHORT.repr(text) for text in self.tokens.sentences)
        cut = sum(self.tokens.truncated)
        count = f"{len(self.tokens)} of {len(self.tokens) + cut} tokens" if cut else f"{len(self.tokens)} tokens"
        sizes = f"{self.num_layers} layers, {self.num_heads} heads, {count}"
        return f"<Trace of {texts} by {self.model_name}: {sizes}>"

    @property
    def num_layers(self) -> int:
        """L."""
        return len(self.layers)

    @property
    def num_heads(self) -> int:
        """H."""
        return self.layers[0].num_heads

    def excerpt(self, first: int = 0) -> Trace:
        """The part of the run of a long text that views of attention show at once: `USUAL_TOKENS` tokens.

        Weights stay what they are in the text, so a row lacks what tokens outside of the excerpt receive. It has no
        prediction of tokens. A run of at most `USUAL_TOKENS` tokens is returned as it is.

        Args:
            first: position of its first token; of the last possible excerpt if that is further on.
        """
        tokens = self.tokens.excerpt(first)
        if tokens is self.tokens:
            return self
        rows = slice(tokens.first, tokens.first + len(tokens))
        return replace(
            self,
            tokens=tokens,
            layers=tuple(layer.excerpt(rows) for layer in self.layers),
            hidden_states=self.hidden_states[:, rows],
            embedding_parts={name: part[rows] for name, part in self.embedding_parts.items()},
            token_prediction=None,
            whole=self,
        )

    def weights(self, layer: int) -> FloatArray:
        """(H, T, T) attention weights of a layer, computed on demand: softmax(query · keyᵀ · scaling + mask).

        Layers may be counted from the end, as in lists: -1 is the last one.
        """
        return self._layer(layer).weights()

    def to_sink(self, layer: int) -> FloatArray:
        """(H, T) what each query of a layer gives to the sink of a head, which is no token; 0 in most models.

        Rows of `weights` sum to the rest.
        """
        return self._layer(layer).to_sink()

    def all_weights(self) -> FloatArray:
        """(L, H, T, T) attention weights of all layers: 151 MB for BERT-base at 512 tokens.

        Raises:
            ArgumentError: they take more than `MOST_WEIGHTS` bytes.
        """
        queries, keys = self.layers[0].shape
        size = 4 * self.num_layers * self.num_heads * queries * keys
        if size > MOST_WEIGHTS:
            raise ArgumentError(
                f"The weights of {self.num_layers} layers, {self.num_heads} heads and {queries:,} tokens take "
                f"{size / 1e9:.1f} GB: take those of one layer at a time, trace.weights(layer)."
            )
        return np.stack([self.weights(layer) for layer in range(self.num_layers)])

    def scores(self, layer: int) -> FloatArray:
        """(H, T, T) scaled and masked scores of a layer, computed on demand; -inf where a key may not be attended."""
        return self._layer(layer).scores()

    def queries(self, layer: int) -> FloatArray:
        """(H, T, K) queries of a layer."""
        return self._layer(layer).captured("query")

    def keys(self, layer: int) -> FloatArray:
        """(H, T, K) keys of a layer."""
        return self._layer(layer).captured("key")

    def values(self, layer: int) -> FloatArray:
        """(H, T, K) values of a layer."""
        return self._layer(layer).captured("value")

    def save(self, path: str | Path) -> None:
        """Write a file that `load` reads back bit by bit."""
        Path(path).write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read a `.safetensors` file that `save` wrote.

        Raises:
            TraceFileError: the file is not a trace, or is damaged.
        """
        return cls.from_bytes(Path(path).read_bytes())

    def to_bytes(self) -> bytes:
        """A `.safetensors` file of float32 arrays, under the names of the attributes.

        "hidden_states" (L + 1, T, D); "embedding_parts.NAME" (T, D); "layers.N.query", "layers.N.key" and
        "layers.N.value" (H, T, K), "layers.N.bias", "layers.N.sink" and "layers.N.given_weights" if layer N has them;
        "text_vectors" (L + 1, D') of folders with modules of their own; "prediction.logits" and
        "prediction.probabilities" (C,); "token_prediction.logits" (P, C) and "token_prediction.normaliser" (P,).
        Everything else is JSON in the metadata, under "about".

        Raises:
            ArgumentError: this is an excerpt, whose weights are shares of a longer text.
        """
        if self.whole is not None:
            raise ArgumentError("An excerpt has weights over tokens outside of it: save the whole run, `trace.whole`.")
        arrays = {"hidden_states": self.hidden_states}
        arrays |= {} if self.text_vectors is None else {"text_vectors": self.text_vectors}
        arrays |= {f"embedding_parts.{name}": part for name, part in self.embedding_parts.items()}
        for index, layer in enumerate(self.layers):
            found = {name: getattr(layer, name) for name in LAYER_ARRAYS}
            arrays |= {f"layers.{index}.{name}": array for name, array in found.items() if array is not None}
        about: dict[str, Any] = {
            "model_name": self.model_name,
            "tokens": {name: value for name, value in asdict(self.tokens).items() if name != "first"},
            "scaling": [layer.scaling for layer in self.layers],
            "embedding_parts": list(self.embedding_parts),
            "silenced_heads": self.silenced_heads,
            "notes": self.notes,
            "pooling": self.pooling,
        }
        if said := self.checked():
            about["checked"] = said
        windows = [layer.window for layer in self.layers]
        if any(window is not None for window in windows):
            about["windows"] = windows
        if self.links:
            about["links"] = [asdict(link) for link in self.links]
        if self.prediction is not None:
            found = {name: getattr(self.prediction, name) for name in PREDICTION_ARRAYS}
            arrays |= {f"prediction.{name}": array for name, array in found.items() if array is not None}
            about["prediction"] = {
                name: value for name, value in asdict(self.prediction).items() if name not in PREDICTION_ARRAYS
            }
        if (by_token := self.token_prediction) is not None:
            arrays |= {f"token_prediction.{name}": array for name, array in by_token.arrays.items()}
            about["token_prediction"] = {
                name: value for name, value in asdict(by_token).items() if name not in TOKEN_PREDICTION_ARRAYS
            }
        return pack(arrays, about)

    @classmethod
    def from_bytes(cls, data: bytes) -> Trace:
        """The inverse of `to_bytes`. Raises TraceFileError as `load` does."""
        try:
            return cls.from_arrays(*unpack(data))
        except RecursionError as error:
            raise TraceFileError("This is not a trace file: its metadata is nested too deeply.") from error

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, FloatArray], about: Mapping[str, Any]) -> Trace:
        """A trace from arrays, named as in `to_bytes`, and the metadata of its file.

        Raises:
            TraceFileError: an array or entry is missing, or they do not match.
        """
        try:
            tokens = read_tokens(about["tokens"])
            windows = about.get("windows", [None] * len(about["scaling"]))
            layers = tuple(
                LayerAttention(
                    scaling=float(scaling),
                    window=None if window is None else int(window),
                    **{name: arrays.get(f"layers.{index}.{name}") for name in LAYER_ARRAYS},
                )
                for index, (scaling, window) in enumerate(zip(about["scaling"], windows, strict=True))
            )
            for index, layer in enumerate(layers):
                layer.check_shapes(len(tokens), where=f"of layer {index}")
            return cls(
                model_name=about["model_name"],
                tokens=tokens,
                layers=layers,
                hidden_states=arrays["hidden_states"],
                embedding_parts={name: arrays[f"embedding_parts.{name}"] for name in about["embedding_parts"]},
                prediction=_read_prediction(about.get("prediction"), arrays),
                token_prediction=_read_token_prediction(about.get("token_prediction"), arrays),
                silenced_heads=tuple((layer, head) for layer, head in about["silenced_heads"]),
                links=tuple(
                    Link(**dict(zip(link, map(as_tuple, link.values()), strict=True)))
                    for link in about.get("links", ())
                ),
                notes=tuple(about["notes"]),
                pooling=_read_pooling(about.get("pooling", "mean")),  # files of earlier versions do not name it
                text_vectors=arrays.get("text_vectors"),
                checked=partial(str, about.get("checked", "")),
            )
        except (KeyError, TypeError, ValueError, ShapeError, NotFiniteError) as error:
            raise TraceFileError(f"The trace in this file cannot be read: {error!r}.") from error

    def _named_arrays(self) -> Iterator[NamedArray]:
        """All computed arrays, in order, except biases, which may contain -inf."""
        for name, part in self.embedding_parts.items():
            yield f"the {name} embeddings", part
        yield name_states(0), self.hidden_states[0]
        for index, layer in enumerate(self.layers):
            yield from layer.named_arrays(f"of layer {index}")
            yield name_states(index + 1), self.hidden_states[index + 1]
        if self.text_vectors is not None:
            yield "the vectors of the text", self.text_vectors
        if self.prediction is not None:
            yield "the logits", self.prediction.logits
            if self.prediction.score is not None:
                yield "the score", np.array([self.prediction.score], np.float32)
        if self.token_prediction is not None:
            for name, array in self.token_prediction.arrays.items():
                yield f"the {name} of tokens", array

    def _layer(self, layer: int) -> LayerAttention:
        if not -self.num_layers <= layer < self.num_layers:
            raise SelectionError(f"Layer {layer} was asked for; this trace has layers 0 to {self.num_layers - 1}.")
        return self.layers[layer]


def excerpts(traces: Mapping[str, Trace], first: int) -> dict[str, Trace]:
    """Runs as views of attention show them: of long texts, the part from `first` on."""
    return {place: trace.excerpt(first) for place, trace in traces.items()}


def _read_pooling(name: str) -> PoolingMode:
    if name not in get_args(PoolingMode):
        raise ValueError(f"no pooling is called {name!r}")
    return cast(PoolingMode, name)


def _read_prediction(described: Mapping[str, Any] | None, arrays: Mapping[str, FloatArray]) -> Prediction | None:
    if described is None:
        return None
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in dict(described).items()
    }
    logits, probabilities = arrays["prediction.logits"], arrays.get("prediction.probabilities")
    if logits.shape != (len(settings["labels"]),) or (
        probabilities is not None and probabilities.shape != logits.shape
    ):
        raise ShapeError(f"There are {len(settings['labels'])} labels, and logits of the shape {logits.shape}.")
    return Prediction(logits=logits, probabilities=probabilities, **settings)


def _read_token_prediction(
    described: Mapping[str, Any] | None, arrays: Mapping[str, FloatArray]
) -> TokenPrediction | None:
    if described is None:
        return None
    if described["task"] not in get_args(TokenTask):
        raise ValueError(f"no head of tokens is for {described['task']!r}")
    found = {name: arrays.get(f"token_prediction.{name}") for name in TOKEN_PREDICTION_ARRAYS}
    settings = {name: as_tuple(value) for name, value in described.items()}
    return TokenPrediction(logits=arrays["token_prediction.logits"], normaliser=found["normaliser"], **settings)
