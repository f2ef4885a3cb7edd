"""From the text to the vectors that the first layer reads: wordpieces, ids, positions, embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
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
from viz.answers.answer import Answer, Chart, Sentence, Table
from viz.figures.anatomy_curves import similarity_lines
from viz.views.anatomy.answer.step import (
    Chosen,
    RecordedRun,
    Source,
    StepContent,
    StepParts,
    StepRuns,
    result_of,
    snippet,
    worked_parts,
)
from viz.views.anatomy.answer.tensors import Opened, Shown, tensors
from viz.views.anatomy.answer.worked_out import (
    WorkedOut,
    explain_dot_product,
    layer_norm_line,
    number,
    shape,
    sum_line,
)
from viz.wording.labels import make_visible

PROJECTED: Final = " (This model takes the row from the table of all-MiniLM-L6-v2, and fits it to its own width.)"
SYMBOLS: Final = {"word": "word", "position": "position", "token type": "type"}  # of the tables in the formula
DIGITS: Final = 6  # an angle of many radians needs more digits than its sine
FARTHEST: Final = 128  # distance of two positions
LEARNED_ELSEWHERE: Final = "bundled"  # a model that learned its positions
ALIKE: Final = "Are neighbouring positions alike?"
BATCH: Final = "A batch of two texts, and a text that is too long"
WRITTEN_PIECES: Final = 3  # tokens that a line of code spells out
NORM: Final = (  # of a matrix Z
    "mean = Z.mean(axis=1, keepdims=True)",
    "deviation = np.sqrt(Z.var(axis=1, keepdims=True) + {epsilon:g})",
)


def text(run: RecordedRun) -> StepContent:
    """The text is cut into wordpieces."""
    tokens, s = run.record.tokens, run.sizes
    pieces = sum(not special for special in tokens.special)
    vocabulary = f"{s.V:,}".replace(",", "{,}")
    words = f"{len(tokens.words):,}".replace(",", "{,}")
    return StepContent(
        words=(
            "A model computes with numbers, so the text is first split into **wordpieces**, entries of a fixed list "
            f"of {s.V:,}: the vocabulary. A common word is one entry. A rare word such as “{SPLIT_EXAMPLE}” is put "
            "together from several: the longest entry that the word begins with, then the longest for the rest, and "
            "so on. `##` means that a piece continues a word. If nothing fits, the word becomes `[UNK]`, for unknown."
        ),
        latex=(
            rf"\underset{{{words}\text{{ words, punctuation included}}}}{{\text{{your text}}}} \;\longrightarrow\; "
            rf"\underset{{{pieces}\text{{ of }}{vocabulary}\text{{ entries}}}}{{\boxed{{\text{{wordpieces}}}}}}"
        ),
        sources=(Source(Tokenizer._encode, "return _encoded(self._rust.encode"),),
    )


def parts_of_text(run: RecordedRun, _runs: StepRuns, _chosen: Chosen) -> StepParts:
    """Every word with its pieces, and a rare word for comparison."""
    rows = [(make_visible(word), of_word) for word, of_word in pieces_of_words(run.record.tokens)]
    pieces = _pieces_of_rare_word(run)
    rows.append((f"{SPLIT_EXAMPLE} (for comparison)", pieces))
    table = Table(
        name="pieces",
        title="Every word and its wordpieces",
        columns=lambda: {
            "word": [word for word, _ in rows],
            "wordpieces": ["  ".join(of_word) for _, of_word in rows],
        },
        on_page="open",
    )
    code = snippet(
        f'rest, pieces = "{SPLIT_EXAMPLE}", []',
        'while rest not in ("", "##"):',
        "    starts = [rest[:n] for n in range(len(rest), 0, -1)]",
        "    pieces.append(next(s for s in starts if s in vocabulary))",
        '    rest = "##" + rest[len(pieces[-1]):]',
        marked="pieces.append",
        result=f"pieces  # {' '.join(pieces)}",
    )
    return StepParts(picture=Answer((table,)), code=code)


def _pieces_of_rare_word(run: RecordedRun) -> tuple[str, ...]:
    example = run.backend.tokenize(SPLIT_EXAMPLE)
    return tuple(label for label, special in zip(example.labels, example.special, strict=True) if not special)


def ids(run: RecordedRun) -> StepContent:
    """Wordpieces and special tokens become ids, token types and an attention mask."""
    tokens, s = run.record.tokens, run.sizes
    types = f"\\{{0, {run.record.config.type_vocab_size - 1}\\}}"
    return StepContent(
        words=(
            "Two special entries are added: `[CLS]` at the front, whose vector can stand for the whole text, and "
            "`[SEP]` after each sentence. Pieces and special entries are called **tokens**. Each is replaced by its "
            "**id**, its line number in the vocabulary, counted from 0. The **token type** says which sentence a token "
            "belongs to. The **attention mask** is 1 for real tokens and 0 for `[PAD]`, which fills up the shorter "
            "texts of a batch."
        ),
        latex="\n".join(
            (
                rf"\boxed{{\text{{ids}}}} \in \{{0, \dots, {s.V - 1}\}}^{{{s.T}}} \qquad \text{{token types}} \in "
                rf"{types}^{{{s.T}}}",
                rf"\text{{attention mask}} \in \{{0, 1\}}^{{{s.T}}} \qquad \text{{tokens}} = "
                rf"{s.T} \le {tokens.max_length}",
            )
        ),
        sources=(Source(Tokenizer._tokens, "ids = "), Source(padded, "torch.tensor([ids")),
    )


def parts_of_ids(run: RecordedRun, _runs: StepRuns, _chosen: Chosen) -> StepParts:
    """Ids, token types and mask of the text, a batch of two texts, and a text that is too long."""
    tokens = run.record.tokens
    columns = {
        "position": range(len(tokens)),
        "token": [make_visible(label) for label in tokens.labels],
        "id": tokens.ids,
        "token type": tokens.token_type_ids,
        "attention mask": tokens.attention_mask,
    }
    table = Table(name="ids", title="The inputs of the model", columns=lambda: columns, on_page="open")
    b_start = tokens.sentence_b_start or len(tokens)
    shown = ", ".join(map(str, tokens.ids[:WRITTEN_PIECES]))
    code = snippet(
        "ids = [vocabulary[token] for token in tokens]",
        f"types = [int(position >= {b_start}) for position in range({len(tokens)})]",
        f"mask = [1] * {len(tokens)}",
        marked="ids",
        result=f"ids[:{WRITTEN_PIECES}]  # [{shown}]",
    )
    return StepParts(picture=Answer((table,)), code=code, folds=MappingProxyType({BATCH: lambda: _batch(run)}))


def _batch(run: RecordedRun) -> Answer:
    """A batch of the text and a short one, and a text that is too long."""
    batch = batch_of_two(run.backend, run.record.tokens, pad_id=run.record.config.pad_token_id)
    texts = zip(("your text", f"“{SHORT_EXAMPLE}”"), batch.labels, batch.ids, batch.masks, strict=True)
    rows = []
    for name, labels, token_ids, mask in texts:
        tokens_with_ids = zip(map(make_visible, labels), token_ids, strict=True)
        rows += [(name, *(f"{label} {token_id}" for label, token_id in tokens_with_ids)), ("its mask", *map(str, mask))]
    names = ["batch", *map(str, range(len(batch.ids[0])))]
    cut = too_long(run.backend)
    caption = (
        "A batch is one rectangle of numbers, so the shorter text is padded, and its mask is 0 there. A text that is "
        f"too long is cut at its end: of {LONG_COUNT} times “{LONG_EXAMPLE}”, the model reads "
        f"{cut.sentence_ids.count(0)} and two special tokens; {cut.truncated[0]} are cut off."
    )
    table = Table(
        name="batch",
        title="A batch of two texts",
        columns=lambda: dict(zip(names, zip(*rows, strict=True), strict=True)),
        on_page="open",
    )
    return Answer((table, Sentence(caption, "caption")))


def positions(run: RecordedRun) -> StepContent:
    """Every position has a vector, learned or computed."""
    width = run.sizes.D
    random = " This model is untrained: its vectors are random numbers." if UNTRAINED_NOTE in run.backend.notes else ""
    kind = "computed" if run.record.config.position_embedding == "sinusoidal" else "learned"
    return StepContent(
        words=(
            "Attention alone ignores word order: it could not tell “time flies” from “flies time”. So each position "
            "0, 1, 2, … gets a vector of its own, which the next step adds to the token's. BERT **learns** these "
            "vectors. The original Transformer **computes** them from sines and cosines, short waves in the first "
            "dimensions and long ones in the last. Trained or computed, neighbouring positions are more alike "
            f"than distant ones. This model uses {kind} vectors.{random}"
        ),
        latex=(
            rf"\boxed{{P_{{t,\,2i}}}} = \sin\big(t \cdot 10000^{{-2i/{width}}}\big) \qquad "
            rf"\boxed{{P_{{t,\,2i+1}}}} = \cos\big(t \cdot 10000^{{-2i/{width}}}\big)"
        ),
        sources=(Source(sinusoidal_positions, "encoding[:, 0::2]"),),
    )


def parts_of_positions(run: RecordedRun, runs: StepRuns, chosen: Chosen) -> StepParts:
    """Learned and computed vectors of positions, and how alike two of them are."""
    learns = run.record.config.position_embedding == "learned"
    tables = tables_of_positions(run.backend.encoder, None if learns else runs.learned_elsewhere())
    computed = tables[-1]
    count, width = computed.array.shape
    labels = [str(position) for position in range(count)]
    drawn = chosen.open(computed, labels)
    row, column = drawn.opened_cell.cell
    worked, details = worked_parts(drawn.opened_cell, explain_sinusoid(computed.array, row=row, column=column), labels)
    code = snippet(
        f"t = np.arange({count})[:, None]",
        f"angle = t / 10000 ** (np.arange(0, {width}, 2) / {width})",
        f"P = np.empty(({count}, {width}))",
        "P[:, 0::2], P[:, 1::2] = np.sin(angle), np.cos(angle)",
        marked="P[:, 0::2]",
        result=result_of(drawn.opened_cell, "P"),
    )
    return StepParts(
        picture=tensors([tables], drawn, one_scale=False),
        worked=worked,
        tables=details,
        code=code,
        folds=MappingProxyType({ALIKE: lambda: similar_positions(tables)}),
        drawn=drawn,
    )


def embeddings(run: RecordedRun) -> StepContent:
    """Ids become vectors: three tables are looked up and added, then the layer norm."""
    vectors, s = run.record.parts, run.sizes
    table = shape(s.T, s.D)
    projected = "" if has_own_word_table(run.backend.encoder) else PROJECTED
    return StepContent(
        words=(
            f"Each token becomes a **vector** of {s.D} numbers, its dimensions. It is the sum of three table rows: one "
            "for the id, one for the position, one for the token type. The tables are **learned**, like every matrix "
            f"from here on: training adjusted their numbers little by little, and now they are fixed.{projected} A "
            "**layer norm** then brings each vector to mean 0 and standard deviation 1, and applies a learned factor "
            "$\\gamma$ and a learned shift $\\beta$ to each dimension."
        ),
        latex="\n".join(
            (
                rf"{table}{{X_0}} = \boxed{{\text{{LayerNorm}}}}\big({table}{{E_\text{{word}}}} + "
                rf"{table}{{E_\text{{position}}}} + {table}{{E_\text{{type}}}}\big)",
                r"\text{LayerNorm}(z) = "
                r"\frac{z - \text{mean}(z)}{\sqrt{\text{var}(z) + \varepsilon}} \cdot \gamma + \beta",
            )
        ),
        tensors=(
            (Shown(name="word embeddings", array=vectors["word"]), Shown(name="positions", array=vectors["position"])),
            (
                Shown(name="token types", array=vectors["token type"]),
                Shown(name="X₀: sum, layer norm", array=run.record.hidden_states[0]),
            ),
        ),
        sources=(Source(Embeddings.forward, "return self.dropout(self.norm(total))"),),
        opened="X₀: sum, layer norm",
    )


def code_of_embeddings(run: RecordedRun, opened: Opened) -> Answer:
    """Three look-ups, and the layer norm."""
    return snippet(
        "Z = word[ids] + position[:len(ids)] + token_type[types]",
        *norm_lines(run, "X_0"),
        marked="X_0",
        result=result_of(opened, "X_0"),
    )


def norm_lines(run: RecordedRun, symbol: str) -> tuple[str, ...]:
    """The layer norm of a matrix Z."""
    epsilon = run.record.config.layer_norm_eps
    return (*(line.format(epsilon=epsilon) for line in NORM), f"{symbol} = (Z - mean) / deviation * gamma + beta")


def work_out_embeddings(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """Three numbers added, and the layer norm."""
    total, norm = cells.embedding(run.record, row=row, column=column)
    tokens = run.record.tokens
    rows = {"word": tokens.ids[row], "position": row, "token type": tokens.token_type_ids[row]}
    symbols = (rf"E^\text{{{SYMBOLS[table]}}}_{{{rows[table]},{column}}}" for table in run.record.parts)
    return WorkedOut(lines=(sum_line(" + ".join(symbols), total), layer_norm_line(norm)))


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
        tables = {"learned, by all-MiniLM-L6-v2": position_table(learned_elsewhere), "sines and cosines": own}
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
