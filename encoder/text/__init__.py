"""Texts as tokens and words, with their positions."""
