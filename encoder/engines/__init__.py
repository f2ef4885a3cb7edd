"""Spread work over many texts: in this process, over processes, or over a Ray cluster.

The work comes in shards. Each worker has a model of its own and one thread, so that the bits of a result depend neither
on the engine nor on other work.
"""
