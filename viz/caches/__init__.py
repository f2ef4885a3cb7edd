"""Cached models, runs, messages and numbers, shared by all sessions.

`memo` holds the caches; its docstring lists their contents and sizes. A function of a run is called by
`memo.cached`, a function of a model by `run_cache.cached_with_model`, and a function that reports its progress by
`run_cache.cached_job`. All computing takes place in the worker's thread (`viz.computing.worker`) or in a job's.

`run_cache` and `message_cache` serve the first view, and import torch only to load a model. The other five import
torch: `attribution_cache` (maps of attribution methods), `experiment_cache` (experiments, encoder-decoders, the
anatomy), `estimate_cache` (estimates by gradients), `explaining_cache` (what words add to a number) and
`similarity_cache` (what pairs of words add to a cosine).
"""
