"""Small classifiers with random weights."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.models.scratch import ScratchBackend, SentimentHeads
from tests.encoder.random_models import Zoo, backend_of, family_folder

DECOMPOSED = ("bert", "roberta", "electra", "distilbert", "scratch")
every_family = pytest.mark.parametrize("family", DECOMPOSED)


def classifier(zoo: Zoo, folder: Path, family: str) -> Backend:
    """A family with three classes, or our own encoder with sentiment heads: "scratch"."""
    if family == "scratch":
        bare = backend_of(zoo, "scratch")
        cls_id = bare.tokenizer.inner.cls_token_id
        with torch.random.fork_rng():
            torch.manual_seed(0)  # else the heads would be those that the tests before leave
            heads = SentimentHeads(replace(bare.encoder.config, cls_token_id=cls_id))
        return ScratchBackend("scratch", bare.encoder, bare.tokenizer, heads=heads)
    return load_folder(family, family_folder(folder, family, "ForSequenceClassification", num_labels=3))
