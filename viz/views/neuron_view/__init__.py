"""Neuron view: one query against every key."""
