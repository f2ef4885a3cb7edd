"""Jobs for the claims of a tour's stop, which take what the page has computed."""

from __future__ import annotations

from dataclasses import replace

from encoder.shipped.tasks import Task
from viz.caches.run_cache import model, trace
from viz.caches.steps import known_or_awaited_result
from viz.caches.writers import generation
from viz.claims.job import ClaimsJob
from viz.claims.of_tables import table_subject
from viz.claims.subject import Subject, subject_of_runs
from viz.recipes.runner import StepRunner
from viz.state.selection import DEFAULT, Table
from viz.tours.grammar import parse_claim


def claims_about_texts(model_name: str, runs: tuple[tuple[str, str | None], ...], claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about an encoder's runs over one pair, or over two texts alone; the caller starts the job."""

    def subject() -> Subject:
        traces = [trace(model_name, a, b) for a, b in runs]
        return subject_of_runs(model(model_name), traces, StepRunner(model, known_or_awaited_result))

    return ClaimsJob([parse_claim(claim) for claim in claims], subject)


def claims_about_table(model_name: str, table: Table, claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about a table that ships; the caller starts the job."""
    selection, steps = replace(DEFAULT, model=model_name, table=table), StepRunner(model, known_or_awaited_result)
    return ClaimsJob([parse_claim(claim) for claim in claims], lambda: table_subject(selection, steps))


def claims_about_writing(writer_name: str, task: Task, text: str, claims: tuple[str, ...]) -> ClaimsJob:
    """Claims about what an encoder-decoder writes; the caller starts the job."""
    return ClaimsJob([parse_claim(claim) for claim in claims], lambda: generation(writer_name, task, text))
