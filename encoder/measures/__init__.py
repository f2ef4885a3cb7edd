"""Measures of a trace: pure functions on numpy arrays, without models and torch."""
