"""Driving words: which words push a table's predictions."""
