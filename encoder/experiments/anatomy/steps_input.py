"""The walk's first steps: text, ids, embeddings, positions."""

from __future__ import annotations

from torch import nn

from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.steps import Shown, Step, by, lines, sizes_of
from encoder.models.scratch import ScratchBackend
from encoder.models.tensors import padded
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.encoder import Embeddings, sinusoidal_positions


def text(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Text into wordpieces."""
    tokens, sizes = record.tokens, sizes_of(record)
    pieces = sum(not special for special in tokens.special)
    return Step(
        key="text",
        text=(
            "A model cannot read letters; it works with numbers. So the text is first cut into **wordpieces**, each an "
            f"entry of a fixed list of {sizes.V:,}, the vocabulary. A common word is one entry. A rare word is put "
            "together from pieces, always the longest that fits first, and `##` says that a piece continues a word. "
            "A word that cannot be put together becomes `[UNK]`, for unknown."
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
            "Two kinds of marks are added, which are entries of the vocabulary as well: `[CLS]` in front, where the "
            "result for the whole text will be collected, and `[SEP]` after each sentence. Pieces and marks together "
            "are called **tokens**, and every token is replaced by its **id**, its line in the vocabulary, counted "
            "from 0. **Token types** say which sentence a token belongs to, 0 or 1. Several texts can be run at once, "
            "as a batch; they must be equally long then, so the shorter ones are filled up with `[PAD]`, and the "
            "**attention mask** says which tokens are real (1) and which fill up (0)."
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
    looked_up = (
        "The numbers in the tables are **learned**, as are all matrices from here on: training changed them little by "
        "little until the model did its task well on many texts. Now they stand still."
    )
    if not isinstance(backend.encoder.embeddings.word, nn.Embedding):
        looked_up += (
            " (This model takes the piece's row from the table of the bundled BERT, and multiplies it by one learned "
            "matrix to bring it to its own width.)"
        )
    return Step(
        key="embeddings",
        text=(
            f"Every token becomes a **vector**, a row of {width} numbers, which are called its dimensions. It is the "
            "sum of three rows out of three tables: one for the piece, found by its id, one for its position, one for "
            "its token type. Without the second the model could not tell “time flies” from “flies time”. "
            f"{looked_up} A **layer norm** then shifts and scales each token's numbers to mean 0 and standard "
            "deviation 1, stretches every dimension by a learned factor $\\gamma$ and shifts it by a learned "
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
            "The steps that follow compare every token with every other, and they do so alike wherever the two stand: "
            "left to themselves they could not tell one order of the words from another. So each position 0, 1, 2, … "
            "has a vector of its own that is added to the word's, as the step before did. BERT **learns** these "
            "vectors; the original Transformer computes them from **sines and cosines** of many wavelengths, short "
            "ones in the first dimensions and long ones in the last. How alike two vectors are, their **dot product** "
            "says: multiply them number by number, and add up. Near positions are more alike than far ones, though "
            f"what was learned is less even than what was computed. This model uses {own} ones.{random}"
        ),
        formula=(
            rf"P_{{t,\,2i}} = \sin\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad "
            rf"P_{{t,\,2i+1}} = \cos\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad 0 \le 2i < {width}"
        ),
        sources=(sinusoidal_positions,),
    )
