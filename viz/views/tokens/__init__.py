"""Tokens: what the model reads of the text."""
