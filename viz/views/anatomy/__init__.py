"""Anatomy: one run, from the text to its vectors, step by step."""
