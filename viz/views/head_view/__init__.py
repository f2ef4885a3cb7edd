"""Head view: one layer, lines from tokens to tokens."""
