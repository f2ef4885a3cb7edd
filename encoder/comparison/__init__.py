"""Compare two texts or two runs: what differs, and why a model calls two texts similar."""
