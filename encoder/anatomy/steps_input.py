"""The walk's first steps: text, ids, embeddings, positions."""

from __future__ import annotations

from encoder.anatomy.record import Record
from encoder.anatomy.steps import Shown, Step, by, lines, sizes_of
from encoder.model import Embeddings, sinusoidal_positions
from encoder.scratch import ScratchBackend
from encoder.tensors import padded
from encoder.tokenizer import Tokenizer


def text(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Text into wordpieces."""
    tokens, sizes = record.tokens, sizes_of(record)
    pieces = sum(not special for special in tokens.special)
    return Step(
        key="text",
        text=(
            "A model cannot read letters; it works with numbers. So the text is first cut into **wordpieces**, each an "
            f"entry of a fixed vocabulary of {sizes.V:,} entries that was made once, before training. A common word is "
            "one entry. A rare word is put together from pieces, always the longest that fits first, and `##` says "
            "that a piece continues a word. What no piece covers becomes `[UNK]`, for unknown."
        ),
        formula=(
            rf"\underset{{{len(tokens.words)}\text{{ words, punctuation included}}}}{{\text{{your text}}}} "
            rf"\;\longrightarrow\; \underset{{{pieces}\text{{ of }}{sizes.V:,}".replace(",", "{,}")
            + r"\text{ entries}}{\text{wordpieces}}"
        ),
        sources=(Tokenizer.__call__,),
    )


def ids(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Wordpieces into ids."""
    tokens, sizes = record.tokens, sizes_of(record)
    types = f"\\{{0, {record.config.type_vocab_size - 1}\\}}"
    return Step(
        key="ids",
        text=(
            "Every piece is replaced by its **id**, its line in the vocabulary. Special tokens are added: `[CLS]` in "
            "front, whose vector will stand for the whole text at the end, and `[SEP]` after each sentence. **Token "
            "types** say which sentence a token belongs to, 0 or 1. The **attention mask** says which tokens are "
            "real: texts of a batch must be equally long, so that the shorter ones are filled up with `[PAD]`."
        ),
        formula=lines(
            rf"\text{{ids}} \in \{{0, \dots, {sizes.V - 1}\}}^{{{sizes.T}}} \qquad \text{{token types}} \in {types}"
            rf"^{{{sizes.T}}}",
            rf"\text{{attention mask}} \in \{{0, 1\}}^{{{sizes.T}}} \qquad \text{{tokens}} = "
            rf"{sizes.T} \le {tokens.max_length}",
        ),
        sources=(Tokenizer._encode, padded),
    )


def embeddings(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Ids into vectors."""
    sizes = sizes_of(record)
    parts = record.parts
    width = sizes.D
    return Step(
        key="embeddings",
        text=(
            f"Every token becomes a **vector** of {width} numbers: the sum of three vectors that are looked up, one "
            "for the word, one for its position, one for its token type. Without the second the model could not tell "
            "“time flies” from “flies time”. A **layer norm** then shifts and scales each token's numbers to mean 0 "
            "and deviation 1, and stretches every dimension by a learned factor $\\gamma$ and shifts it by a learned "
            "$\\beta$. From here on the text is a matrix with a row per token."
        ),
        formula=lines(
            rf"{by(sizes.T, width)}{{X_0}} = \text{{LayerNorm}}\big({by(sizes.T, width)}{{E_\text{{word}}}} + "
            rf"{by(sizes.T, width)}{{E_\text{{position}}}} + {by(sizes.T, width)}{{E_\text{{type}}}}\big)",
            r"\text{LayerNorm}(x) = \frac{x - \text{mean}(x)}{\sqrt{\text{var}(x) + \varepsilon}} \cdot \gamma + \beta",
        ),
        tensors=(
            (Shown(name="word embeddings", array=parts["word"]), Shown(name="positions", array=parts["position"])),
            (
                Shown(name="token types", array=parts["token type"]),
                Shown(name="X₀: the sum after layer norm", array=record.hidden_states[0]),
            ),
        ),
        sources=(Embeddings,),
        opens="X₀: the sum after layer norm",
    )


def positions(backend: ScratchBackend, record: Record, head: int) -> Step:
    """What a position vector looks like."""
    width = sizes_of(record).D
    random = " This model is untrained, and its vectors are random numbers still." if backend.notes else ""
    own = "computed" if record.config.position_embedding == "sinusoidal" else "learned"
    return Step(
        key="positions",
        text=(
            "Attention by itself does not know where a token stands: it would treat the text as a bag of words. So "
            "each position 0, 1, 2, … has a vector of its own that is added to the word's. BERT **learns** it; the "
            "original Transformer computes it from **sines and cosines** of many wavelengths, fast ones in the first "
            "dimensions and slow ones in the last. The vectors of near positions are more alike than those of far "
            "ones, as their dot products show, though what was learned is less even than what was computed. This "
            f"model uses {own} ones.{random}"
        ),
        formula=(
            rf"P_{{t,\,2i}} = \sin\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad "
            rf"P_{{t,\,2i+1}} = \cos\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad 0 \le 2i < {width}"
        ),
        sources=(sinusoidal_positions,),
    )
