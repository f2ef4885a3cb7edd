"""Rows of a table, as all its views filter and name them."""
