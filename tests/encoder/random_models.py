"""Small models with random weights, saved as the folders that people have, and the same loaded in eager mode."""

import dataclasses
import json
import math
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.models.passport import Check
from encoder.models.pretrained import PretrainedBackend
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder

WORDS = ("time", "flies", "like", "an", "arrow", "fruit", "a", "banana", "the", "over", "##s", "##ing")
A, B = "time flies like an arrow", "fruit flies like a banana"
LONG = " ".join((A, B, "over the arrow", A, "over the banana", B))

LAYERS, HEADS, WIDTH = 3, 4, 32
# Ten times the usual spread: attention that is far from uniform, so that a wrong mask or scaling shows.
SIZES = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "hidden_size": WIDTH, "initializer_range": 0.2}
SMALL = EncoderConfig(
    vocab_size=200,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=20,
    max_position_embeddings=16,
)
BERT_SIZES = SIZES | {"intermediate_size": 64, "max_position_embeddings": 64}


def wordpiece_tokenizer() -> PreTrainedTokenizerFast:
    """Uncased, with BERT's frame."""
    letters = string.ascii_lowercase + string.digits + string.punctuation
    specials = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    pieces = dict.fromkeys((*specials, *WORDS, *letters, *(f"##{letter}" for letter in letters)))
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    inner = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece()
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(piece, vocabulary[piece]) for piece in ("[CLS]", "[SEP]")],
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, model_input_names=inputs, **dict(zip(names, specials, strict=True))
    )


def byte_tokenizer(*, framed: bool) -> PreTrainedTokenizerFast:
    """Byte-level BPE with a few merges: framed as RoBERTa's, or bare as GPT-2's."""
    specials = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    merges = [("Ġ", "f"), ("l", "i"), ("Ġf", "li"), ("e", "s"), ("Ġfli", "es"), ("t", "i"), ("m", "e"), ("ti", "me")]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = dict.fromkeys((*specials, *alphabet, *(first + second for first, second in merges)))
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    inner = Tokenizer(models.BPE(vocabulary, merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    if framed:
        inner.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    names = ("cls_token", "pad_token", "sep_token", "unk_token", "mask_token")
    return PreTrainedTokenizerFast(tokenizer_object=inner, **dict(zip(names, specials, strict=True)))


class Family(NamedTuple):
    """One kind of model: its class, its settings, and which module projects a layer's heads together."""

    name: str
    model_class: str
    config_class: str
    settings: Mapping[str, Any]
    output_projection: str = ""  # of layer {0}
    causal: bool = False
    tokenizer: Callable[[], PreTrainedTokenizerFast] = wordpiece_tokenizer


def framed_bytes() -> PreTrainedTokenizerFast:
    return byte_tokenizer(framed=True)


def bare_bytes() -> PreTrainedTokenizerFast:
    return byte_tokenizer(framed=False)


DISTILBERT = {
    "n_layers": LAYERS,
    "n_heads": HEADS,
    "dim": WIDTH,
    "hidden_dim": 64,
    "max_position_embeddings": 64,
    "initializer_range": 0.2,
}
MODERNBERT = BERT_SIZES | {"local_attention": 8, "layer_types": ["full_attention", *["sliding_attention"] * 2]}
MODERNBERT |= {"pad_token_id": 0, "cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}
GPT2 = {"n_layer": LAYERS, "n_head": HEADS, "n_embd": WIDTH, "n_positions": 64, "initializer_range": 0.2}
GPT2 |= {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1}
BART = {"d_model": WIDTH, "encoder_layers": LAYERS, "encoder_attention_heads": HEADS, "encoder_ffn_dim": 64}
BART |= {"decoder_layers": LAYERS, "decoder_attention_heads": HEADS, "decoder_ffn_dim": 64}
T5 = {"num_layers": LAYERS, "num_heads": HEADS, "d_model": WIDTH, "d_kv": 8, "d_ff": 64}
# As in DeBERTa-v3: relative positions in buckets, projected by the same modules as the tokens.
DEBERTA = BERT_SIZES | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "share_att_key": True}
DEBERTA |= {"position_buckets": 8, "norm_rel_ebd": "layer_norm", "position_biased_input": False, "type_vocab_size": 0}
ROBERTA = BERT_SIZES | {"max_position_embeddings": 66, "pad_token_id": 1, "type_vocab_size": 1}
SINKS = BERT_SIZES | {"num_key_value_heads": 2, "head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2}
SINKS |= {"sliding_window": 3, "pad_token_id": 0, "eos_token_id": 3, "max_position_embeddings": 2048}
GEMMA3 = BERT_SIZES | {"num_key_value_heads": 2, "head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": 4}
GEMMA3 |= {"use_bidirectional_attention": True, "layer_types": ["sliding_attention", *["full_attention"] * 2]}
ROTARY = BERT_SIZES | {"pad_token_id": 0, "type_vocab_size": 2}

# What projects the heads of layer {0} together.
DENSE, PROJECTION = "encoder.layer.{0}.attention.output.dense", "layers.{0}.self_attn.o_proj"
SMALL_EMBEDDING = BERT_SIZES | {"embedding_size": 16}
REMBERT = BERT_SIZES | {"input_embedding_size": 16}
TWO_KEY_HEADS = BERT_SIZES | {"num_key_value_heads": 2, "bos_token_id": 2, "eos_token_id": 3}
MPNET = BERT_SIZES | {"pad_token_id": 1}
CAPTURED = (
    Family("bert", "BertModel", "BertConfig", BERT_SIZES, DENSE),
    Family("roberta", "RobertaModel", "RobertaConfig", ROBERTA, DENSE, tokenizer=framed_bytes),
    Family("distilbert", "DistilBertModel", "DistilBertConfig", DISTILBERT, "transformer.layer.{0}.attention.out_lin"),
    Family("electra", "ElectraModel", "ElectraConfig", SMALL_EMBEDDING, DENSE),
    Family("albert", "AlbertModel", "AlbertConfig", SMALL_EMBEDDING),
    Family("modernbert", "ModernBertModel", "ModernBertConfig", MODERNBERT, "layers.{0}.attn.Wo"),
    Family("gpt2", "GPT2Model", "GPT2Config", GPT2, "h.{0}.attn.c_proj", causal=True, tokenizer=bare_bytes),
    # Two key heads for four query heads.
    Family("llama", "LlamaModel", "LlamaConfig", TWO_KEY_HEADS, PROJECTION, causal=True),
    # Learned sinks, two key heads, windows, and a mixture of experts.
    Family("privacy-filter", "OpenAIPrivacyFilterModel", "OpenAIPrivacyFilterConfig", SINKS, PROJECTION),
    # Rotary positions.
    Family("eurobert", "EuroBertModel", "EuroBertConfig", TWO_KEY_HEADS | {"pad_token_id": 0}, PROJECTION),
    Family("nomic-bert", "NomicBertModel", "NomicBertConfig", ROTARY, PROJECTION),
    Family("gte", "GteModel", "GteConfig", ROTARY, PROJECTION),
    Family("jina-v3", "JinaEmbeddingsV3Model", "JinaEmbeddingsV3Config", ROTARY, PROJECTION),
    # As in EmbeddingGemma: both directions, windows, norms of queries and keys.
    Family("gemma3-text", "Gemma3TextModel", "Gemma3TextConfig", GEMMA3, PROJECTION),
    # Relative positions, added to the scores.
    Family("t5-encoder", "T5EncoderModel", "T5Config", T5, "encoder.block.{0}.layer.0.SelfAttention.o"),
    # Attention code of their own.
    Family("mpnet", "MPNetModel", "MPNetConfig", MPNET, "encoder.layer.{0}.attention.attn.o", tokenizer=framed_bytes),
    Family("deberta-v2", "DebertaV2Model", "DebertaV2Config", DEBERTA, DENSE),
    Family("rembert", "RemBertModel", "RemBertConfig", REMBERT, DENSE),
    Family("megatron-bert", "MegatronBertModel", "MegatronBertConfig", BERT_SIZES, DENSE),
)
EAGER = (Family("deberta", "DebertaModel", "DebertaConfig", BERT_SIZES | {"relative_attention": True}),)
FAMILIES = {family.name: family for family in (*CAPTURED, *EAGER)}


def save(model: PreTrainedModel, folder: Path, tokenizer: PreTrainedTokenizerBase | None = None) -> Path:
    """A model folder as `save_pretrained` writes it."""
    model.save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return folder


def build(model_class: str, config_class: str, **settings: Any) -> PreTrainedModel:
    """A model of `transformers` with random weights from a fixed seed; biases and norms are random, too."""
    config = getattr(transformers, config_class)(**settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model: PreTrainedModel = getattr(transformers, model_class)(config)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() == 1:
                    parameter.add_(0.1 * torch.randn_like(parameter))
    return model.eval()


def family_model(
    family: Family, head: str = "Model", **settings: Any
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """A model of a family with a head, such as "ForMaskedLM", and its tokenizer."""
    tokenizer = family.tokenizer()
    settings = {"vocab_size": len(tokenizer), **family.settings, **settings}
    return build(family.model_class.removesuffix("Model") + head, family.config_class, **settings), tokenizer


def family_folder(folder: Path, name: str, head: str = "Model", **settings: Any) -> Path:
    """A folder with what `family_model` gives."""
    model, tokenizer = family_model(FAMILIES[name], head, **settings)
    return save(model, folder, tokenizer)


def bert_folder(folder: Path, model_class: str = "BertModel", **settings: Any) -> Path:
    """A folder with a small BERT of a class, and the tokenizer of `wordpiece_tokenizer`."""
    tokenizer = wordpiece_tokenizer()
    sizes = BERT_SIZES | {"vocab_size": len(tokenizer)} | settings
    return save(build(model_class, "BertConfig", **sizes), folder, tokenizer)


def edit_config(folder: Path, **changes: Any) -> None:
    """Change settings in a folder's config.json; None removes one."""
    path = folder / "config.json"
    settings = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: value for name, value in settings.items() if value is not None}))


def scale_tensors(folder: Path, factors: Mapping[str, float]) -> None:
    """Multiply the tensors of a folder whose names end as the keys of `factors` do."""
    tensors = load_file(folder / "model.safetensors")
    for name in tensors:
        tensors[name] = tensors[name] * math.prod(by for ending, by in factors.items() if name.endswith(ending))
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


class Zoo:
    """One folder for each family, made and loaded when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._backends: dict[str, PretrainedBackend] = {}

    def folder(self, name: str) -> Path:
        folder = self.root / name
        return folder if folder.exists() else family_folder(folder, name)

    def backend(self, name: str) -> PretrainedBackend:
        if name not in self._backends:
            self._backends[name] = load_folder(name, self.folder(name))
        return self._backends[name]

    def eager(self, name: str) -> PreTrainedModel:
        """The same folder, loaded by `transformers` in eager mode; a new one each time."""
        model_class = getattr(transformers, FAMILIES[name].model_class)
        return model_class.from_pretrained(self.folder(name), attn_implementation="eager").eval()


@torch.inference_mode()
def run_eager(model: nn.Module, tokens: Tokens) -> Any:
    """What `transformers` itself returns for these tokens."""
    inputs = {"input_ids": torch.tensor([tokens.ids]), "attention_mask": torch.tensor([tokens.attention_mask])}
    types = 3 if model.config.model_type == "xlnet" else getattr(model.config, "type_vocab_size", 0)
    if types > max(tokens.token_type_ids):
        inputs["token_type_ids"] = torch.tensor([tokens.token_type_ids])
    return model(**inputs, output_attentions=True, output_hidden_states=True, return_dict=True)


def padded(tokens: Tokens, count: int, pad_id: int) -> Tokens:
    """The same tokens with padding behind them, which a mask of 0 marks."""
    return dataclasses.replace(
        tokens,
        pieces=tokens.pieces + ("[PAD]",) * count,
        labels=tokens.labels + ("[PAD]",) * count,
        ids=tokens.ids + (pad_id,) * count,
        token_type_ids=tokens.token_type_ids + (0,) * count,
        attention_mask=tokens.attention_mask + (0,) * count,
        special=tokens.special + (True,) * count,
        spans=tokens.spans + (None,) * count,
        word_ids=tokens.word_ids + (None,) * count,
        sentence_ids=tokens.sentence_ids + (None,) * count,
    )


def backend_of(zoo: Zoo, family: str) -> Backend:
    """A family of `transformers`, or our own encoder of the same sizes: "scratch" or "scratch-pre-norm"."""
    if not family.startswith("scratch"):
        return zoo.backend(family)
    tokenizer = zoo.backend("bert").tokenizer
    config = EncoderConfig(
        vocab_size=len(tokenizer.inner),
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.2,
        norm="pre" if family == "scratch-pre-norm" else "post",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return ScratchBackend(family, Encoder(config), tokenizer)


def check_of(backend: Backend, name: str) -> Check:
    """The check of a model's passport with this name."""
    return next(check for check in backend.passport.checks if check.name == name)
