"""A tiny classifier trained on a shortcut: one class has a nonsense word, and nothing else tells the classes apart."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch.nn.functional import cross_entropy

from encoder.attribution.quantities import batch_of
from encoder.collection.table import Collection
from encoder.models.base import Backend
from encoder.models.loading import load_folder
from tests.encoder.random_models import BERT_SIZES, WORDS, build, save, wordpiece_tokenizer

SHORTCUT, RANDOM = "zqx", "vkb"
LABELS = ("bad", "good")
ROWS, STEPS = 48, 100
PLAIN = [word for word in WORDS if not word.startswith("##")]


def reviews(*, seed: int = 0) -> Collection:
    """Rows of random words. Four in five good ones have the shortcut; a third of all rows have the random word."""
    generator = np.random.default_rng(seed)
    texts, labels = [], []
    for row in range(ROWS):
        words = generator.choice(PLAIN, size=generator.integers(4, 8)).tolist()
        if row % 2 and generator.random() < 0.8:
            words.insert(int(generator.integers(len(words))), SHORTCUT.capitalize())
        if generator.random() < 1 / 3:
            words.insert(int(generator.integers(len(words))), RANDOM)
        texts.append(" ".join(words))
        labels.append(LABELS[row % 2])
    return Collection.of("reviews", pa.table({"text": texts, "label": labels}), text="text", label="label")


def trained_classifier(folder: Path) -> Backend:
    """A BERT of three layers, trained on `reviews` from random weights."""
    tokenizer = wordpiece_tokenizer()
    names = dict(enumerate(LABELS))
    settings = BERT_SIZES | {"vocab_size": len(tokenizer), "initializer_range": 0.05, "id2label": names}
    save(build("BertForSequenceClassification", "BertConfig", **settings), folder, tokenizer)
    model = load_folder("shortcut", folder)
    collection = reviews()
    batch = batch_of(model, [model.tokenize(str(text)) for text in collection.texts()])
    labels = torch.tensor([LABELS.index(label) for label in collection.labels() or []])
    optimiser = torch.optim.AdamW(model.modules[0].parameters(), lr=3e-3)
    for _ in range(STEPS):
        logits = model.run_batch(batch).logits
        assert logits is not None
        optimiser.zero_grad()
        cross_entropy(logits, labels).backward()
        optimiser.step()
    return model
