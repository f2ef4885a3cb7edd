"""Former names of `encoder.attribution.target`, for programs that import them."""

from encoder.attribution.target import Target as Number
from encoder.attribution.target import resolve_target as ask

__all__ = ["Number", "ask"]
