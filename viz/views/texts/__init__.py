"""Texts: predictions and errors of a table."""
