"""What is computed of models and runs, and cached for all sessions: models, runs, messages, numbers.

`memo` caches values and has the table of what is cached, for how long and how large. A function of a run is called by
`memo.cached`, a function of a model by `run_cache.cached_with_model`, and a function that reports its progress by
`run_cache.cached_job`. All computing takes place in the worker's thread (`viz.computing.worker`) or in a job's.

`run_cache` and `message_cache` have what the first picture needs, and import no torch before a model is asked for. The
other five import torch: `attribution_cache` (what methods of attribution give in place of weights), `experiment_cache`
(experiments, encoder-decoders, the anatomy), `estimate_cache` (what gradients estimate), `explaining_cache` (what words
add to a number) and `similarity_cache` (what pairs of words add to a cosine).
"""
