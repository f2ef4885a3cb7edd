"""Sentences with sense-labelled words, and how well a model distinguishes the senses."""
