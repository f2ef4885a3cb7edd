"""Headlight's encoders: text in, one forward pass, a trace out.

::

    import encoder
    trace = encoder.load("bundled").trace("time flies like an arrow", "fruit flies like a banana")
    trace.weights(3)[7]     # (13, 13): layer 3, head 7, queries down, keys across
"""

from encoder.backend import Backend
from encoder.catalogue import CATALOGUE, load
from encoder.tokens import Tokens
from encoder.trace import Prediction, Trace

__all__ = ["CATALOGUE", "Backend", "Prediction", "Tokens", "Trace", "load"]
