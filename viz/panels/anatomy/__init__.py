"""The anatomy of the encoder: a walk, step by step, with the tensors of the text on the page."""
