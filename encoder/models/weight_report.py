"""Which tensors of a checkpoint its model leaves out, which weights the checkpoint lacks, and a prefix of all names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from encoder.errors import CheckpointError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Left-over tensors that change nothing that is shown: buffers that a model makes itself, unused halves of tied weights,
# and heads of pretraining, poolers included.
HARMLESS = re.compile(
    r"(?:^|\.)(?:position_ids|token_type_ids|(?:original_)?inv_freq|masked_bias|attn\.bias|num_batches_tracked|version|"
    r"_weight|final_logits_bias)$"
    r"|(?:^|\.)(?:pooler|cls|lm_head|lm_predictions|mask_predictions|predictions|seq_relationship|sop_classifier|"
    r"vocab_(?:transform|layer_norm|projector)|generator_(?:lm_head|predictions)|discriminator_predictions|pred_layer|"
    r"lm_loss|contact_head|head\.(?:dense|norm))\."
    r"|^decoder\.(?:weight|bias)$"
)
OF_LAYER = re.compile(r"\.\d+(?=\.)")
MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightReport:
    """How a checkpoint fills its model.

    Attributes:
        count: of the checkpoint's tensors.
        unused: names of tensors that no part of the model reads, though they belong to what the checkpoint computes.
        harmless: names of left-over tensors that change nothing that is shown.
        missing: names of weights that are not in the checkpoint, which nothing that is shown reads.
        prefix: what all names began with, removed for loading; "" for none.
        lacks_head: whether it has no weights of the head that config.json names.
    """

    count: int = 0
    unused: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    prefix: str = ""
    lacks_head: bool = False

    @classmethod
    def of(
        cls, count: int, left_over: Iterable[str], missing: Iterable[str], *, prefix: str = "", lacks_head: bool = False
    ) -> WeightReport:
        """A report of a checkpoint of `count` tensors."""
        names = sorted(left_over)
        return cls(
            count=count,
            unused=tuple(name for name in names if not HARMLESS.search(name)),
            harmless=tuple(name for name in names if HARMLESS.search(name)),
            missing=tuple(sorted(missing)),
            prefix=prefix,
            lacks_head=lacks_head,
        )

    @property
    def remark(self) -> str:
        """What differs from the checkpoint, in full sentences; "" if nothing does."""
        found = []
        if self.unused:
            are, them = ("is", "it") if len(self.unused) == 1 else ("are", "them")
            found.append(
                f"{len(self.unused):,} of the checkpoint's {self.count:,} tensors {are} not used "
                f"({listed(self.unused)}): what is shown is the model without {them}."
            )
        if self.prefix:
            found.append(f"The checkpoint's names begin with “{self.prefix}”, which was removed to load it.")
        return " ".join(found)

    @property
    def left_out(self) -> str:
        """What is left out and changes nothing that is shown, in full sentences."""
        found = []
        if self.harmless:
            found.append(f"Not needed here: {listed(self.harmless)}.")
        if self.missing:
            found.append(f"Not in the checkpoint, and not read: {listed(self.missing)}.")
        return " ".join(found)


def listed(names: Iterable[str]) -> str:
    """Names of tensors for a sentence: those of all layers as one, the first few of many."""
    groups = list(dict.fromkeys(OF_LAYER.sub(".N", name) for name in names))
    more = len(groups) - MOST_NAMED
    return ", ".join(groups[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def prefix_of(name: str, stored: Iterable[str], model: PreTrainedModel) -> str:
    """What the names of most weights of a model begin with in a checkpoint; "" for nothing.

    Args:
        name: of the model, for messages.
        stored: the names in the checkpoint.
    Raises:
        CheckpointError: the checkpoint holds several such models.
    """
    own, base = {*model.state_dict()}, f"{model.base_model_prefix}."  # which `transformers` adds and removes itself
    wanted = own | {key.removeprefix(base) for key in own} | {base + key for key in own}
    found = Counter[str]()
    for key in stored:
        starts = [0, *(place + 1 for place, letter in enumerate(key) if letter == ".")]
        start = next((start for start in starts if key[start:] in wanted), 0)
        if start:
            found[key[:start]] += 1
    most = found.most_common(2)
    if len(most) == 2 and 2 * most[1][1] >= most[0][1]:
        raise CheckpointError(
            f"The checkpoint of {name} holds several models, whose names begin with “{most[0][0]}” and “{most[1][0]}”: "
            "save one of them alone."
        )
    return most[0][0] if most else ""
