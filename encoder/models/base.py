"""The interface of every model: tokenise, run, trace, batch, and gradients."""

from __future__ import annotations

import operator
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice, repeat
from typing import Any, NamedTuple, Self, get_args

import numpy as np
import torch
from torch import Tensor, nn

from encoder.errors import (
    ArgumentError,
    CheckpointError,
    InputError,
    SelectionError,
    ShapeError,
    UnsupportedModelError,
    check_choice,
)
from encoder.measures.similarity import cosines_by_layer
from encoder.measures.units import occurrence_states
from encoder.models.device import device_of
from encoder.models.files import ALL_POSITIONS, usual_name
from encoder.models.hooks import EMBEDDING, Hooks, Point
from encoder.models.interventions import UNCHANGED, Intervention, Patch, hooks_of
from encoder.models.mask_candidates import likeliest_words, masked_positions
from encoder.models.passport import Facts, Passport
from encoder.models.pooling import Pooling, check_pooling, pooled, pooled_states
from encoder.models.tensors import Batch, OnLayer, batches_within, padded, to_numpy
from encoder.models.threads import multiplied_weights, threads_for, weight_bytes
from encoder.runs.arrays import FloatArray, check_finite, name_unusable
from encoder.runs.layer_attention import LayerAttention
from encoder.runs.links import Link
from encoder.runs.predictions import Predictions
from encoder.runs.trace import ALL_READ, PoolingMode, Prediction, TokenPrediction, Trace, name_states
from encoder.text.given import Given, Reads, Row, check_is_no_pair, check_is_one_text, naming, row_of, rows_of
from encoder.text.occurrences import Positions
from encoder.text.readings import Unread
from encoder.text.tokenizer import Role, Tokenizer
from encoder.text.tokens import Text, Tokens, notes_on_words

Heads = Iterable[tuple[int, int]]
# Called with the number of runs, or rounds of runs, done and in total. An exception raised there ends them.
# Tokens per batch, padding included; where no attention is kept, a twentieth faster with twice as many.
BATCH_TOKENS, READ_TOKENS = 512, 1_024
# Tokens of padding in a batch: more take longer than another batch does.
MOST_PADDING = 64
# Texts that are tokenised and sorted by length at a time, where no attention is kept.
READ_TOGETHER = 512


def batches_by_length(texts: Sequence[Sized], budget: int) -> list[list[int]]:
    """Batches of texts of similar length, as indices, with up to `budget` tokens each, few of them padding."""
    lengths = [len(tokens) for tokens in texts]
    order = sorted(range(len(texts)), key=lengths.__getitem__)
    return batches_within(order, lengths, budget, most_padding=MOST_PADDING)


class BatchOutput(NamedTuple):
    """The output of a batch of texts, as differentiable tensors."""

    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, D)
    logits: Tensor | None  # (B, C), None without a classification head
    score: Tensor | None = None  # (B,) before the sigmoid, None without a regression head
    token_logits: Tensor | None = None  # (B, T, C), None without a head that reads each token
    text_vectors: Tensor | None = None  # (B, D') of a folder's own modules, None for other poolings

    def pooled(self, mode: PoolingMode) -> Tensor:
        """(B, D) vectors of texts without padding, before they are scaled to length 1."""
        return pooled(self.hidden_states[-1], mode) if self.text_vectors is None else self.text_vectors

    def of_row(self, row: int, length: int) -> BatchOutput:
        """Of one text, as a batch of one without padding."""
        one = slice(row, row + 1)
        logits, score, vectors = (
            None if each is None else each[one] for each in (self.logits, self.score, self.text_vectors)
        )
        states = tuple(state[one, :length] for state in self.hidden_states)
        tokens = None if self.token_logits is None else self.token_logits[one, :length]
        return BatchOutput(states, logits, score, tokens, vectors)

    def vectors(self, lengths: Sequence[int], mode: PoolingMode) -> Tensor:
        """(B, D) vectors of texts of B lengths, in tokens without padding; texts of one length are pooled together."""
        if self.text_vectors is not None:
            return self.text_vectors
        states = self.hidden_states[-1]
        found = states.new_empty(len(lengths), states.shape[-1])
        for length in set(lengths):
            rows = [row for row, each in enumerate(lengths) if each == length]
            found[rows] = pooled(states[rows, :length], mode)
        return found


class Reading(NamedTuple):
    """The output of a model's heads for one text, and its vector, without the attention."""

    tokens: Tokens
    prediction: Prediction | None
    token_prediction: TokenPrediction | None
    vector: FloatArray | None  # (D',), as the folder makes it; None where that is not supported


class Backend(ABC):
    """A model that turns one or two texts into a trace.

    Attributes:
        name: the name that `encoder.load` takes.
        tokenizer: its tokenizer, shared with every model of the same vocabulary.
        num_layers, num_heads: L and H.
        pooling: how its folder pools text vectors.
        embedding_points: where the model embeds the text: once, or a second time for its decoder.
        reads: what a list of two strings is to it.
        facts: what loading found out, for the checks.
    """

    name: str
    tokenizer: Tokenizer
    num_layers: int
    num_heads: int
    pooling: Pooling = Pooling()
    embedding_points: tuple[Point, ...] = (EMBEDDING,)
    reads: Reads = "texts"
    facts: Facts = Facts()

    @cached_property
    def passport(self) -> Passport:
        """What the model was proved to do: its checks, which run when they are first asked for, once a revision."""
        from encoder.models.checks import CHECKS

        with threads_for(0):  # one, because other work goes on meanwhile
            return Passport.stored_or_of(self, CHECKS)

    @property
    def _checked(self) -> Callable[[], str]:
        """Returns the line of the passport; a trace has it, and does not keep the model."""
        return partial(_line_of, weakref.ref(self))

    def __repr__(self) -> str:
        checked = self.passport.summary if "passport" in self.__dict__ else "unchecked until .passport is read"
        return f"<{type(self).__name__} {self.name!r}: {self.num_layers} layers, {self.num_heads} heads; {checked}>"

    def for_role(self, role: Role) -> Self:
        """The same model, reading texts as sentence-transformers reads queries or documents: with their prompt.

        Raises ArgumentError for another role.
        """
        check_choice("role", role, get_args(Role))
        tokenizer = self.pooling.tokenizer_for(role, self.tokenizer)
        if tokenizer is self.tokenizer:
            return self
        other = copy(self)
        other.tokenizer = tokenizer
        return other

    def tokenize(self, a: Text, b: Text | None = None) -> Tokens:
        """One or two texts, or sequences of words, as the tokens that this model reads; a tuple is no pair here."""
        return self.tokenizer(a, b)

    @property
    @abstractmethod
    def modules(self) -> tuple[nn.Module, ...]:
        """The modules: first the network, then the heads on top."""

    @property
    @abstractmethod
    def pad_id(self) -> int:
        """The id that the texts of a batch are padded with."""

    @property
    @abstractmethod
    def num_ids(self) -> int:
        """The number of ids that the model knows."""

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return sum(weight_bytes(module) for module in self.modules)

    def to(self, device: torch.device) -> Self:
        """Move to a device; traces stay numpy arrays. Returns the model itself."""
        late = () if self.pooling.late is None else (self.pooling.late.modules,)
        for module in (*self.modules, *filter(None, (self.pooling.modules,)), *late):
            module.to(device)
        return self

    def with_all_positions(self) -> Self:
        """The same model, which cuts texts only where it has no more positions; the weights are shared."""
        other = copy(self)
        other.tokenizer = self.tokenizer.reading(all_positions=True)
        other.name = f"{ALL_POSITIONS}{usual_name(self.name)}"
        vars(other).pop("passport", None)  # which says how many tokens are read
        return other

    def run(
        self,
        tokens: Tokens,
        *,
        silenced_heads: Heads = (),
        patches: Sequence[Patch] = (),
        links: Sequence[Link] = (),
        on_layer: OnLayer | None = None,
    ) -> Trace:
        """One forward pass over tokens; arguments and errors as in `trace`."""
        change = Intervention(silenced_heads=tuple(silenced_heads), patches=tuple(patches), links=tuple(links))
        [trace] = self._run_checked([tokens], change, on_layer)
        return trace

    def _run_checked(
        self, texts: Sequence[Tokens], change: Intervention = UNCHANGED, on_layer: OnLayer | None = None
    ) -> list[Trace]:
        changes = [self.located(tokens, change) for tokens in texts]
        batch = padded(texts, pad_id=self.pad_id, device=device_of(self.modules[0]))
        traces = self._run_together(texts, batch, changes, on_layer)
        return list(map(self._with_note_on_length, traces, changes))

    def located(self, tokens: Tokens, change: Intervention) -> Intervention:
        """An intervention in a run over tokens, checked, with the positions of its links.

        Raises:
            SelectionError: a head, token or layer that does not exist, or a word that the text has more than once.
            InputError: the word of a link was truncated.
            CheckpointError: the tokenizer returns an id that the model does not know.
        """
        self.check_ids(tokens)
        located = change.located(tokens, layers=self.num_layers, heads=self.num_heads)
        return replace(located, silenced_heads=self.check_heads(change.silenced_heads))

    def _hooks_of(self, changes: Sequence[Intervention]) -> list[Hooks]:
        """The hooks of a batch, one intervention for each text; none where nothing changes."""
        return [hooks_of(changes, num_heads=self.num_heads)] if any(each != UNCHANGED for each in changes) else []

    def _with_note_on_length(self, trace: Trace, intervention: Intervention) -> Trace:
        """The trace of a text that the model's folder would cut off, with what the rest of the text changes."""
        usual, count = self.tokenizer.usual_length, len(trace.tokens)
        if not self.tokenizer.reads_all or count <= usual:
            return trace
        note = f"{ALL_READ} {count:,} tokens are read, where the model's folder says {usual:,}"
        if intervention.patches or self.pooling.differs:
            return replace(trace, notes=(*trace.notes, f"{note}."))
        cut = self.tokenizer.reading(all_positions=False)(*trace.tokens.sentences)
        [states] = self._in_batches([cut], [intervention])  # (L + 1, T, D)
        vectors = self.text_vectors_of_run(cut, states)
        vector = to_numpy(pooled(torch.tensor(states), self.pooling.mode)) if vectors is None else vectors
        cosine = float(cosines_by_layer(pooled_states(trace)[-1:], vector[-1:])[0])
        return replace(
            trace, notes=(*trace.notes, f"{note}: the cosine of the two vectors of the text is {cosine:.3f}.")
        )

    @abstractmethod
    def _run_together(
        self, texts: Sequence[Tokens], batch: Batch, changes: Sequence[Intervention], on_layer: OnLayer | None
    ) -> list[Trace]:
        """One forward pass over texts, padded in the batch, with a change for each; `on_layer` is for a single text."""

    def _trace_of(
        self,
        tokens: Tokens,
        intervention: Intervention,
        *,
        layers: tuple[LayerAttention, ...],
        hidden_states: FloatArray,
        **of_run: Any,
    ) -> Trace:
        """The trace of a run; `of_run` are further fields."""
        return Trace(
            model_name=self.name,
            tokens=tokens,
            layers=layers,
            hidden_states=hidden_states,
            silenced_heads=intervention.silenced_heads,
            links=intervention.links,
            notes=(*self._notes(tokens, layers), *notes_on_words(tokens), *intervention.notes(tokens)),
            pooling=self.pooling.mode,
            text_vectors=self.text_vectors_of_run(tokens, hidden_states),
            checked=self._checked,
            **of_run,
        )

    @abstractmethod
    def _notes(self, tokens: Tokens, layers: tuple[LayerAttention, ...]) -> tuple[str, ...]:
        """Notes on every run of the model, and on one that reads these tokens."""

    def trace(
        self,
        a: Given,
        b: Text | None = None,
        *,
        silenced_heads: Heads = (),
        patches: Sequence[Patch] = (),
        links: Sequence[Link] = (),
        on_layer: OnLayer | None = None,
    ) -> Trace:
        """Encode one text or a pair.

        Args:
            a, b: a text, or a list of words; a pair may also be one tuple, (a, b).
            silenced_heads: (layer, head) pairs whose context is replaced by zero.
            patches: states that replace those of some tokens, for example from `Patch.of_word`.
            links: attention weights that are changed, each row of which keeps its sum.
            on_layer: called after each layer with its number and a function that returns the trace up to that layer,
                without embedding parts and prediction. The run waits for it. Models that return their attention only at
                the end do not call it.
        Raises:
            InputError: nothing to encode, a list of several texts, or a link of a word that was truncated.
            SelectionError: a head, token or layer that does not exist, a link of a word that the text has more than
                once, or an intervention that the model does not support.
            CheckpointError: the tokenizer returns an id that the model does not know.
            NotFiniteError: the run produces NaN, infinite numbers, or numbers too large to be squared.
        """
        row = row_of(a, b, reads="pairs" if self.reads == "pairs" else "words")
        tokens = self.tokenize(row.a, row.b)
        for text in (row.a, row.b):
            check_is_one_text(text)
        return self.run(tokens, silenced_heads=silenced_heads, patches=patches, links=links, on_layer=on_layer)

    def traces(
        self, texts: str | Iterable[Given], *, batch_size: int = 32, silenced_heads: Heads = ()
    ) -> Iterator[Trace]:
        """The traces of many texts or pairs, in their order: those of `trace`, but computed in batches.

        Args:
            texts: may be a generator; a tuple is a pair, and a string is one text. Where the model's task is pairs, so
                is a list of two strings.
            batch_size: how many texts are tokenised and sorted by length at a time, and so how many traces exist at
                once at least.
            silenced_heads: as in `trace`.
        Raises:
            Errors of `trace`, when the iterator reaches the batch of the text; an InputError names its row.
            ArgumentError: the batch size is below 1.
        """
        check_is_no_pair(texts, reads=self.reads)
        changed = Intervention(silenced_heads=tuple(silenced_heads))
        for some in self._together(texts, batch_size):
            yield from self._traces_of(some, changed)

    def _together(self, texts: str | Iterable[Given], batch_size: int) -> Iterator[list[Row]]:
        """Rows of texts, as many at a time as are sorted by length."""
        if batch_size < 1:
            raise ArgumentError(f"A batch holds at least one text; batch_size is {batch_size}.")
        remaining = rows_of(texts, reads=self.reads)
        while some := list(islice(remaining, batch_size)):
            yield some

    def _traces_of(self, texts: Sequence[Row], change: Intervention) -> list[Trace]:
        some = [self._tokens_of(text) for text in texts]
        found: dict[int, Trace] = {}
        for rows in self._batches(some):
            together = self._run_checked([some[row] for row in rows], change)
            found |= zip(rows, together, strict=True)
        return [found[row] for row in range(len(some))]

    def _batches(self, texts: Sequence[Tokens], budget: int = BATCH_TOKENS) -> list[list[int]]:
        """The batches, as indices, in which texts are run together, with up to `budget` tokens each."""
        return batches_by_length(texts, budget)

    def readings(
        self,
        texts: str | Iterable[Given],
        *,
        batch_size: int = READ_TOGETHER,
        silenced_heads: Heads = (),
        links: Sequence[Link] = (),
    ) -> Iterator[Reading]:
        """The output of the model's heads for many texts or pairs, in their order, computed in batches.

        Arguments and errors as in `traces`, which also has the attention, and takes longer.
        """
        change = Intervention(silenced_heads=self.check_heads(silenced_heads), links=tuple(links))
        for some in self._together(texts, batch_size):
            yield from self._readings_of(some, change)

    def _readings_of(self, texts: Sequence[Row], change: Intervention) -> list[Reading]:
        some = [self._tokens_of(text) for text in texts]
        changes = []
        for row, tokens in zip(texts, some, strict=True):
            with naming(row.number):
                changes.append(self.located(tokens, change))
        found: dict[int, Reading] = {}
        for rows in self._batches(some, READ_TOKENS):
            together = self._read_together([some[row] for row in rows], [changes[row] for row in rows])
            found |= zip(rows, together, strict=True)
        return [found[row] for row in range(len(some))]

    def readings_of(self, tokens: Tokens, changes: Sequence[Intervention]) -> list[tuple[Reading, FloatArray]]:
        """The output of the heads for one text in N changed runs, and the last states (T, D) of each, in batches.

        Errors as `hidden_states`.
        """
        located = [self.located(tokens, change) for change in changes]
        rows = max(1, READ_TOKENS // len(tokens))
        batches = [located[first : first + rows] for first in range(0, len(located), rows)]
        return [found for some in batches for found in self._read_with_states([tokens] * len(some), some)]

    def _read_together(self, texts: Sequence[Tokens], changes: Sequence[Intervention]) -> list[Reading]:
        return [reading for reading, _ in self._read_with_states(texts, changes)]

    @torch.inference_mode()
    def _read_with_states(
        self, texts: Sequence[Tokens], changes: Sequence[Intervention]
    ) -> list[tuple[Reading, FloatArray]]:
        batch = padded(texts, pad_id=self.pad_id, device=device_of(self.modules[0]))
        output = self.run_batch(batch, *self._hooks_of(changes))
        states, name = to_numpy(output.hidden_states[-1]), name_states(self.num_layers)  # (B, T, D)
        if name_unusable([(name, states)]):  # padding may be anything
            check_finite(self.name, ((name, own[: len(tokens)]) for own, tokens in zip(states, texts, strict=True)))
        vectors: Iterable[FloatArray | None] = repeat(None)
        if self.pooling.sparse is not None:
            vectors = [to_numpy(self.word_weights(tokens).sum(0)) for tokens in texts]
        elif not self.pooling.differs:
            lengths = list(map(len, texts))
            pooled_states = output.vectors(lengths, self.pooling.mode)
            vectors = to_numpy(self.pooling.scaled(pooled_states, torch.tensor(lengths, device=pooled_states.device)))
        found = self._predictions_of(output, batch, texts)
        return [
            (Reading(tokens, *predictions, vector), own[: len(tokens)])
            for tokens, predictions, vector, own in zip(texts, found, vectors, states, strict=False)
        ]

    def _words_at_masks(
        self, hidden_states: Sequence[Tensor], tokens: Tokens, *, row: int = 0
    ) -> TokenPrediction | None:
        """The likeliest words at the masked tokens of a text.

        Args:
            hidden_states: L + 1 of (B, T, D).
            row: of the text in the batch.
        Returns:
            None without a masked token, and without a head for masked words that reads these states.
        """
        positions = masked_positions(self.tokenizer, tokens)
        if not positions:
            return None
        states = torch.stack([state[row : row + 1, : len(tokens)] for state in hidden_states])  # (L + 1, 1, T, D)
        logits = [
            of_place for place in positions if (of_place := self.read_mask(states, place)) is not None
        ]  # (1, V) each
        return likeliest_words(torch.cat(logits), positions, self.tokenizer) if logits else None

    @abstractmethod
    def _predictions_of(
        self, output: BatchOutput, batch: Batch, texts: Sequence[Tokens]
    ) -> list[tuple[Prediction | None, TokenPrediction | None]]:
        """The output of the heads for each text of a batch."""

    def predict(
        self,
        texts: str | Iterable[Given],
        *,
        batch_size: int = READ_TOGETHER,
        silenced_heads: Heads = (),
        links: Sequence[Link] = (),
    ) -> Predictions:
        """What the model's head predicts for many texts or pairs; arguments and errors as in `readings`.

        Raises:
            InputError: there is no text.
            UnsupportedModelError: the model has no head that reads the whole text.
        """
        check_is_no_pair(texts, reads=self.reads)
        found: list[Prediction | None] = []
        unread = Unread()
        for reading in self.readings(texts, batch_size=batch_size, silenced_heads=silenced_heads, links=links):
            unread.note(reading.tokens)
            found.append(reading.prediction)
        if not found:
            raise InputError("There is no text to predict for: give at least one.")
        known = [prediction for prediction in found if prediction is not None]
        if len(known) < len(found):
            raise UnsupportedModelError(f"{self.name} has no head that predicts something for a whole text.")
        return Predictions.of(known, unread)

    def embed(
        self,
        texts: str | Iterable[Given],
        *,
        batch_size: int = READ_TOGETHER,
        silenced_heads: Heads = (),
        role: Role | None = None,
    ) -> FloatArray:
        """The vectors of N texts, as `encode` of sentence-transformers makes them; arguments and errors as `readings`.

        Args:
            role: "query" or "document" read texts with the prompt for these, as `encode_query` and `encode_document`;
                None with the one that the folder sets by default.
        Returns:
            (N, D); of length 1 where the folder scales them, as that of the bundled model does. A UserWarning says how
            many texts were cut off, and of how many the model knows no word.
        Raises:
            InputError: there is no text.
            UnsupportedModelError: the pooling of the folder is not supported.
        """
        check_pooling(self.pooling.no_vector)
        check_is_no_pair(texts, reads=self.reads)
        model = self if role is None else self.for_role(role)
        vectors: list[FloatArray] = []
        unread = Unread()
        for reading in model.readings(texts, batch_size=batch_size, silenced_heads=silenced_heads):
            unread.note(reading.tokens)
            vectors += [] if reading.vector is None else [reading.vector]
        if not vectors:
            raise InputError("There is no text to embed: give at least one.")
        unread.warn()
        return np.stack(vectors)

    def _tokens_of(self, row: Row) -> Tokens:
        with naming(row.number):
            return self.tokenize(row.a, row.b)

    def hidden_states(
        self, texts: Sequence[Tokens], interventions: Sequence[Intervention] | None = None
    ) -> Iterator[FloatArray]:
        """The hidden states of many texts, each with its own intervention, in batches of consecutive texts.

        Batches are run lazily: a caller that stops iterating runs no further batch. The texts of a batch are padded to
        one length, so texts sorted by length run faster.

        Args:
            interventions: one per text; None = none.
        Yields:
            (L + 1, T, D) for each text, as in a trace.
        Raises:
            SelectionError: there is no such head, token or layer, or the model does not support the intervention.
            ArgumentError: a text is not `Tokens`.
            ShapeError: the counts differ, or a patched state has another width.
            CheckpointError: the tokenizer returns an id that the model does not know.
            NotFiniteError: a state holds NaN, infinite numbers, or numbers too large to be squared.
        """
        if isinstance(texts, Tokens) or not all(isinstance(tokens, Tokens) for tokens in texts):
            raise ArgumentError("Hidden states are computed of a list of tokens: give [model.tokenize(text), …].")
        by_text = [UNCHANGED] * len(texts) if interventions is None else list(interventions)
        if len(by_text) != len(texts):
            raise ShapeError(f"{len(texts)} texts have {len(by_text)} interventions: each needs one.")
        return self._in_batches(texts, list(map(self.located, texts, by_text)))

    def states_of_words(self, words: Sequence[tuple[Tokens, Positions]]) -> FloatArray:
        """The states of N words, each in its own text; texts of equal length are batched.

        Args:
            words: each word's text, and its positions there.
        Returns:
            (N, L + 1, D), the mean over a word's pieces.
        """
        if not words:
            return np.zeros((0, self.num_layers + 1, 0), dtype=np.float32)
        by_length = sorted(range(len(words)), key=lambda index: len(words[index][0]))
        states = self.hidden_states([words[index][0] for index in by_length])
        by_word = {
            index: occurrence_states(of_text, words[index][1]) for index, of_text in zip(by_length, states, strict=True)
        }
        return np.stack([by_word[index] for index in range(len(words))])

    def _in_batches(self, texts: Sequence[Tokens], interventions: Sequence[Intervention]) -> Iterator[FloatArray]:
        lengths = [len(tokens) for tokens in texts]
        for rows in batches_within(range(len(texts)), lengths, BATCH_TOKENS):
            some = [texts[row] for row in rows]
            with self.threads(len(rows) * max(lengths[row] for row in rows)):
                states = self._run_batch(some, [interventions[row] for row in rows])  # (B, L + 1, T, D)
            for tokens, of_text in zip(some, states, strict=True):
                own = of_text[:, : len(tokens)]  # (L + 1, T, D)
                check_finite(self.name, ((name_states(index), state) for index, state in enumerate(own)))
                yield own

    @abstractmethod
    def run_batch(self, batch: Batch, *hooks: Hooks) -> BatchOutput:
        """Run padded texts with hooks, with gradients unless torch has disabled them; states as the hooks leave them.

        Raises:
            SelectionError: a hook changes a read-only point.
        """

    def scores_of(self, logits: FloatArray) -> FloatArray:
        """(N,) the scores that a head with a single number makes of logits (N,): these, unless its folder says more."""
        return logits

    def read_classes(self, hidden_states: Sequence[Tensor], batch: Batch) -> Tensor | None:
        """The logits (B, C) of our linear head on L + 1 states (B, T, D); None without one."""
        return None

    def read_score(self, hidden_states: Sequence[Tensor], batch: Batch) -> Tensor | None:
        """The score (B,), before the sigmoid, of our linear head on L + 1 states (B, T, D); None without one."""
        return None

    def read_mask(self, hidden_states: Tensor, position: int, *, after: int | None = None) -> Tensor | None:
        """The logits (N, V) of the head for masked words at a token of N texts, with gradients unless disabled.

        Args:
            hidden_states: (L + 1, N, T, D), without padding.
            after: index of the hidden state that is read, or of the last of those that are read; None = as the model
                does. An earlier state is read as a lens.
        Returns:
            None without such a head.
        """
        return None

    def word_weights(self, tokens: Tokens) -> Tensor:
        """(T, V) the part of each token of a text in the weight of each word of the vocabulary, of SPLADE.

        Raises:
            UnsupportedModelError: the model does not weigh words.
        """
        raise UnsupportedModelError(f"{self.name} has no head for masked words that weighs the words of a text.")

    def read_text_vectors(self, hidden_states: Sequence[Tensor], batch: Batch) -> Tensor | None:
        """The vectors (B, D') that the folder's own modules make of L + 1 states (B, T, D); None without them."""
        modules = self.pooling.modules
        if modules is None:
            return None
        return modules(hidden_states[-1], batch.attention_mask, self.tokenizer.prompt_length)

    @torch.inference_mode()
    def text_vectors_of_run(self, tokens: Tokens, hidden_states: FloatArray) -> FloatArray | None:
        """The vectors (L + 1, D') that the folder's own modules make of a run's states; None without them."""
        if self.pooling.modules is None:
            return None
        batch = padded([tokens] * len(hidden_states), pad_id=self.pad_id, device=device_of(self.modules[0]))
        vectors = self.read_text_vectors([torch.tensor(hidden_states, device=batch.input_ids.device)], batch)
        return None if vectors is None else to_numpy(vectors)

    @torch.inference_mode()
    def _run_batch(self, texts: Sequence[Tokens], interventions: Sequence[Intervention]) -> FloatArray:
        """(B, L + 1, T, D) hidden states of texts, padded to the longest."""
        batch = padded(texts, pad_id=self.pad_id, device=device_of(self.modules[0]))
        states = self._hidden_states(batch, *self._hooks_of(interventions))
        return to_numpy(torch.stack(states, dim=1))

    @abstractmethod
    def _hidden_states(self, batch: Batch, *hooks: Hooks) -> tuple[Tensor, ...]:
        """L + 1 of (B, T, D), as the hooks leave them."""

    def threads(self, num_tokens: int) -> AbstractContextManager[None]:
        """The context for a run of `num_tokens` tokens, padding included."""
        return threads_for(self.multiplications(num_tokens))

    def multiplications(self, num_tokens: int) -> int:
        """Multiply-adds of a forward pass over `num_tokens` tokens."""
        return num_tokens * self._weights

    @cached_property
    def _weights(self) -> int:
        return multiplied_weights(self.modules[0])

    def check_ids(self, tokens: Tokens) -> None:
        """Raise CheckpointError if a token has an id that the model does not know."""
        largest, known = max(tokens.ids), self.num_ids
        if largest >= known:
            raise CheckpointError(
                f"The tokenizer of {self.name} gives {tokens.pieces[tokens.ids.index(largest)]!r} the id {largest}, "
                f"while its model knows {known} ids: the two do not belong together."
            )

    def check_heads(self, heads: Heads) -> tuple[tuple[int, int], ...]:
        """The pairs, sorted and unique. Raises SelectionError if the model lacks one."""
        try:
            checked = tuple(sorted({(operator.index(layer), operator.index(head)) for layer, head in heads}))
        except (TypeError, ValueError):
            raise SelectionError(
                f"Give heads as pairs of a layer and a head, as in [(0, 1)], not as {heads!r}."
            ) from None
        for layer, head in checked:
            if not (0 <= layer < self.num_layers and 0 <= head < self.num_heads):
                raise SelectionError(
                    f"L{layer} H{head} was to be silenced; {self.name} has layers 0 to {self.num_layers - 1} "
                    f"and heads 0 to {self.num_heads - 1}."
                )
        return checked


def _line_of(model: weakref.ref[Backend]) -> str:
    opened = model()
    return "" if opened is None else opened.passport.line
