"""Small tokenizers of the families that people use, trained on a few sentences: what they do to a text is the same."""

from __future__ import annotations

from collections.abc import Callable

from tokenizers import Tokenizer as RustTokenizer
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from encoder.text.tokenizer import Tokenizer

SENTENCES = (
    *("time flies like an arrow", "fruit flies like a banana", "We sat on the bank. I went to the bank, then home."),
    *("The film is great! It's a lovely film, isn't it?", "good film (really good film)", "the the the film film"),
)


def _wordpiece() -> RustTokenizer:
    inner = RustTokenizer(models.WordPiece(unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece()
    inner.train_from_iterator(SENTENCES, trainers.WordPieceTrainer(special_tokens=SPECIAL["BERT"], show_progress=False))
    return inner


def _byte_level(*, trim_offsets: bool) -> RustTokenizer:
    inner = RustTokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=alphabet, special_tokens=SPECIAL["RoBERTa"], show_progress=False
    )
    inner.train_from_iterator(SENTENCES, trainer)
    inner.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
    return inner


def _unigram(*, normalizer: normalizers.Normalizer) -> RustTokenizer:
    letters = sorted(set("".join(SENTENCES)) - {" "})
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0), ("▁the", -1.0), ("▁film", -2.0)]
    pieces += [("s.", -1.5), ("'s", -1.5), *((letter, -4.0) for letter in letters)]
    inner = RustTokenizer(models.Unigram(pieces, unk_id=3))
    inner.normalizer = normalizer
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    inner.decoder = decoders.Metaspace()
    return inner


def _gemma() -> RustTokenizer:
    inner = RustTokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    inner.normalizer = normalizers.Replace(" ", "▁")
    inner.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    inner.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=[*SPECIAL["RoBERTa"], *bytes_, "▁"], show_progress=False, max_token_length=6
    )
    inner.train_from_iterator(SENTENCES, trainer)
    return inner


SPECIAL = {
    "BERT": ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"],
    "RoBERTa": ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
}
_KEYS = ("cls_token", "pad_token", "sep_token", "unk_token", "mask_token")
_BUILDERS: dict[str, Callable[[], RustTokenizer]] = {
    "BERT": _wordpiece,
    "RoBERTa": lambda: _byte_level(trim_offsets=True),
    "ModernBERT": lambda: _byte_level(trim_offsets=False),
    "XLM-R": lambda: _unigram(normalizer=normalizers.NFKC()),
    "T5": lambda: _unigram(normalizer=normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])),
    "DeBERTa-v3": lambda: _unigram(normalizer=normalizers.Sequence([normalizers.Strip(), normalizers.NFC()])),
    "Gemma": _gemma,
}
NAMES = tuple(_BUILDERS)


def family(name: str) -> Tokenizer:
    """A tokenizer of a family."""
    special = dict(zip(_KEYS, SPECIAL["BERT" if name == "BERT" else "RoBERTa"], strict=True))
    return Tokenizer(PreTrainedTokenizerFast(tokenizer_object=_BUILDERS[name](), **special))
