"""What each head of a model does, measured over a corpus: `python -m encoder.atlas`, documented in docs/atlas.md."""
