"""Training, probing and evaluation on public data; see `python -m encoder.training.train --help`."""
