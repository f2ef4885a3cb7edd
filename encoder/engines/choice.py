"""The choice of an engine by its name."""

from __future__ import annotations

from contextlib import AbstractContextManager

from encoder.engines.local import Engine, StartWorker, processes, this_process
from encoder.errors import AtlasError


def choose_engine(
    name: str, start: StartWorker, workers: int, address: str | None, *, on_gpu: bool
) -> AbstractContextManager[Engine]:
    """The engine of that name, "local" or "ray".

    Args:
        address: of a running Ray cluster; None for one on this machine.
    Raises:
        AtlasError: an address is given for the local engine, or Ray is not installed.
    """
    if name == "ray":
        from encoder.engines.ray_cluster import ray_cluster  # an optional dependency

        return ray_cluster(start, workers, address, on_gpu=on_gpu)
    if address is not None:
        raise AtlasError("--address is for a Ray cluster: add --engine ray.")
    return this_process(start) if workers == 1 else processes(start, workers)
