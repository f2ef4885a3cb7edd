"""Compare: where two runs differ."""
