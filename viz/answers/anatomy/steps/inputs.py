"""From the text to the vectors that the first layer reads: wordpieces, ids, embeddings, positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.step_examples import (
    LONG_COUNT,
    LONG_EXAMPLE,
    SHORT_EXAMPLE,
    SPLIT_EXAMPLE,
    batch_of_two,
    has_own_word_table,
    pieces_of_words,
    position_table,
    sinusoidal_table,
    too_long,
)
from encoder.measures.operations import similarity_by_distance
from encoder.models.scratch import UNTRAINED_NOTE
from encoder.models.tensors import padded
from encoder.runs.arrays import FloatArray
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.encoder import Embeddings, Encoder, sinusoidal_positions
from viz.answers.anatomy.step import RecordedRun, StepContent
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import (
    WorkedOut,
    explain_dot_product,
    layer_norm_line,
    number,
    shape,
    sum_line,
)
from viz.answers.answer import Answer, Chart, Sentence, Table
from viz.figures.anatomy_curves import similarity_lines
from viz.wording.labels import escape_markdown, make_visible

PROJECTED: Final = (
    " (This model takes the piece's row from the table of the bundled BERT, and multiplies it by one learned "
    "matrix to bring it to its own width.)"
)
SYMBOLS: Final = {"word": "word", "position": "position", "token type": "type"}  # of the tables in the formula
DIGITS: Final = 6  # an angle of many radians needs more digits than its sine
FARTHEST: Final = 128  # distance of two positions
LEARNED_ELSEWHERE: Final = "bundled"  # a model that learned its positions


def text(run: RecordedRun) -> StepContent:
    """The text is cut into wordpieces."""
    tokens, s = run.record.tokens, run.sizes
    pieces = sum(not special for special in tokens.special)
    vocabulary = f"{s.V:,}".replace(",", "{,}")
    words = f"{len(tokens.words):,}".replace(",", "{,}")
    return StepContent(
        words=(
            "A model cannot read letters; it works with numbers. So the text is first cut into **wordpieces**, each an "
            f"entry of a fixed list of {s.V:,}, the vocabulary. A common word is one entry. A rare word is put "
            "together from pieces, always the longest that fits first, and `##` says that a piece continues a word. A "
            "word that cannot be put together becomes `[UNK]`, for unknown."
        ),
        latex=(
            rf"\underset{{{words}\text{{ words, punctuation included}}}}{{\text{{your text}}}} \;\longrightarrow\; "
            rf"\underset{{{pieces}\text{{ of }}{vocabulary}\text{{ entries}}}}{{\text{{wordpieces}}}}"
        ),
        sources=(Tokenizer.__call__,),
    )


def words_and_pieces(run: RecordedRun) -> Answer:
    """Every word with its pieces, and a rare word for comparison."""
    rows = pieces_of_words(run.record.tokens)
    example = run.backend.tokenize(SPLIT_EXAMPLE)
    pieces = [label for label, special in zip(example.labels, example.special, strict=True) if not special]
    table = Table(
        name="pieces",
        title="Every word and its wordpieces",
        columns=lambda: {
            "word": [make_visible(word) for word, _ in rows],
            "wordpieces": ["  ".join(of_word) for _, of_word in rows],
        },
        on_page="open",
    )
    rare = f"A rare word for comparison: “{SPLIT_EXAMPLE}” becomes {escape_markdown('  '.join(pieces))}."
    return Answer((table, Sentence(rare, "caption")))


def ids(run: RecordedRun) -> StepContent:
    """Wordpieces and special tokens become ids, token types and an attention mask."""
    tokens, s = run.record.tokens, run.sizes
    types = f"\\{{0, {run.record.config.type_vocab_size - 1}\\}}"
    return StepContent(
        words=(
            "Two kinds of marks are added, which are entries of the vocabulary as well: `[CLS]` in front, where the "
            "result for the whole text will be collected, and `[SEP]` after each sentence. Pieces and marks together "
            "are called **tokens**, and every token is replaced by its **id**, its line in the vocabulary, counted "
            "from 0. **Token types** say which sentence a token belongs to, 0 or 1. Several texts can be run at once, "
            "as a batch; they must then be equally long, so the shorter ones are padded with `[PAD]`, and the "
            "**attention mask** says which tokens are real (1) and which are padding (0)."
        ),
        latex="\n".join(
            (
                rf"\text{{ids}} \in \{{0, \dots, {s.V - 1}\}}^{{{s.T}}} \qquad \text{{token types}} \in {types}"
                rf"^{{{s.T}}}",
                rf"\text{{attention mask}} \in \{{0, 1\}}^{{{s.T}}} \qquad \text{{tokens}} = "
                rf"{s.T} \le {tokens.max_length}",
            )
        ),
        sources=(Tokenizer._encode, padded),
    )


def inputs_of_the_model(run: RecordedRun) -> Answer:
    """Ids, token types and mask of the text, a batch of two texts, and a text that is too long."""
    tokens = run.record.tokens
    columns = {
        "position": range(len(tokens)),
        "token": [make_visible(label) for label in tokens.labels],
        "id": tokens.ids,
        "token type": tokens.token_type_ids,
        "attention mask": tokens.attention_mask,
    }
    batch = batch_of_two(run.backend, tokens, pad_id=run.record.config.pad_token_id)
    texts = zip(("your text", f"“{SHORT_EXAMPLE}”"), batch.labels, batch.ids, batch.masks, strict=True)
    rows = []
    for name, labels, token_ids, mask in texts:
        tokens_with_ids = zip(map(make_visible, labels), token_ids, strict=True)
        rows += [(name, *(f"{label} {token_id}" for label, token_id in tokens_with_ids)), ("its mask", *map(str, mask))]
    names = ["batch", *map(str, range(len(batch.ids[0])))]
    cut = too_long(run.backend)
    caption = (
        "A batch is one rectangle of numbers, so the shorter text is padded, and its mask is 0 there. A text that is "
        f"too long is cut at its end: of {LONG_COUNT} times “{LONG_EXAMPLE}” the model reads "
        f"{cut.sentence_ids.count(0)} and two special tokens, and {cut.truncated[0]} are cut off."
    )
    return Answer(
        (
            Table(name="ids", title="The inputs of the model", columns=lambda: columns, on_page="open"),
            Sentence(f"A batch of two: your text and “{SHORT_EXAMPLE}”", "subheading"),
            Table(
                name="batch",
                title="A batch of two texts",
                columns=lambda: dict(zip(names, zip(*rows, strict=True), strict=True)),
                on_page="open",
            ),
            Sentence(caption, "caption"),
        )
    )


def embeddings(run: RecordedRun) -> StepContent:
    """Ids become vectors: three tables are looked up and added, then the layer norm."""
    vectors, s = run.record.parts, run.sizes
    table = shape(s.T, s.D)
    projected = "" if has_own_word_table(run.backend.encoder) else PROJECTED
    return StepContent(
        words=(
            f"Every token becomes a **vector**, a row of {s.D} numbers, which are called its dimensions. It is the sum "
            "of three rows out of three tables: one for the piece, found by its id, one for its position, one for its "
            "token type. Without the second the model could not tell “time flies” from “flies time”. The numbers in "
            "the tables are **learned**, as are all matrices from here on: training changed them little by little "
            f"until the model did its task well on many texts. Now they are fixed.{projected} A **layer norm** then "
            "shifts and scales each token's numbers to mean 0 and standard deviation 1, stretches every dimension by a "
            "learned factor $\\gamma$ and shifts it by a learned $\\beta$. From here on the text is a matrix with a "
            "row per token."
        ),
        latex="\n".join(
            (
                rf"{table}{{X_0}} = \text{{LayerNorm}}\big({table}{{E_\text{{word}}}} + "
                rf"{table}{{E_\text{{position}}}} + {table}{{E_\text{{type}}}}\big)",
                r"\text{LayerNorm}(x) = "
                r"\frac{x - \text{mean}(x)}{\sqrt{\text{var}(x) + \varepsilon}} \cdot \gamma + \beta",
            )
        ),
        tensors=(
            (Shown(name="word embeddings", array=vectors["word"]), Shown(name="positions", array=vectors["position"])),
            (
                Shown(name="token types", array=vectors["token type"]),
                Shown(name="X₀: the sum after layer norm", array=run.record.hidden_states[0]),
            ),
        ),
        sources=(Embeddings,),
        opened="X₀: the sum after layer norm",
    )


def work_out_embeddings(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """Three numbers added, and the layer norm."""
    cell = cells.embedding(run.record, head=run.head, row=row, column=column)
    symbols = (rf"E^\text{{{SYMBOLS[table]}}}_{{{table_row},{column}}}" for table, table_row in cell.table_rows.items())
    return WorkedOut(lines=(sum_line(" + ".join(symbols), cell.lookup), layer_norm_line(cell.norm)))


def positions(run: RecordedRun) -> StepContent:
    """Every position has a vector, learned or computed."""
    width = run.sizes.D
    random = " This model is untrained: its vectors are random numbers." if UNTRAINED_NOTE in run.backend.notes else ""
    kind = "computed" if run.record.config.position_embedding == "sinusoidal" else "learned"
    return StepContent(
        words=(
            "The steps that follow compare every token with every other, and they do so alike wherever the two stand: "
            "without more they could not tell one order of the words from another. So each position 0, 1, 2, … has a "
            "vector of its own that is added to the word's, as the step before did. BERT **learns** these vectors; the "
            "original Transformer computes them from **sines and cosines** of many wavelengths, short ones in the "
            "first dimensions and long ones in the last. The **dot product** of two vectors says how alike they are: "
            "multiply them number by number, and add up. Near positions are more alike than far ones, though what was "
            f"learned is less even than what was computed. This model uses {kind} ones.{random}"
        ),
        latex=(
            rf"P_{{t,\,2i}} = \sin\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad "
            rf"P_{{t,\,2i+1}} = \cos\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad 0 \le 2i < {width}"
        ),
        sources=(sinusoidal_positions,),
    )


def explain_sinusoid(table: FloatArray, *, row: int, column: int) -> WorkedOut:
    """A number of the sinusoidal encoding, a table (P, D)."""
    cell = cells.sinusoid(table, row=row, column=column)
    function, power = rf"\{cell.function}", f"{cell.exponent}/{cell.width}"
    return WorkedOut(
        lines=(
            rf"P_{{{row},\,{column}}} = {function}\big({row} \cdot 10000^{{-{power}}}\big) = "
            rf"{function}({row} \cdot {number(cell.frequency, digits=DIGITS)}) = "
            rf"{function}({number(cell.angle, digits=DIGITS)}) = {number(cell.value)}",
            rf"\text{{wavelength: }} 2\pi \cdot 10000^{{{power}}} = {number(cell.wavelength)} \text{{ positions}}",
        )
    )


def explain_position_product(table: FloatArray, *, one: int, other: int) -> WorkedOut:
    """The dot product of two position vectors, rows of a table (P, D)."""
    again = " again" if one == other else ""  # two columns of a table cannot have one name
    return explain_dot_product(
        rf"p_{{{one}}} \cdot p_{{{other}}}",
        cells.position_product(table, one=one, other=other),
        vectors=(f"position {one}", f"position {other}{again}"),
    )


def tables_of_positions(encoder: Encoder, learned_elsewhere: Encoder | None) -> tuple[Shown, ...]:
    """A learned table of positions and a computed one; one of them is the model's own.

    Args:
        learned_elsewhere: of another model, which learned its positions; None where this one did.
    """
    own = position_table(encoder)  # (P, D)
    if learned_elsewhere is None:
        tables = {"learned": own, "sines and cosines": sinusoidal_table(*own.shape)}
    else:
        tables = {"learned, by the bundled BERT": position_table(learned_elsewhere), "sines and cosines": own}
    return tuple(Shown(name=name, array=table, rows="position") for name, table in tables.items())


def similar_positions(tables: Sequence[Shown]) -> Answer:
    """How alike the vectors of two positions are, by their distance."""
    curves = {table.name: similarity_by_distance(table.array, longest=FARTHEST) for table in tables}
    chart = Chart(
        name="positions-by-distance",
        alt="Curves of the dot product of two position vectors over their distance, learned and computed.",
        figure=lambda theme: similarity_lines(curves, theme=theme),
    )
    caption = (
        f"The mean dot product of two position vectors that far apart, over all {len(tables[0].array):,} positions, up "
        f"to a distance of {FARTHEST}; 1 is a vector's product with itself."
    )
    return Answer((chart, Sentence(caption, "caption")))
