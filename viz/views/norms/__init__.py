"""Norms: how long the vectors are."""
