"""Ids become vectors: three tables are looked up and added, then the layer norm."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.step_examples import has_own_word_table
from encoder.transformer.encoder import Embeddings
from viz.answers.anatomy.latex import gathered, layer_norm_line, shape, sum_line
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut

PROJECTED = (
    " (This model takes the piece's row from the table of the bundled BERT, and multiplies it by one learned "
    "matrix to bring it to its own width.)"
)
TABLES = {"word": "word", "position": "position", "token type": "type"}  # what the formula calls them


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    vectors, s = run.record.parts, run.sizes
    table = shape(s.T, s.D)
    projected = "" if has_own_word_table(run.backend.encoder) else PROJECTED
    return StepContent(
        words=(
            f"Every token becomes a **vector**, a row of {s.D} numbers, which are called its dimensions. It is the "
            "sum of three rows out of three tables: one for the piece, found by its id, one for its position, one for "
            "its token type. Without the second the model could not tell “time flies” from “flies time”. "
            "The numbers in the tables are **learned**, as are all matrices from here on: training changed them little "
            "by little until the model did its task well on many texts. Now they are fixed."
            f"{projected} A **layer norm** then shifts and scales each token's numbers to mean 0 "
            "and standard deviation 1, stretches every dimension by a learned factor $\\gamma$ and shifts it by a "
            "learned $\\beta$. From here on the text is a matrix with a row per token."
        ),
        formula=gathered(
            rf"{table}{{X_0}} = \text{{LayerNorm}}\big({table}{{E_\text{{word}}}} + "
            rf"{table}{{E_\text{{position}}}} + {table}{{E_\text{{type}}}}\big)",
            r"\text{LayerNorm}(x) = \frac{x - \text{mean}(x)}{\sqrt{\text{var}(x) + \varepsilon}} \cdot \gamma + \beta",
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


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """Three numbers added, and the layer norm."""
    cell = cells.embedding(run.record, head=run.head, row=row, column=column)
    symbols = (rf"E^\text{{{TABLES[table]}}}_{{{table_row},{column}}}" for table, table_row in cell.table_rows.items())
    return WorkedOut(lines=(sum_line(" + ".join(symbols), cell.lookup), layer_norm_line(cell.norm)))


STEP = Step(title="Numbers into vectors", content=content, work_out=work_out)
