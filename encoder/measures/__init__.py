"""Numbers about a trace: pure functions on numpy arrays, no model and no torch."""
