"""Measures of attention from weights and vectors: a file for each method or for those alike."""
