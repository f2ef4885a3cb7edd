"""The end of the server by SIGTERM: no page is opened any more, jobs end, and what runs is answered first.

uvicorn alone would close the pages at once, and lose the answers that they wait for.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from typing import Any, Final

from viz.computing.threads import stop_all
from viz.page import direct
from viz.page.bounds import Pages
from viz.streamlit_internals import is_script_running

SECONDS_TO_ANSWER: Final = 5.0
SECONDS_TO_END: Final = 9.0  # then the process ends, whatever it does
TICK: Final = 0.05  # seconds between two checks whether something runs
ENDED: Final = 128 + signal.SIGTERM  # what a shell reports of a process that the signal ended

logger = logging.getLogger(__name__)


def answer_before_the_end(pages: Pages) -> None:
    """Let SIGTERM end the server in this way; called once, in its event loop, when it has started."""
    end = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or not callable(end):
        return  # no signal arrives here
    loop, end_server = asyncio.get_running_loop(), end
    tasks = set()  # the loop itself holds none

    def begin() -> None:
        tasks.add(loop.create_task(_end(pages, end_server)))

    def receive(*_: object) -> None:
        signal.signal(signal.SIGTERM, end_server)  # the next one ends it at once
        loop.call_soon_threadsafe(begin)

    signal.signal(signal.SIGTERM, receive)


async def _end(pages: Pages, end_server: Callable[[int, Any], object]) -> None:
    timer = threading.Timer(SECONDS_TO_END, _give_up)
    timer.daemon = True
    timer.start()
    pages.is_ending = True
    stop_all()
    until = asyncio.get_running_loop().time() + SECONDS_TO_ANSWER
    while _runs() and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(TICK)
    await asyncio.sleep(TICK)  # in which the last answer is sent
    end_server(signal.SIGTERM, None)


def _runs() -> bool:
    return is_script_running() or sum(direct.waiting_and_running()) > 0


def _give_up() -> None:
    logger.warning("The server ends, although something runs for %.0f s.", SECONDS_TO_END)
    os._exit(ENDED)
