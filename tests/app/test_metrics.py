"""Metrics, health and the log of events, at a port of their own."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Thread
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from encoder.errors import InputError
from viz.computing import events, worker
from viz.computing.background import Background
from viz.computing.job import Job
from viz.launch import HOST
from viz.page import bounds, metrics
from viz.page.bounds import FULL, Pages

DASHBOARD = Path(__file__).parents[2] / "deploy" / "grafana.json"
Ask = Callable[[str], tuple[int, str]]


@pytest.fixture
def pages() -> Pages:
    return Pages(2)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Background:
    """Stands for the model that is loaded at the start; it is not yet."""
    model = Background([("the model", lambda: None)])
    monkeypatch.setattr(metrics.Held, "load", lambda held: setattr(held, "_models", model))
    return model


@pytest.fixture
def ask(pages: Pages, model: Background, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """What the server of metrics answers to a path, next to a running event loop."""
    monkeypatch.setattr(events, "_listeners", [])
    monkeypatch.setattr(bounds, "bytes_held", lambda: 0)  # which needs a server of Streamlit
    handlers = [*metrics.logger.handlers]
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()

    async def serve() -> ThreadingTCPServer:
        return metrics.serve(HOST, 0, pages)

    server = asyncio.run_coroutine_threadsafe(serve(), loop).result()

    def answer(path: str) -> tuple[int, str]:
        try:
            with urlopen(f"http://{HOST}:{server.server_address[1]}{path}") as found:
                return found.status, found.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    yield answer
    server.shutdown()
    server.server_close()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    metrics.logger.handlers[:] = handlers


def samples(text: str) -> dict[str, float]:
    """The values of all samples, by their names and labels."""
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_happens_is_counted(ask: Ask, pages: Pages, model: Background) -> None:
    pages.browsers.update(["one", "one", "another"])
    model.start()
    model.wait()
    with events.reported("run", view="heat map", by="page"):
        worker.in_worker(lambda: None)
    with pytest.raises(InputError), events.reported("run", view="heat map", by="page"):
        raise InputError("too long")
    done, failing = Job[int](lambda *_: 1), Job[int](lambda *_: int("x"))
    for each in (done, failing):
        each.start(None)  # type: ignore[arg-type]
        each.wait(60)
    events.report("upload", bytes=7)
    events.refused("password")
    found = samples(ask("/metrics")[1])
    expected = {
        "headlight_runs_total page done heat map": 1,
        "headlight_runs_total page refused heat map": 1,
        "headlight_run_seconds_count heat map": 1,
        "headlight_waiting_seconds_count worker": 1,
        "headlight_working_seconds_count jobs": 2,
        "headlight_jobs_total done": 1,
        "headlight_jobs_total failed": 1,
        "headlight_errors_total headlight-job": 1,
        "headlight_uploads_total": 1,
        "headlight_uploaded_bytes_total": 7,
        "headlight_refusals_total password": 1,
        "headlight_visitors": 2,
        "headlight_pages": 3,
        "headlight_queue_waiting jobs": 0,
        "headlight_memory_bytes uploads": 0,
    }
    assert {name: found.get(name) for name in expected} == expected


def test_it_is_ready_when_the_model_is_loaded_and_a_page_fits_in(ask: Ask, pages: Pages, model: Background) -> None:
    assert ask("/health") == (200, "ok\n")
    assert ask("/ready") == (503, f"{metrics.LOADING}\n")
    model.start()
    model.wait()
    assert ask("/ready") == (200, "ok\n")
    pages.browsers["one"] = 2
    assert ask("/ready") == (503, f"{FULL}\n")
    assert ask("/")[0] == 404


def test_an_event_is_a_line_of_json(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    events.report("refusal", reason="full", seconds=0.123456)
    events.report("work", queue="worker", waiting=0.0, seconds=0.0)
    (line,) = map(json.loads, caplog.messages)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line.pop("time"))
    assert line == {"event": "refusal", "reason": "full", "seconds": 0.1235}


def test_the_dashboard_asks_for_metrics_that_there_are(ask: Ask, model: Background) -> None:
    model.start()
    model.wait()
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    asked = {name for each in panels for target in each["targets"] for name in re.findall(r"\w+_\w+", target["expr"])}
    families = {family.name: family.type for family in text_string_to_metric_families(ask("/metrics")[1])}
    suffix = {"counter": "_total", "histogram": "_bucket"}
    there = {f"{name}{suffix.get(kind, '')}" for name, kind in families.items()}
    assert len(panels) == 8
    assert {name for name in asked if name.startswith(("headlight", "process"))} <= there
