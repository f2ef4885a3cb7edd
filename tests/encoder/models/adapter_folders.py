"""Folders of adapters with random weights, as peft saves them."""

import json
from pathlib import Path
from typing import Any

import torch
from peft import get_peft_model
from torch import nn
from transformers import AutoModel

from tests.encoder.random_models import build


def adapter_folder(base: Path, target: Path, config: Any, *, labels: int = 0, kind: str = "Bert") -> nn.Module:
    """Save an adapter with random weights; returns the adapted model, as peft has it."""
    class_name = f"{kind}ForSequenceClassification" if labels else f"{kind}Model"
    settings = json.loads((base / "config.json").read_text())
    for name in ("architectures", "model_type", "transformers_version", "dtype"):
        settings.pop(name, None)
    if labels:
        settings["num_labels"] = labels
    model = build(class_name, f"{kind}Config", **settings)
    whole = AutoModel.from_pretrained(base)
    getattr(model, model.base_model_prefix, model).load_state_dict(whole.state_dict(), strict=False)
    model.name_or_path = str(base)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        adapted = get_peft_model(model, config)
        with torch.no_grad():
            for name, parameter in adapted.named_parameters():
                if "lora_" in name or "ia3_" in name:
                    parameter.add_(0.3 * torch.randn_like(parameter))
    adapted.save_pretrained(target)
    return adapted.eval()
