"""Every tensor of one pass through our own encoder, and how each number was computed."""
