"""Decoder: what an encoder-decoder writes, token by token."""
