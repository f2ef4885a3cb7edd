"""Routes: which attention carries the answer."""
