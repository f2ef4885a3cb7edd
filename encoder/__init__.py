"""Headlight's encoders: text in, one forward pass, a trace out.

::

    import encoder
    trace = encoder.load("bundled").trace("time flies like an arrow", "fruit flies like a banana")
    trace.weights(3)[7]     # (13, 13): layer 3, head 7, queries down, keys across

torch and transformers take seconds to import, so they are imported when one of these names is first used. Modules that
need numbers only, such as `encoder.measures`, never import them.

Import this module before torch, or set `OMP_WAIT_POLICY=passive` in the environment. By default, torch's threads spin
while they wait for each other. On two busy cores this makes integrated gradients and DecompX of 60 tokens three to four
times slower. torch reads the variable once, when it is imported; after that, `torch.set_num_threads(1)` helps as much.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from encoder.extras import name_missing_extra

if TYPE_CHECKING:
    from encoder.catalogue import load
    from encoder.models.base import Backend
    from encoder.models.training_steps import StepsCallback
    from encoder.models.wrapping import wrap
    from encoder.offers import CATALOGUE
    from encoder.runs.trace import Prediction, Trace
    from encoder.text.tokens import Tokens

__all__ = ["CATALOGUE", "Backend", "Prediction", "StepsCallback", "Tokens", "Trace", "load", "wrap"]

_MODULE_OF = {
    "Backend": "encoder.models.base",
    "CATALOGUE": "encoder.offers",
    "load": "encoder.catalogue",
    "Tokens": "encoder.text.tokens",
    "Prediction": "encoder.runs.trace",
    "Trace": "encoder.runs.trace",
    "StepsCallback": "encoder.models.training_steps",
    "wrap": "encoder.models.wrapping",
}


os.environ.setdefault("OMP_WAIT_POLICY", "passive")


@name_missing_extra()
def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
