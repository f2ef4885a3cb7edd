"""The kinds of heads whose predictions for a table of texts are read, compared with labels, and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from encoder.collection.kinds.base import Answered, Kind, WholeText
from encoder.collection.kinds.choices import Choices
from encoder.collection.kinds.classes import Classes, Labels
from encoder.collection.kinds.mask import Mask
from encoder.collection.kinds.scores import Score, Scores
from encoder.collection.kinds.span import Span
from encoder.collection.kinds.tags import Tags

if TYPE_CHECKING:
    from encoder.models.base import Reading

KINDS: Final[Mapping[Kind, type[WholeText] | type[Answered]]] = {
    each.kind: each for each in (Classes, Labels, Score, Scores, Tags, Span, Mask, Choices)
}


def kind_of(readings: Sequence[Reading]) -> Kind | None:
    """The kind of head by the first rows that it reads; None if it predicts nothing for them.

    A model that also fills in masked words does so where most of these rows have a mask.
    """
    found = [reading.prediction for reading in readings if reading.prediction is not None]
    if any(each.of == "choices" for each in found):
        return "choices"
    of_tokens = [reading.token_prediction for reading in readings if reading.token_prediction is not None]
    masked = sum(bool(each.positions) for each in of_tokens if each.task == "mask")
    if len(found) < len(readings) or 2 * masked > len(readings):
        return of_tokens[0].task if of_tokens else None
    if found[0].probabilities is None:
        return "score" if len(found[0].labels) == 1 else "scores"
    return "classes" if found[0].is_choice else "labels"
