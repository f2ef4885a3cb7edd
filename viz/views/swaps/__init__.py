"""Swaps: what swapping one word changes in a table."""
