"""Cached models, runs, messages and numbers, shared by all sessions.

`memo` holds the caches; its docstring lists their contents and sizes. A function of a run is called by `memo.cached`;
a function of a model, or of a table, is a step: `steps.result_of` has its value, and `steps.job_of` its job. All
computing takes place in the worker's thread (`viz.computing.worker`) or in a job's.

`run_cache`, `steps` and `message_cache` serve the first view, and import torch only to load a model. Others import
torch: `attribution_cache` (maps of attribution methods) and `writers` (encoder-decoders).
"""
