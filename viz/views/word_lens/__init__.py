"""Word lens: one word in two sentences."""
