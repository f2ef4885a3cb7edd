"""Experiments on a model: silencing heads, patching states, opening up a run, and distinguishing word senses."""
