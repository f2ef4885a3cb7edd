"""What every head of a model does, measured over a corpus: `python -m encoder.atlas`, described in docs/atlas.md."""
