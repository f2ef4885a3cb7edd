"""The pinned cell as a point or a claim of a tour."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor

import streamlit as st

from encoder import Tokens
from encoder.measures.unit_attention import MEAN, head_or_mean
from encoder.runs.trace import Trace, excerpts
from viz.caches import revisions
from viz.page.runs import run_encoder
from viz.state.selection import Selection
from viz.tours.grammar import format_claim, format_point
from viz.tours.places import find_word, word_at
from viz.tours.tour import Claim, Measure, Number, Point, Word


def pinned_point(selection: Selection) -> str | None:
    """The point at the pinned cell, as a tour's file has it; None without one."""
    words = _pinned_words(selection, _tokens(excerpts(_traces(selection), selection.first)))
    return words and format_point(Point("cell", words))


def pinned_claim(selection: Selection) -> str | None:
    """The claim that the pinned cell's weight exceeds the round number below it; None without a pinned cell."""
    traces = _traces(selection)
    tokens = _tokens(traces)
    words = _pinned_words(selection, tokens)
    if words is None:
        return None
    query, key = (find_word(word, tokens) for word in words)
    weights = head_or_mean(traces[query.run].weights(selection.layer), selection.head)  # (T, T)
    weight = float(weights[list(query.positions)][:, list(key.positions)].sum(axis=-1).mean())
    decimals = 1 if weight > 0.1 else 2
    bound = f"{floor(weight * 10**decimals) / 10**decimals:.{decimals}f}"
    head = "mean" if selection.head == MEAN else str(selection.head)
    measure = Measure("weight", (("layer", str(selection.layer)), ("head", head)), words)
    return format_claim(Claim(measure, ">", Number(bound)))


def _traces(selection: Selection) -> Mapping[str, Trace]:
    return run_encoder(revisions.current(st.session_state["model_in_use"]), selection)


def _tokens(traces: Mapping[str, Trace]) -> dict[str, Tokens]:
    return {run: trace.tokens for run, trace in traces.items()}


def _pinned_words(selection: Selection, tokens: Mapping[str, Tokens]) -> tuple[Word, Word] | None:
    pins = selection.shown_place.pins
    if pins.query is None or pins.key is None:
        return None
    run = pins.run if len(tokens) > 1 else next(iter(tokens))
    first = tokens[run].excerpt(selection.first).first - tokens[run].first
    return word_at(run, first + pins.query, tokens), word_at(run, first + pins.key, tokens)
