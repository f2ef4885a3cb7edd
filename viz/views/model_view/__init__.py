"""Model view: all heads, a row for each layer."""
