"""Small classifiers with random weights."""

from dataclasses import replace
from pathlib import Path

import torch

from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.models.scratch import ScratchBackend, SentimentHeads
from tests.encoder.random_models import FAMILIES, Zoo, backend_of, build, save

CLASSIFIERS = {
    "bert": "BertForSequenceClassification",
    "roberta": "RobertaForSequenceClassification",
    "electra": "ElectraForSequenceClassification",
    "distilbert": "DistilBertForSequenceClassification",
}
NOT_DECOMPOSED = {
    "mpnet": "MPNetForSequenceClassification",
    "deberta-v2": "DebertaV2ForSequenceClassification",
}


def classifier(zoo: Zoo, folder: Path, family: str) -> Backend:
    """A family of these with three classes, or our own encoder with sentiment heads: "scratch"."""
    if family == "scratch":
        bare = backend_of(zoo, "scratch")
        cls_id = bare.tokenizer.inner.cls_token_id
        with torch.random.fork_rng():
            torch.manual_seed(0)  # else the heads would be those that the tests before leave
            heads = SentimentHeads(replace(bare.encoder.config, cls_token_id=cls_id))
        return ScratchBackend("scratch", bare.encoder, bare.tokenizer, heads=heads)
    of_family = FAMILIES[family]
    tokenizer = of_family.tokenizer()
    settings = {"vocab_size": len(tokenizer), "num_labels": 3, **of_family.settings}
    model_class = (CLASSIFIERS | NOT_DECOMPOSED)[family]
    return load_folder(family, save(build(model_class, of_family.config_class, **settings), folder, tokenizer))
