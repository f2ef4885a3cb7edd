"""A few reviews and tagged sentences, and a model small enough to train on them in a test."""

from collections.abc import Iterable
from pathlib import Path

from encoder.lab.training.data import Review, TaggedSentence
from encoder.lab.training.multitask import Settings
from encoder.models.labels import TAG_IDS
from encoder.transformer.config import EncoderConfig

TINY = EncoderConfig(
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=32,
    position_embedding="sinusoidal",
    attention_probs_dropout_prob=0.0,
)
SETTINGS = Settings(config=TINY, epochs=3, batch_tokens=100, phrases=4, learning_rate=1e-2, averaging=0.8)
NOUN, VERB = TAG_IDS["NOUN"], TAG_IDS["VERB"]


def write_reviews(path: Path, rows: Iterable[tuple[str, float, str]]) -> Path:
    """A file of reviews: their text, score and label."""
    lines = ["text\tscore\tlabel3", *(f"{text}\t{score}\t{label}" for text, score, label in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def review(text: str, sentiment: int) -> Review:
    return Review(
        text=text, treebank_text=text, score=(0.1, 0.5, 0.9)[sentiment], sentiment=sentiment, fine_class=2 * sentiment
    )


REVIEWS = [
    *(review(f"a good {noun}", 2) for noun in ("movie", "film", "plot", "story")),
    *(review(f"a bad {noun}", 0) for noun in ("movie", "film", "plot", "story")),
    *(review(f"a {noun}", 1) for noun in ("movie", "film", "plot", "story")),
]
TAGGED = [
    TaggedSentence(name="a", words=("Time", "flies"), tags=(NOUN, VERB), space_after=(True, True)),
    TaggedSentence(name="b", words=("Birds", "do", "n't", "fly"), tags=(NOUN, 3, 9, VERB), space_after=(1, 0, 1, 1)),
]
