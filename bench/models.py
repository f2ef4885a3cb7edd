"""The models that are measured: the bundled one, and shapes with random weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch
from transformers import BertConfig, BertModel, ModernBertConfig, ModernBertModel, PreTrainedModel

from encoder.shipped.bundled import bundled_folder

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json")
QUERY_KEY_FACTOR = 3.0


def save_random_bert(folder: Path) -> Path:
    """BERT-base's shape (12 layers, 12 heads, width 768) with random weights and BERT's own vocabulary, as a folder.

    Queries and keys are three times as large as in BERT's initialisation. With that, every weight would be near 1/T,
    and the views would draw more lines than for a trained head, which looks at few tokens.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = BertModel(BertConfig(), add_pooling_layer=False)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith((".query.weight", ".key.weight")):
                parameter.mul_(QUERY_KEY_FACTOR)
    return _save(model, folder)


def save_random_modernbert(folder: Path) -> Path:
    """ModernBERT-base's shape (22 layers, 12 heads, width 768, 8,192 positions) with BERT's own vocabulary."""
    settings = {"pad_token_id": 0, "cls_token_id": 101, "sep_token_id": 102, "bos_token_id": 101, "eos_token_id": 102}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return _save(ModernBertModel(ModernBertConfig(vocab_size=30_522, **settings)), folder)


def _save(model: PreTrainedModel, folder: Path) -> Path:
    model.save_pretrained(folder)
    for name in TOKENIZER_FILES:
        source = bundled_folder() / name
        if source.exists():
            shutil.copy(source, folder / name)
    return folder


def load_bert(folder: Path, attention: str) -> BertModel:
    """A BERT folder as `transformers` itself loads it, with "sdpa" or "eager" attention."""
    model: BertModel = BertModel.from_pretrained(
        folder, attn_implementation=attention, dtype=torch.float32, add_pooling_layer=False, local_files_only=True
    )
    return model.eval()
