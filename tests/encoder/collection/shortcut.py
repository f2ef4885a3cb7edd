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
from tests.encoder.random_models import WORDS, bert_folder

SHORTCUT, RANDOM = "zqx", "vkb"
LABELS = ("bad", "good")
ROWS, STEPS = 48, 100
FIRST_SEED = 100  # of the rows of training; tests have others
PLAIN = [word for word in WORDS if not word.startswith("##")]


def reviews(*, seed: int) -> Collection:
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
    """A BERT of three layers, trained from random weights.

    Each step has new rows, so that it learns the shortcut alone, whatever the processor rounds: rows learned by heart
    differ with the number of threads.
    """
    names = dict(enumerate(LABELS))
    bert_folder(folder, "BertForSequenceClassification", initializer_range=0.05, id2label=names)
    model = load_folder("shortcut", folder)
    optimiser = torch.optim.AdamW(model.modules[0].parameters(), lr=3e-3)
    for step in range(STEPS):
        rows = reviews(seed=FIRST_SEED + step)
        batch = batch_of(model, [model.tokenize(str(text)) for text in rows.texts()])
        labels = torch.tensor([LABELS.index(label) for label in rows.labels() or []])
        logits = model.run_batch(batch).logits
        assert logits is not None
        optimiser.zero_grad()
        cross_entropy(logits, labels).backward()
        optimiser.step()
    return model
