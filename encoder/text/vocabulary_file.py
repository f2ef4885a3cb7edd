"""Vocabulary files of a model folder, read without `transformers`, which takes seconds to import."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer as RustTokenizer

from encoder.errors import CheckpointError
from encoder.text.tokens import MAX_TOKENS

NAMES = ("cls_token", "sep_token", "pad_token", "unk_token", "mask_token")


class VocabularyFile:
    """The tokenizer of a folder, exactly as in its tokenizer.json.

    `transformers` modifies the tokenizers of some families on loading. So this is only for the shipped folder, whose
    tokens are the same either way. Attributes are named as in `transformers`.
    """

    bos_token_id = eos_token_id = None
    split_special_tokens = False
    truncation_side = "right"

    def __init__(self, folder: Path) -> None:
        """Read tokenizer.json, and in tokenizer_config.json which tokens are special.

        Raises:
            CheckpointError: one of them is missing or corrupt.
        """
        try:
            self.backend_tokenizer = RustTokenizer.from_file(str(folder / "tokenizer.json"))
            settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        except Exception as error:  # the tokenizers library raises plain Exception for a corrupt file
            raise CheckpointError(f"The tokenizer in {folder} cannot be loaded: {error}") from error
        added = self.backend_tokenizer.get_added_tokens_decoder()
        self.all_special_ids = [token_id for token_id, token in added.items() if token.special]
        ids = {name: self.backend_tokenizer.token_to_id(settings.get(name) or "") for name in NAMES}
        self.cls_token_id, self.sep_token_id, self.pad_token_id, self.unk_token_id, self.mask_token_id = ids.values()
        self.mask_token: str | None = settings.get("mask_token")
        self.model_max_length: int = settings.get("model_max_length", MAX_TOKENS)


def has_tokenizer(folder: Path) -> bool:
    """Whether a model folder holds a vocabulary."""
    return any(path for pattern in ("tokenizer.json", "vocab.*", "*.model") for path in folder.glob(pattern))
