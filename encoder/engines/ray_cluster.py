"""The engine for many machines: Ray Data reads the texts, and a pool of actors with a model each measures them.

Ray repeats a shard if a worker is killed. Results carry their index, and a shard gives the same bits on every machine.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from encoder.engines.local import AGAIN, Engine, StartWorker, named_end
from encoder.errors import AtlasError

try:
    import ray
    from ray.data.block import BlockMetadata
    from ray.data.datasource import Datasource, ReadTask
except ImportError as error:
    raise AtlasError("Ray is not installed: pip install -r encoder/engines/requirements.txt.") from error

ROOT = Path(__file__).parents[2]
WAITING = 2  # shards per actor, the running one included: with more, the first actor would take them all


@contextmanager
def ray_cluster(start: StartWorker, workers: int, address: str | None, *, on_gpu: bool = False) -> Iterator[Engine]:
    """Measure shards on a Ray cluster.

    Args:
        on_gpu: whether each model takes a GPU.
        workers: models in the pool, one thread or one GPU each.
        address: of a running cluster, whose machines have Headlight installed and the texts under the same path;
            None = start one on this machine until the context exits.
    Raises:
        AtlasError: there is no cluster at that address.
    """
    with named_end(f"This command was ended from outside, as Ray does when a part of it has failed. {AGAIN}"):
        _connect(address, workers)
        try:
            yield partial(_measure_all, start, workers, on_gpu)
        finally:
            ray.shutdown()


def _measure_all(start: StartWorker, workers: int, on_gpu: bool, shards: Iterable[Any]) -> Iterator[Any]:
    measured = ray.data.read_datasource(_ShardSource(shards), override_num_blocks=1).map_batches(
        _RayWorker,
        fn_constructor_args=(start,),
        batch_size=1,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=workers, max_tasks_in_flight_per_actor=WAITING),
        num_cpus=1,
        num_gpus=1 if on_gpu else 0,
    )
    try:
        for row in measured.iter_rows():
            yield pickle.loads(row["result"])
    except ray.exceptions.RayError as error:
        raise AtlasError(f"The Ray cluster failed: {str(error).splitlines()[0]}. {AGAIN}") from error


def _connect(address: str | None, workers: int) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options: dict[str, Any] = {"address": address}
    if address is None:
        # One more than the models, for the reading task.
        options = {"address": "local", "num_cpus": workers + 1, "include_dashboard": False}
        options["runtime_env"] = {"env_vars": {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}}
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise AtlasError(f"There is no Ray cluster at {address}: {error}") from error
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 1  # byte: Ray would join shards to larger blocks, each for one model


class _ShardSource(Datasource):  # type: ignore[misc] # untyped without Ray
    """The texts as a data source for Ray: one block per shard, read in order."""

    def __init__(self, shards: Iterable[Any]) -> None:
        super().__init__()
        self._shards = shards

    def estimate_inmemory_data_size(self) -> int | None:
        """Unknown before the texts are read."""
        return None

    def get_read_tasks(self, *_: Any, **__: Any) -> list[Any]:
        """One task, because texts are numbered from the start of a file."""
        shards = self._shards

        def read() -> Iterable[pa.Table]:
            for shard in shards:
                yield pa.table({"shard": [pickle.dumps(shard)]})

        return [ReadTask(read, BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None))]


class _RayWorker:
    """A worker as an actor."""

    def __init__(self, start: StartWorker) -> None:
        self.worker = start()

    def __call__(self, batch: pa.Table) -> pa.Table:
        results = [pickle.dumps(self.worker.measure(pickle.loads(shard))) for shard in batch["shard"].to_pylist()]
        return pa.table({"result": results})
