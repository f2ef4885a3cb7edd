"""Load models by name: those of the catalogue, folders, and models of the Hugging Face hub.

Models that ship run in our own modules. For all others, `encoder.models.loading` imports `transformers`, and
`encoder.models.hub` imports the hub's client, which takes seconds.
"""

from __future__ import annotations

import logging
import os.path
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import torch

from encoder.errors import OfflineError, UnknownModelError, did_you_mean
from encoder.extras import name_missing_extra
from encoder.models.base import Backend
from encoder.models.checkpoint import load_bert_folder, report_of_bert_folder
from encoder.models.device import choose_device
from encoder.models.files import (
    ALL_POSITIONS,
    WITHOUT_ADAPTER,
    quoted,
    read_config,
    revision_of,
    usual_name,
)
from encoder.models.other_formats import ARCHIVES
from encoder.models.passport import Facts
from encoder.models.pooling import folder_length, read_pooling, tokenizer_of
from encoder.models.scratch import ScratchBackend, untrained
from encoder.models.task_heads import unused_head
from encoder.models.threads import preserve_random_state
from encoder.offers import CATALOGUE, WRITERS, ModelName, is_on_the_hub, without_prefix
from encoder.progress import Progress, no_progress
from encoder.shipped.bundled import bundled_folder
from encoder.shipped.multi_task import load_scratch
from encoder.shipped.names import BUNDLED, SCRATCH, SCRATCH_BERT, SEQ2SEQ, TUNED, UNTRAINED
from encoder.shipped.sentiment import load_bundled, load_bundled_sentiment
from encoder.shipped.seq2seq import Seq2SeqBackend, load_seq2seq
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.bert_names import config_from_bert
from encoder.transformer.config import PRESETS
from encoder.transformer.encoder import Encoder

if TYPE_CHECKING:
    from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq
    from encoder.runs.generation import Generation
    from encoder.shipped.tasks import Task

Writer: TypeAlias = "Seq2SeqBackend | PretrainedSeq2Seq"

logger = logging.getLogger(__name__)

SEED = 0


@name_missing_extra()
def load(
    name: str | PathLike[str],
    *,
    all_positions: bool = False,
    progress: Progress = no_progress,
    device: str | None = None,
) -> Backend:
    """Load a model by name.

    Args:
        name: a name of the catalogue, a model folder, "scratch-bert:FOLDER" for our encoder with the weights of
            a BERT folder, "base:FOLDER" for the base model of an adapter's folder, "scratch:step=400" for our trained
            encoder at one of the steps of `encoder.shipped.names.steps()`, or a model id of the Hugging Face hub.
            Before any of these, "all-positions:" is the same as the next argument.
        all_positions: whether texts are cut at as many tokens as the model has positions for, where its folder says
            fewer. Notes of a trace say what that changes.
        progress: called with the bytes received and the total bytes during a download.
        device: as in `encoder.models.device.choose_device`.
    Raises:
        ModelError: the model cannot be loaded; the message says why and what to do.
        InstallationError: a package that it needs is not installed.
    """
    place = choose_device(device)
    wanted = _name_of(name)
    backend = _load(usual_name(wanted), progress).to(place)
    return backend.with_all_positions() if all_positions or wanted.startswith(ALL_POSITIONS) else backend


def _name_of(model: str | PathLike[str]) -> str:
    """A model's name as a string; a path gets a separator, to tell it from names and ids. Raises UnknownModelError."""
    if isinstance(model, str):
        return model.strip()
    if isinstance(model, PathLike):
        return os.path.join(os.curdir, model)
    raise UnknownModelError(f"A model is loaded by its name or its folder, not by a {type(model).__name__}.")


def _load(name: str, progress: Progress) -> Backend:
    logger.info("loading %s", quoted(name))
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if (step := ModelName(name).step) is not None:
        return _scratch(step)
    if name.startswith(f"{SCRATCH_BERT}:"):
        return _scratch_from_folder(name, _existing_folder(name.removeprefix(f"{SCRATCH_BERT}:")))
    if name.startswith(f"{WITHOUT_ADAPTER}:"):
        return _without_adapter(name, _existing_folder(without_prefix(name)))
    if not name:
        raise UnknownModelError("Name a model: one of the list, a folder, or an id such as 'bert-base-uncased'.")
    from encoder.models.loading import load_folder

    return load_folder(name, _folder_of(name, progress))


def _without_adapter(name: str, folder: Path) -> Backend:
    from encoder.models.adapters import base_of, is_adapter
    from encoder.models.loading import load_folder

    if not is_adapter(folder):
        raise UnknownModelError(f"{quoted(str(folder))} holds no adapter: open it by its own name.")
    return load_folder(name, base_of(name, folder))


@name_missing_extra()
def load_writer(
    name: str | PathLike[str] = SEQ2SEQ, *, progress: Progress = no_progress, device: str | None = None
) -> Writer:
    """Load an encoder-decoder by name.

    Args:
        name: "seq2seq" for the small one trained here, the folder of an encoder-decoder of `transformers`, or
            its id on the Hugging Face hub.
        progress, device: as in `load`.
    Raises:
        ModelError: the model cannot be loaded; the message says why and what to do.
        InstallationError: a package that it needs is not installed.
    """
    place = choose_device(device)
    return _load_writer(_name_of(name), progress).to(place)


def write(writer: Writer, task: Task, text: str) -> Generation:
    """What an encoder-decoder writes about a text; only our own has tasks. Raises InputError."""
    return writer.generate(task, text) if isinstance(writer, Seq2SeqBackend) else writer.generate(text)


def _load_writer(name: str, progress: Progress) -> Writer:
    logger.info("loading %s", quoted(name))
    if name in WRITERS:
        with preserve_random_state():  # initial weights are drawn, then replaced by the shipped ones
            return load_seq2seq()
    if not name:
        raise UnknownModelError(f"Name a model: {SEQ2SEQ!r}, a folder, or an id such as 'google-t5/t5-small'.")
    from encoder.models.loading import load_seq2seq_folder

    return load_seq2seq_folder(name, _folder_of(name, progress))


def _folder_of(name: str, progress: Progress) -> Path:
    try:
        if not is_on_the_hub(name):
            return _existing_folder(name)
        from encoder.models import hub

        return hub.fetch(name, progress=progress)
    except (UnknownModelError, OfflineError) as error:  # a misspelt name looks like an id of the hub
        raise type(error)(f"{error}{did_you_mean(name, [*CATALOGUE, *WRITERS])}") from error


def _existing_folder(name: str) -> Path:
    # os.path returns False where pathlib raises: for names that are too long, hold null bytes or an unknown user.
    path = os.path.expanduser(name)
    if os.path.isfile(path):
        archive = "unpack it and " if path.lower().endswith(ARCHIVES) else ""
        raise UnknownModelError(f"{quoted(name)} is a file: {archive}name its folder.")
    if not os.path.isdir(path):
        raise UnknownModelError(f"There is no folder {quoted(name)}.")
    return Path(path)


def _scratch(step: int | None = None) -> Backend:
    with preserve_random_state():  # initial weights are drawn, then replaced by the shipped ones
        return load_scratch(bundled_folder(), step=step)


def _scratch_bert() -> Backend:
    folder = bundled_folder()
    tokenizer = Tokenizer.from_file(folder, folder_length=folder_length(folder))
    backend = ScratchBackend(SCRATCH_BERT, load_bert_folder(folder), tokenizer)
    backend.pooling = read_pooling(folder)
    backend.facts = Facts(weights=report_of_bert_folder(folder))
    return backend


def _scratch_from_folder(name: str, folder: Path) -> Backend:
    settings, revision = read_config(folder), revision_of(folder)
    config = config_from_bert(settings)
    pooling = read_pooling(folder)
    tokenizer = tokenizer_of(
        folder,
        pooling,
        max_length=config.max_position_embeddings,
        folder_length=folder_length(folder),
        num_types=config.type_vocab_size,
    )
    encoder = load_bert_folder(folder, cls_token_id=tokenizer.inner.cls_token_id)
    report = report_of_bert_folder(folder)
    notes = filter(None, (unused_head(settings.get("architectures"), "BertModel") or report.remark,))
    backend = ScratchBackend(name, encoder, tokenizer, notes=tuple(notes))
    backend.pooling = pooling
    backend.facts = Facts(folder=folder, revision=revision, weights=report)
    return backend


def _scratch_untrained() -> Backend:
    with preserve_random_state():
        torch.manual_seed(SEED)
        encoder = Encoder(PRESETS["mini"])
        return untrained(UNTRAINED, encoder, Tokenizer.from_file(bundled_folder()))


BUILT_IN: dict[str, Callable[[], Backend]] = {
    BUNDLED: lambda: load_bundled(bundled_folder()),
    TUNED: lambda: load_bundled_sentiment(bundled_folder()),
    SCRATCH: _scratch,
    SCRATCH_BERT: _scratch_bert,
    UNTRAINED: _scratch_untrained,
}
