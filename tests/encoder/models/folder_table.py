"""The table of folders: what opens, and how far its numbers are from those of `transformers` in eager mode.

`python -m tests.encoder.models.folder_table` prints it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from peft import LoraConfig
from transformers import PreTrainedModel, PreTrainedTokenizerFast

import encoder
from encoder import Trace
from encoder.errors import ModelError
from encoder.models.pretrained import PretrainedBackend
from tests.encoder.models.adapter_folders import adapter_folder
from tests.encoder.random_models import (
    BART,
    BERT_SIZES,
    DISTILBERT,
    GPT2,
    MODERNBERT,
    MPNET,
    REMBERT,
    ROBERTA,
    SINKS,
    SMALL_EMBEDDING,
    T5,
    TWO_KEY_HEADS,
    A,
    B,
    bare_bytes,
    build,
    edit_config,
    framed_bytes,
    run_eager,
    wordpiece_tokenizer,
)

LENGTHS = {"12 tokens": (A, B), "7 tokens": (A, None), "60 tokens": (f"{A} {B} " * 6, None)}
TINY = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32, "intermediate_size": 64}
XLNET = {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64}


@dataclass(frozen=True)
class Row:
    """A kind of folder.

    Attributes:
        name: of the row.
        model_class, config_class, settings: of a model of `transformers` with random weights.
        tokenizer: None = the folder has none.
        change: what is done to the folder once it is saved.
        prediction: what a trace predicts: "classes", "several", "values", "score", a task of tokens, or "".
        refused: part of the message, if the folder does not open.
        note: part of a note of a trace.
        remarks: the checks of its passport that differ.
    """

    name: str
    model_class: str
    config_class: str
    settings: Mapping[str, Any]
    tokenizer: Callable[[], PreTrainedTokenizerFast] | None = wordpiece_tokenizer
    change: Callable[[Path], object] = field(default=lambda folder: None)
    prediction: str = ""
    refused: str = ""
    note: str = ""
    remarks: tuple[str, ...] = ()
    saved: Mapping[str, Any] = field(default_factory=dict)


def to_dtype(dtype: torch.dtype) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, dtype=dtype)
        model.save_pretrained(folder)

    return change


def as_checkpoint(folder: Path) -> None:
    """Further files of a Trainer, none of which may be opened."""
    for name in ("optimizer.pt", "scheduler.pt", "training_args.bin", "rng_state.pth", "pytorch_model.bin"):
        (folder / name).write_bytes(b"not a pickle")
    (folder / "trainer_state.json").write_text("{}")


def pickle_only(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def quantised(folder: Path) -> None:
    edit_config(folder, quantization_config={"quant_method": "bitsandbytes"})


def with_pooling(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    modules = [Transformer(str(folder)), Pooling(32, pooling_mode="cls"), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder), create_model_card=False)


def as_adapter(folder: Path) -> None:
    """The model moves into a folder below, and an adapter of it takes its place."""
    base = folder.parent / f"{folder.name}-base"
    shutil.move(folder, base)
    adapter_folder(base, folder, LoraConfig(target_modules=["query"], task_type="SEQ_CLS"), labels=3)


def _bert(name: str, model_class: str = "BertForSequenceClassification", **rest: Any) -> Row:
    settings = BERT_SIZES | rest.pop("settings", {})
    return Row(name, model_class, "BertConfig", settings, **{"prediction": "classes"} | rest)


def _with_decoder(name: str, model_class: str, config_class: str, **rest: Any) -> Row:
    return Row(name, model_class, config_class, BART, framed_bytes, note="read from its decoder", **rest)


THREE = {"num_labels": 3}
SEVERAL = THREE | {"problem_type": "multi_label_classification"}
PIXELS = TINY | {"image_size": 32, "patch_size": 16}
OWN = "its own attention code"
ROWS = (
    _bert("bert, 3 classes", settings=THREE),
    _bert("bert, several labels", settings=SEVERAL, prediction="several"),
    _bert("bert, regression", settings=THREE | {"problem_type": "regression"}, prediction="values"),
    _bert("bert, reranker with one logit", settings={"num_labels": 1}, prediction="score"),
    _bert("bert in shards", saved={"max_shard_size": "50KB"}),
    _bert("bert in float16", change=to_dtype(torch.float16)),
    _bert("bert in bfloat16", change=to_dtype(torch.bfloat16)),
    _bert("bert, a trainer's checkpoint", change=as_checkpoint),
    Row("distilbert", "DistilBertForSequenceClassification", "DistilBertConfig", DISTILBERT, prediction="classes"),
    Row("roberta", "RobertaForSequenceClassification", "RobertaConfig", ROBERTA, framed_bytes, prediction="classes"),
    Row("electra", "ElectraForSequenceClassification", "ElectraConfig", SMALL_EMBEDDING, prediction="classes"),
    Row("albert", "AlbertForSequenceClassification", "AlbertConfig", SMALL_EMBEDDING, prediction="classes"),
    Row("modernbert", "ModernBertForSequenceClassification", "ModernBertConfig", MODERNBERT, prediction="classes"),
    Row(
        "deberta-v2",
        "DebertaV2ForSequenceClassification",
        "DebertaV2Config",
        BERT_SIZES | {"relative_attention": True},
        prediction="classes",
    ),
    Row("rembert", "RemBertForSequenceClassification", "RemBertConfig", REMBERT, prediction="classes"),
    Row("megatron-bert", "MegatronBertForTokenClassification", "MegatronBertConfig", BERT_SIZES, prediction="tags"),
    Row(
        "xlnet", "XLNetForSequenceClassification", "XLNetConfig", XLNET, prediction="classes", note="its own attention"
    ),
    Row("mpnet", "MPNetModel", "MPNetConfig", MPNET, framed_bytes),
    Row("roformer", "RoFormerModel", "RoFormerConfig", BERT_SIZES, note=OWN),
    _bert("bert, tags", "BertForTokenClassification", settings=THREE, prediction="tags"),
    Row(
        "xlm-r, tags", "XLMRobertaForTokenClassification", "XLMRobertaConfig", ROBERTA, framed_bytes, prediction="tags"
    ),
    Row("modernbert, tags", "ModernBertForTokenClassification", "ModernBertConfig", MODERNBERT, prediction="tags"),
    _bert("bert, answers", "BertForQuestionAnswering", prediction="span"),
    _bert("bert, masked words", "BertForMaskedLM", prediction="mask"),
    Row("distilbert, masked words", "DistilBertForMaskedLM", "DistilBertConfig", DISTILBERT, prediction="mask"),
    Row("modernbert, masked words", "ModernBertForMaskedLM", "ModernBertConfig", MODERNBERT, prediction="mask"),
    _bert("bert, pretraining", "BertForPreTraining", prediction="mask", note="is not used here"),
    Row("electra, discriminator", "ElectraForPreTraining", "ElectraConfig", SMALL_EMBEDDING, prediction="tags"),
    _bert("bert, multiple choice", "BertForMultipleChoice", prediction="score"),
    Row("gpt2", "GPT2Model", "GPT2Config", GPT2, bare_bytes, note="from left to right"),
    Row("llama, shared key heads", "LlamaModel", "LlamaConfig", TWO_KEY_HEADS, note="from left to right"),
    # Its class makes letters of words: the tokenizer is BERT's.
    Row("qwen2", "Qwen2Model", "Qwen2Config", TWO_KEY_HEADS, note="from left to right", remarks=("Tokens",)),
    Row("privacy filter", "OpenAIPrivacyFilterModel", "OpenAIPrivacyFilterConfig", SINKS, note="learned sink"),
    Row("t5's encoder", "T5EncoderModel", "T5Config", T5),
    _bert("sentence-transformers, [CLS]", "BertModel", change=with_pooling, prediction=""),
    _bert("LoRA adapter", "BertModel", change=as_adapter, note="adapter in this folder (LoRA) is merged"),
    Row("t5", "T5Model", "T5Config", T5, refused="is an encoder-decoder (t5)"),
    Row("bart", "BartModel", "BartConfig", BART, refused="is an encoder-decoder (bart)"),
    _with_decoder("bart, classes", "BartForSequenceClassification", "BartConfig", prediction="classes"),
    _with_decoder("mbart, answers", "MBartForQuestionAnswering", "MBartConfig", prediction="span"),
    Row("t5, tags", "T5ForTokenClassification", "T5Config", T5, prediction="tags"),
    _bert("bert, pickled", change=pickle_only, refused="only as a pickle"),
    _bert("bert in 8 bits", change=quantised, refused="holds quantised weights"),
    _bert("bert without a tokenizer", tokenizer=None, refused="holds no tokenizer"),
    Row("vit", "ViTModel", "ViTConfig", PIXELS, None, refused="reads pixel_values, not text"),
    Row(
        "gptj",
        "GPTJModel",
        "GPTJConfig",
        {"n_embd": 32, "n_head": 4, "n_layer": 2, "rotary_dim": 4, "n_positions": 64},
        refused="attention has no common interface",
    ),
    Row(
        "texts of clip",
        "CLIPTextModel",
        "CLIPTextConfig",
        TINY,
        refused="changes the last state once more after its layers",
    ),
    Row(
        "clip",
        "CLIPModel",
        "CLIPConfig",
        {"text_config": TINY, "vision_config": PIXELS},
        refused="is a model of texts and of images",
    ),
    Row(
        "longformer",
        "LongformerModel",
        "LongformerConfig",
        TINY | {"attention_window": 4},
        refused="does not weigh every token against every token",
    ),
    Row("big bird", "BigBirdModel", "BigBirdConfig", TINY, refused="returns no attention"),
    Row(
        "funnel",
        "FunnelModel",
        "FunnelConfig",
        {"d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 64, "block_sizes": [1, 1]},
        refused="it is not one stack of encoder layers",
    ),
    Row("fnet", "FNetModel", "FNetConfig", TINY, refused="returns no attention"),
    Row("mamba", "MambaModel", "MambaConfig", TINY, refused="returns no attention"),
)


@dataclass(frozen=True)
class Outcome:
    """What loading a folder gave.

    Attributes:
        message: why it does not open; "" if it does.
        attention, states, logits: largest differences to eager mode over all lengths; None without logits.
        prediction: as in `Row`.
        notes: of a trace.
        remarks: the checks of the passport that differ.
    """

    message: str = ""
    attention: float = 0
    states: float = 0
    logits: float | None = None
    prediction: str = ""
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def make_folder(row: Row, folder: Path) -> Path:
    """The folder of a row."""
    tokenizer = None if row.tokenizer is None else row.tokenizer()
    vocabulary = {} if row.name in ("vit", "clip") else {"vocab_size": len(tokenizer or wordpiece_tokenizer())}
    padding = {"pad_token_id": 0} if row.name in ("longformer", "big bird", "funnel", "fnet", "mamba") else {}
    model = build(row.model_class, row.config_class, **vocabulary | padding | row.settings)
    model.save_pretrained(folder, **row.saved)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    row.change(folder)
    return folder


def outcome(row: Row, folder: Path) -> Outcome:
    """Load a row's folder, and compare it with `transformers` in eager mode."""
    try:
        backend = encoder.load(folder)
    except ModelError as error:
        return Outcome(message=str(error))
    eager = _eager(row, folder, backend)
    traces = {name: backend.trace(*texts) for name, texts in LENGTHS.items()}
    found = [_differences(trace, eager) for trace in traces.values()]
    logits = [each[2] for each in found if each[2] is not None]
    trace = traces["12 tokens"]
    return Outcome(
        attention=max(each[0] for each in found),
        states=max(each[1] for each in found),
        logits=max(logits) if logits else None,
        prediction=_kind(trace),
        notes=trace.notes,
        remarks=tuple(check.name for check in backend.passport.remarks),
    )


def _eager(row: Row, folder: Path, backend: PretrainedBackend) -> PreTrainedModel:
    model_class: Any = type(backend.model)
    if row.change is as_adapter:
        from peft import PeftModel

        base = folder.parent / f"{folder.name}-base"
        model = model_class.from_pretrained(base, num_labels=3, ignore_mismatched_sizes=True)
        model = PeftModel.from_pretrained(model, folder).base_model.model.eval()
        model.set_attn_implementation("eager")
        return model
    return model_class.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()


def _differences(trace: Trace, eager: PreTrainedModel) -> tuple[float, float, float | None]:
    expected = (
        _choose(eager, trace) if type(eager).__name__.endswith("MultipleChoice") else run_eager(eager, trace.tokens)
    )
    of_encoder = "encoder_" if "encoder_attentions" in expected else ""  # else it is all there is
    attentions, hidden_states = (expected[f"{of_encoder}{name}"] for name in ("attentions", "hidden_states"))
    attention = max(
        float(np.abs(trace.weights(layer) - weights[0].numpy()).max()) for layer, weights in enumerate(attentions)
    )
    states = float(np.abs(trace.hidden_states - torch.cat(hidden_states).numpy()).max())
    return attention, states, _logit_difference(trace, expected)


@torch.inference_mode()
def _choose(eager: PreTrainedModel, trace: Trace) -> Any:
    """What a model that compares choices returns for one choice."""
    tokens = trace.tokens
    rows = {"input_ids": tokens.ids, "attention_mask": tokens.attention_mask, "token_type_ids": tokens.token_type_ids}
    inputs = {name: torch.tensor([[row]]) for name, row in rows.items()}  # (1, 1, T)
    return eager(**inputs, output_attentions=True, output_hidden_states=True)


def _logit_difference(trace: Trace, expected: Any) -> float | None:
    if trace.prediction is not None:
        return float(np.abs(trace.prediction.logits - expected.logits.reshape(-1).numpy()).max())
    if trace.token_prediction is None or trace.token_prediction.task == "mask":  # no token of these texts is masked
        return None
    found = trace.token_prediction.logits
    if trace.token_prediction.task == "span":
        theirs = torch.stack((expected.start_logits[0], expected.end_logits[0]), -1).numpy()
        return float(np.abs(found - theirs).max())
    theirs = expected.logits[0].reshape(len(found), -1).numpy()  # a discriminator gives one logit
    return float(np.abs(found[:, -theirs.shape[1] :] - theirs).max())


def _kind(trace: Trace) -> str:
    if trace.token_prediction is not None:
        return trace.token_prediction.task
    if trace.prediction is None:
        return ""
    if trace.prediction.score is not None:
        return "score"
    if trace.prediction.probabilities is None:
        return "values"
    return "classes" if trace.prediction.is_choice else "several"


def in_markdown(row: Row, found: Outcome) -> str:
    """One line of the table."""
    if found.message:
        return f"| {row.name} | refused: {found.message} | | |"
    logits = "–" if found.logits is None else f"{found.logits:.0e}"
    differences = f"{found.attention:.0e} / {found.states:.0e} / {logits}"
    return f"| {row.name} | opens | {differences} | {found.prediction or '–'} |"


def main() -> None:
    """Print the table."""
    lines = ["| folder | result | largest difference: attention / states / logits | prediction |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as root:
        for number, row in enumerate(ROWS):
            folder = make_folder(row, Path(root) / str(number))
            lines.append(in_markdown(row, outcome(row, folder)).replace(root, "…"))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
