"""`headlight --metrics`: what an operator watches, at a port of its own, and a line of the log for each event.

| path       | answer                                                                          |
|------------|---------------------------------------------------------------------------------|
| `/metrics` | counters and histograms of `viz.computing.events`, and what is held at the time |
| `/health`  | 200 if the server's event loop answers                                          |
| `/ready`   | 200 if the model is loaded and another page can be opened                       |
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from socketserver import ThreadingTCPServer
from typing import Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    MetricsHandler,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from viz.computing import events, worker
from viz.computing.background import Background
from viz.computing.events import Fact
from viz.page import bounds, direct
from viz.page.warmup import WARMUP

OK, NOT_FOUND, UNAVAILABLE = 200, 404, 503
SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0)  # a job may take 600
OF_A_RUN: Final = SECONDS[2:-2]
PATIENCE: Final = 5.0  # seconds for the event loop, and for a request to arrive
LOADING: Final = "The model is being loaded."
FAILED: Final = "The model could not be loaded: see the log."
BUSY: Final = "The server's event loop does not answer."
UNLOGGED: Final = ("work",)  # parts of runs and jobs, which are logged

logger = logging.getLogger("headlight.events")


class Counted:
    """Counters and histograms of events."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.runs = Counter(
            "headlight_runs",
            "Views that were rendered, by what came of it.",
            ("view", "by", "state"),
            registry=registry,
        )
        self.run_seconds = Histogram(
            "headlight_run_seconds",
            "Time until a view was rendered, waiting included.",
            ("view",),
            buckets=OF_A_RUN,
            registry=registry,
        )
        self.waiting = Histogram(
            "headlight_waiting_seconds", "Time in a queue.", ("queue",), buckets=SECONDS, registry=registry
        )
        self.working = Histogram(
            "headlight_working_seconds", "Time of work after its queue.", ("queue",), buckets=SECONDS, registry=registry
        )
        self.jobs = Counter("headlight_jobs", "Long work, by what came of it.", ("state",), registry=registry)
        self.models = Counter(
            "headlight_model_loads", "Models that were loaded.", ("origin", "state"), registry=registry
        )
        self.pages = Counter("headlight_pages_opened", "Pages that were opened.", registry=registry)
        self.uploads = Counter("headlight_uploads", "Files that were sent.", registry=registry)
        self.uploaded = Counter("headlight_uploaded_bytes", "Bytes of these files.", registry=registry)
        self.refusals = Counter("headlight_refusals", "What was refused.", ("reason",), registry=registry)
        self.errors = Counter(
            "headlight_errors", "Unexpected errors, which the log has.", ("where",), registry=registry
        )

    def count(self, event: str, facts: Mapping[str, Any]) -> None:
        """Count an event."""
        match event:
            case "run":
                self.runs.labels(facts["view"], facts["by"], facts["state"]).inc()
                if facts["state"] == "done":
                    self.run_seconds.labels(facts["view"]).observe(facts["seconds"])
            case "work":
                self.waiting.labels(facts["queue"]).observe(facts["waiting"])
                self.working.labels(facts["queue"]).observe(facts["seconds"])
            case "job":
                self.jobs.labels(facts["state"]).inc()
            case "model":
                self.models.labels(facts["origin"], facts["state"]).inc()
            case "page opened":
                self.pages.inc()
            case "upload":
                self.uploads.inc()
                self.uploaded.inc(facts["bytes"])
            case "refusal":
                self.refusals.labels(facts["reason"]).inc()
            case "error":
                self.errors.labels(facts["where"]).inc()


class Held(Collector):
    """What the server holds when it is asked."""

    def __init__(self, pages: bounds.Pages) -> None:
        self._pages = pages
        self._models: Background | None = None  # None until it can be imported without a wait

    @property
    def problem(self) -> str:
        """Why a new visitor is not answered at once; "" if they are."""
        if self._models is None or not self._models.done:
            return LOADING
        return FAILED if self._models.failed else self._pages.refusal

    def load(self) -> None:
        """Load the model at once."""
        WARMUP.wait()
        from viz.page.loading import MODELS

        MODELS.start()
        self._models = MODELS

    def collect(self) -> Iterator[Metric]:
        """The gauges; those that need torch once it is there."""
        yield GaugeMetricFamily("headlight_ready", "1 if a new visitor is answered at once.", int(not self.problem))
        yield GaugeMetricFamily("headlight_visitors", "Browsers with an open page.", len(self._pages.browsers))
        yield GaugeMetricFamily("headlight_pages", "Open pages.", self._pages.browsers.total())
        yield GaugeMetricFamily("headlight_pages_limit", "Pages that may be open.", self._pages.most)
        if self._models is None or not self._models.done:
            return
        from viz.caches.collections import bytes_of_own_tables
        from viz.caches.memo import JOBS, MODELS, VALUES
        from viz.computing import job

        queues = {"worker": worker, "typing": direct, "jobs": job}
        waiting = GaugeMetricFamily("headlight_queue_waiting", "What waits in a queue.", labels=["queue"])
        running = GaugeMetricFamily("headlight_queue_running", "What a queue has let begin.", labels=["queue"])
        for name, queue in queues.items():
            for gauge, number in zip((waiting, running), queue.waiting_and_running(), strict=True):
                gauge.add_metric([name], number)
        yield waiting
        yield running
        models, model_bytes = MODELS.size()
        yield GaugeMetricFamily("headlight_models", "Models in memory.", models)
        sizes = {"models": model_bytes, "jobs": JOBS.size()[1], "values": VALUES.size()[1]}
        sizes |= {"tables": bytes_of_own_tables(), "uploads": bounds.bytes_held()}
        memory = GaugeMetricFamily("headlight_memory_bytes", "What the limits of memory count.", labels=["of"])
        for name, size in sizes.items():
            memory.add_metric([name], size)
        yield memory


def log(event: str, facts: Mapping[str, Fact]) -> None:
    """Write an event to the log, as JSON."""
    if event not in UNLOGGED:
        rounded = {name: round(fact, 4) if isinstance(fact, float) else fact for name, fact in facts.items()}
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        logger.info(json.dumps({"time": when, "event": event} | rounded))


def _write_log() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


def serve(host: str, port: int, pages: bounds.Pages) -> ThreadingTCPServer:
    """Count and log from now on, and answer at a port until the process ends; called in the server's event loop."""
    disable_created_metrics()  # the time of each series' first event, in a series of its own
    loop, registry, held = asyncio.get_running_loop(), CollectorRegistry(), Held(pages)
    registry.register(held)
    ProcessCollector(registry=registry)
    events.listen(Counted(registry).count)
    _write_log()
    events.listen(log)
    handler = MetricsHandler.factory(registry)

    class Handler(handler):  # type: ignore[misc, valid-type]
        timeout = PATIENCE

        def do_GET(self) -> None:  # noqa: N802 (the name that Python calls)
            match self.path.partition("?")[0]:
                case "/metrics":
                    super().do_GET()
                case "/health":
                    self._say("" if _answers(loop) else BUSY)
                case "/ready":
                    self._say(held.problem)
                case _:
                    self.send_error(NOT_FOUND)

        def _say(self, problem: str) -> None:
            self.send_response(UNAVAILABLE if problem else OK)
            self.end_headers()
            self.wfile.write(f"{problem or 'ok'}\n".encode())

    class Server(ThreadingTCPServer):
        address_family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        allow_reuse_address = daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            if not isinstance(sys.exception(), ConnectionError):  # of a client that no longer waits
                logging.getLogger(__name__).exception("The metrics could not be served.")

    server = Server((host, port), Handler)
    threading.Thread(target=server.serve_forever, name="headlight-metrics", daemon=True).start()
    threading.Thread(target=held.load, name="headlight-load", daemon=True).start()
    return server


def _answers(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether an event loop gets round to something new."""
    try:
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(PATIENCE)
    except (TimeoutError, RuntimeError):
        return False
    return True
