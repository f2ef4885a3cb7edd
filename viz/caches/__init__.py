"""What is kept for all sessions: models, runs, messages for the browser, and what experiments found.

Everything that is kept is immutable or never changed: traces are read-only arrays. A key holds plain values, such as a
model's name and its texts, or what a run follows from (`viz.caches.keys`). Whatever takes a model or numbers to work
out is worked out in the thread of `viz.computing.worker`; only loading a model is not, because a download may take
minutes. An error is not kept.

`run_cache` and `message_cache` keep what the first picture needs, and import no torch before a model is asked for. The
other four import torch: `attribution_cache` (what methods draw in place of weights), `experiment_cache` (experiments,
encoder-decoders, the anatomy), `explaining_cache` (what words add to a number) and `similarity_cache` (what pairs of
words add to a cosine).
"""
