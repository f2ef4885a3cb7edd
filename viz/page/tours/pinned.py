"""The pinned cell as a point or a claim of a tour."""

from __future__ import annotations

from math import floor

import streamlit as st

from encoder.measures.unit_attention import MEAN
from viz.caches import revisions, run_cache
from viz.claims.of_encoders import weight
from viz.claims.subject import Subject
from viz.page.runs import run_encoder
from viz.state.selection import Selection
from viz.tours.grammar import format_claim, format_point
from viz.tours.places import word_at
from viz.tours.tour import Claim, Measure, Number, Point, Word


def pinned_point(selection: Selection) -> str | None:
    """The point at the pinned cell, as a tour's file has it; None without one."""
    words = _pinned_words(selection, _subject(selection))
    return words and format_point(Point("cell", words))


def pinned_claim(selection: Selection) -> str | None:
    """The claim that the pinned cell's weight exceeds the round number below it; None without a pinned cell."""
    subject = _subject(selection)
    words = _pinned_words(selection, subject)
    if words is None:
        return None
    head = "mean" if selection.head == MEAN else str(selection.head)
    measure = Measure("weight", (("layer", str(selection.layer)), ("head", head)), words)
    found = weight(measure, subject)
    decimals = 1 if found > 0.1 else 2
    bound = f"{floor(found * 10**decimals) / 10**decimals:.{decimals}f}"
    return format_claim(Claim(measure, ">", Number(bound)))


def _subject(selection: Selection) -> Subject:
    name = revisions.current(st.session_state["model_in_use"])
    return Subject(backend=run_cache.model(name), traces=run_encoder(name, selection), probes=None)


def _pinned_words(selection: Selection, subject: Subject) -> tuple[Word, Word] | None:
    pins = selection.shown_place.pins
    if pins.query is None or pins.key is None:
        return None
    tokens = {run: trace.tokens for run, trace in subject.traces.items()}
    run = pins.run if len(tokens) > 1 else next(iter(tokens))
    return word_at(run, pins.query, tokens), word_at(run, pins.key, tokens)
