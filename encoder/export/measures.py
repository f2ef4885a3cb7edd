"""What views show of a run, as ONNX graphs for a page without a server.

Each is a measure of `encoder.measures`, of a probe or of a head, in torch instead of NumPy; tests compare the two.
T tokens, U units of a view, L layers, H heads, C classes, D the model's width.
"""

from __future__ import annotations

from typing import ClassVar, Final

import torch
from torch import Tensor, nn
from torch.export import Dim

from encoder.export.graph import Graphs, Inputs, axis, graph_of, with_numbers
from encoder.measures.near_ties import ROUNDING, TIE
from encoder.measures.similarity import ReferenceBand
from encoder.models.labels import TAGS
from encoder.models.scratch import ScratchBackend, SentimentHeads
from encoder.shipped.probes import Probes, probes_of
from encoder.shipped.sentiment import SentimentBackend, SentimentHead

STEPS: Final = 65535  # of a quantised root
COLOURS: Final = 5  # classes with a colour of their own
_SMALLEST: Final = torch.finfo(torch.float32).tiny
_LENGTH: Final = 5  # of an axis that is traced


class Measure(nn.Module):
    """A graph of its own; a model without probes leaves out the last outputs."""

    outputs: ClassVar[tuple[str, ...]]


class ShownAttention(Measure):
    """Attention between units: `encoder.measures.unit_attention.shown_attention` and `head_profiles`."""

    outputs = ("roots", "removed", "profiles")

    def forward(
        self, weights: Tensor, units: Tensor, counts: Tensor, separators: Tensor, scaled: Tensor
    ) -> tuple[Tensor, ...]:
        """What the views of a layer show.

        Args:
            weights: (H, T, T).
            units: (T,) the unit of each token; U for a hidden one.
            counts: (U,) tokens of each unit.
            separators: (T,) 1 for each special token after the first token, else 0.
            scaled: () 1 if the rows are scaled to sum to 1, else 0.
        Returns:
            (H, U, U) square roots, quantised; (H, U) attention to hidden tokens; (H, 5) profiles.
        """
        heads, tokens = weights.shape[0], weights.shape[1]
        number = counts.shape[0]
        to_units = torch.zeros(heads, tokens, number + 1).scatter_add(
            2, units.expand(heads, tokens, tokens), weights
        )  # (H, T, U + 1)
        between = (
            torch.zeros(heads, number + 1, number + 1).scatter_add(
                1, units[:, None].expand(heads, tokens, number + 1), to_units
            )[:, :number, :number]
            / counts[:, None]
        )
        total = between.sum(-1, keepdim=True)
        shown = torch.where((scaled > 0) & (total > 0), between / total, between)
        roots = torch.round(torch.sqrt(shown) * STEPS).to(torch.uint16)
        return roots, torch.relu(1 - total[..., 0]), _profiles(weights, separators)


def _profiles(weights: Tensor, separators: Tensor) -> Tensor:
    """(H, 5) in the order of `encoder.measures.head_profiles.HeadProfiles`."""
    tokens = weights.shape[-1]
    logs = torch.log2(torch.where(weights > _SMALLEST, weights, 1))
    entropy = -(weights * logs).sum(-1).mean(-1)
    place = torch.arange(tokens)
    apart = place[:, None] - place  # of the query from the key
    near = [(weights * (apart == steps)).sum((-1, -2)) / tokens for steps in (0, 1, -1)]
    return torch.stack([torch.relu(entropy), weights.mean(-2) @ separators, *near], dim=-1)


class Norms(Measure):
    """Norms of states and cosines between successive ones: `l2_norms` and `successive_cosines`."""

    outputs = (
        "norms",
        "cosines",
        "span",
        "longest",
        "longest_norm",
        "shortest",
        "shortest_norm",
        "highest",
        "highest_mean",
    )

    def forward(self, states: Tensor) -> tuple[Tensor, ...]:
        """What the view of norms shows, from (L + 1, T, D) states.

        Returns:
            (L + 1, T) norms; (L, T) cosines; (3,) the smallest norm, the middle and the largest; the longest token at
            the end and its norm; the shortest and its; the state with the highest mean norm, and that mean.
        """
        norms = torch.linalg.vector_norm(states, dim=-1)
        low, high = norms.min(), norms.max()
        last, means = norms[-1], norms.mean(-1)
        return (
            norms,
            _cosines(states[:-1], states[1:]),
            torch.stack([low, (low + high) / 2, high]),
            _first_largest(last),
            last.max(),
            _first_largest(-last),
            last.min(),
            _first_largest(means),
            means.max(),
        )


class Words(Measure):
    """What a run has of each word: the mean of its states, and what probes read there, for models that have any."""

    outputs = ("means", "read", "tags")

    def __init__(self, probes: Probes | None) -> None:
        super().__init__()
        arrays = () if probes is None else (probes.weight, probes.bias, probes.combined_weight, probes.combined_bias)
        self.probes = nn.ParameterList(map(torch.tensor, arrays))

    def forward(self, states: Tensor, units: Tensor, counts: Tensor) -> tuple[Tensor, ...]:
        """The words of a run.

        Args:
            states: (L + 1, T, D).
            units, counts: as of `ShownAttention`, of words.
        Returns:
            (L + 1, U, D) means; with probes also (L + 1, U, C) probabilities and (L + 2, U) likeliest classes, of which
            the last are by the probe on all states.
        """
        layers, width, number = states.shape[0], states.shape[2], counts.shape[0]
        sums = torch.zeros(layers, number + 1, width).scatter_add(1, units[:, None].expand(states.shape), states)
        means = sums[:, :number] / counts[:, None]
        if not self.probes:
            return (means,)
        weight, bias, combined_weight, combined_bias = self.probes
        beliefs = torch.softmax(means @ weight.transpose(1, 2) + bias[:, None], dim=-1)
        combined = torch.cat(list(means), dim=-1) @ combined_weight.T + combined_bias  # (U, C)
        return means, beliefs, torch.cat([beliefs.argmax(-1), combined.argmax(-1)[None]])


class WordLens(Measure):
    """One word in two texts: `cosines_by_layer`, `divergence_layer`, and the classes that probes find."""

    outputs = (
        "cosines",
        "last",
        "lowest_state",
        "lowest",
        "last_together",
        "axis_range",
        "belief_a",
        "belief_b",
        "classes",
        "tag_a",
        "tag_b",
        "share_a",
        "share_b",
    )

    def __init__(self, band: ReferenceBand) -> None:
        super().__init__()
        self.border = nn.Parameter(torch.tensor(band.threshold))
        self.chart_end = nn.Parameter(torch.tensor(float(band.different.min())))

    def forward(
        self,
        a: Tensor,
        b: Tensor,
        at_a: Tensor,
        at_b: Tensor,
        read_a: Tensor | None = None,
        read_b: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        """What the lens shows of a word.

        Args:
            a, b: (L + 1, U, D) means of each text's words.
            at_a, at_b: (1,) places of the word.
            read_a, read_b: (L + 1, U, C) what probes read there, for models that have any.
        Returns:
            (L + 1,) cosines, and the last; the state of the lowest, and it; the last state at or above the threshold, 0
            if there is none; (2,) ends of the chart. With probes also (C + 1, L + 1) probabilities in A and in B, of
            which the last row is the sum of classes without a colour; those with one, and C; the likeliest class after
            the last layer of A and of B, and their probabilities.
        """
        of_a, of_b = a.index_select(1, at_a)[:, 0], b.index_select(1, at_b)[:, 0]  # (L + 1, D)
        cosines = _cosines(of_a, of_b)
        lowest = cosines.min()
        least = torch.minimum(self.chart_end, lowest)
        room = torch.maximum(1 - least, torch.tensor(0.01))
        together = torch.where(cosines >= self.border, torch.arange(cosines.shape[0]), 0).max()
        ends = torch.stack([least - 0.1 * room, 1 + 0.12 * room])
        found = (cosines, cosines[-1], _first_largest(-cosines), lowest, together, ends)
        if read_a is None or read_b is None:
            return found
        both = torch.stack([read_a.index_select(1, at_a)[:, 0], read_b.index_select(1, at_b)[:, 0]])  # (2, L + 1, C)
        coloured = _largest_first(both.amax((0, 1)), COLOURS)
        rest = torch.relu(1 - both[..., coloured].sum(-1, keepdim=True))
        rows = torch.cat([both, rest], dim=-1).transpose(1, 2)  # (2, C + 1, L + 1)
        shown = torch.cat([coloured, torch.tensor([both.shape[-1]])])
        last = both[:, -1]
        tags, shares = last.argmax(-1), last.amax(-1)  # (2,)
        return (*found, rows[0], rows[1], shown, tags[0], tags[1], shares[0], shares[1])


class Moved(Measure):
    """The word that moves most between two runs of a text, after the last layer."""

    outputs = ("word", "distance")

    def forward(self, before: Tensor, after: Tensor) -> tuple[Tensor, Tensor]:
        """The word's place and its cosine distance, from (L + 1, U, D) means of the words in each run."""
        distances = 1 - _cosines(before[-1], after[-1])
        return _first_largest(distances), distances.max()


class PredictedByMatrix(Measure):
    """The output of the head on several pooled states."""

    outputs = ("probabilities", "order", "share", "score")

    def __init__(self, head: SentimentHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, states: Tensor) -> tuple[Tensor, ...]:
        """(L + 1, T, D) to what `_prediction` returns."""
        [outputs] = self.head.outputs(list(states[:, None]), torch.ones(1, states.shape[1]))
        return _prediction(outputs[:-1], torch.sigmoid(outputs[-1]))


class PredictedByClassifier(Measure):
    """The output of the heads on the last state of `[CLS]`."""

    outputs = PredictedByMatrix.outputs

    def __init__(self, heads: SentimentHeads) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, states: Tensor) -> tuple[Tensor, ...]:
        """(L + 1, T, D) to what `_prediction` returns."""
        state = states[-1, 0]
        score = self.heads.bounded(self.heads.regressor.output(state))[0]
        return _prediction(self.heads.classifier.output(state), score)


def _prediction(logits: Tensor, score: Tensor) -> tuple[Tensor, ...]:
    """(C,) logits to (C,) probabilities; (C,) classes, the likeliest first; its probability; the score."""
    probabilities = torch.softmax(logits, dim=-1)
    return probabilities, probabilities.argsort(descending=True), probabilities.max(), score


def _cosines(some: Tensor, others: Tensor) -> Tensor:
    """(..., D) twice to (...); 0 where a vector is zero."""
    lengths = torch.linalg.vector_norm(some, dim=-1) * torch.linalg.vector_norm(others, dim=-1)
    cosines = (some * others).sum(-1) / torch.where(lengths > 0, lengths, 1)
    return torch.minimum(cosines, torch.tensor(1.0))  # rounding may make one larger


def _first_largest(values: Tensor) -> Tensor:
    """(N,) to (): as in `encoder.measures.near_ties`."""
    largest = values.max()
    return (values >= largest - torch.clamp(TIE * largest.abs(), min=ROUNDING)).to(torch.int32).argmax()


def _largest_first(values: Tensor, count: int) -> Tensor:
    """(N,) to (count,): as in `encoder.measures.near_ties`."""
    margin = torch.clamp(TIE * values.max().abs(), min=ROUNDING)
    left, turn = values, torch.zeros(len(values))
    for number in range(count):
        near = left >= left.max() - margin
        turn = torch.minimum(turn, torch.where(near, float(number - count), 0.0))
        left = torch.where(near, -torch.inf, left)
    return torch.topk(turn * len(values) + torch.arange(len(values)), count, largest=False).indices


def export_measures(model: ScratchBackend, band: ReferenceBand, *, graphs: Graphs | None = None) -> dict[str, bytes]:
    """The graphs of what a model's views show, by the names of their files.

    Args:
        band: cosines of pairs with one sense and with two in this model.
        graphs: as in `encoder.export.parts.export_embeddings`.
    """
    config = model.encoder.config
    heads, layers, width = config.num_attention_heads, config.num_hidden_layers, config.hidden_size
    longest = config.max_position_embeddings
    tokens = axis("tokens", least=2, most=longest)
    units, others = axis("units", most=longest), axis("others", most=longest)
    states = _example(layers + 1, tokens, width)
    of_units = {"units": _example(tokens, dtype=torch.int64), "counts": _example(units)}
    probes = probes_of(model.name)
    of_lens = {
        "a": _example(layers + 1, units, width),
        "b": _example(layers + 1, others, width),
        "at_a": _example(1, dtype=torch.int64),
        "at_b": _example(1, dtype=torch.int64),
    }
    if probes:
        classes = len(TAGS)
        of_lens |= {"read_a": _example(layers + 1, units, classes), "read_b": _example(layers + 1, others, classes)}
    parts: dict[str, tuple[Measure, Inputs]] = {
        "attention": (
            ShownAttention(),
            {
                "weights": _example(heads, tokens, tokens),
                **of_units,
                "separators": _example(tokens),
                "scaled": _example(),
            },
        ),
        "norms": (Norms(), {"states": states}),
        "words": (Words(probes), {"states": states, **of_units}),
        "lens": (WordLens(band), of_lens),
        "moved": (Moved(), {name: _example(layers + 1, units, width) for name in ("before", "after")}),
    }
    if isinstance(model, SentimentBackend):
        parts["predicted"] = PredictedByMatrix(model.head), {"states": states}
    elif model.heads:
        parts["predicted"] = PredictedByClassifier(model.heads), {"states": states}
    of_probes = "with probes" if probes else "without probes"
    kinds = {"words": of_probes, "lens": of_probes, "predicted": type(model.heads).__name__}
    files = {}
    for name, (part, inputs) in parts.items():
        graph = graph_of(part, inputs, part.outputs, graphs=graphs, kind=f"{name} {kinds.get(name, '')}")
        files[f"{name}.onnx"] = with_numbers(graph, part, "float32")
    return files


def _example(*axes: int | Dim, dtype: torch.dtype = torch.float32) -> tuple[Tensor, dict[int, Dim]]:
    """An array of ones, which no two inputs may share, with those of its axes that can have another length."""
    lengths = [each if isinstance(each, int) else _LENGTH for each in axes]
    return torch.ones(lengths, dtype=dtype), {place: each for place, each in enumerate(axes) if isinstance(each, Dim)}
