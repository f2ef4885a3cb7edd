import assert from "node:assert/strict";
import { test } from "node:test";
import { pinChange, sceneOf } from "../../../../viz/components/cell_map/scene.mjs";
import {
  cellSentence,
  howOf,
  linkingSentence,
  noteOf,
  percent,
  sizeInWords,
  spokenCell,
  tableOf,
} from "../../../../viz/components/cell_map/words.mjs";
import { MEAN, NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { LENGTHS, SELECTION, VIEW_DATA, assertAllClose, quantised } from "../made_up.mjs";
import { COLOURS } from "../recording_painter.mjs";
/** @import { Block } from "../../../../viz/components/cell_map/block.mjs" */
/** @import { Selection } from "../../../../viz/components/shared/types.mjs" */

const MESSAGE = {
  tensors: { weights: { shape: [1, 3, 3], values: quantised([0, 0.5, 0.25, 0, 0.25, 0.5, 1, 0, 0]) } },
  extras: {
    ...{ id: "id", labels: ["a", "b", "c"], special: [false, false, false], positions: [[0], [1], [2]] },
    ...{ b_start: 1, numbers: [0, 0, 1], layer: 0 },
    letters: /** @type {[string, string]} */ (["A", "B"]),
  },
};

/** @param {Partial<Selection>} changes @param {number | null} until */
function scene(changes = {}, until = null) {
  const selection = /** @type {Selection} */ ({ ...SELECTION, head: 0, sentences: "A→B", ...changes });
  const data = { ...VIEW_DATA, title: "cross-attention", until };
  return sceneOf(MESSAGE, { ...data, marks: [[0, 2]], marks_name: "chosen" }, selection, COLOURS, null);
}

test("the note names rows and columns by their own numbers", () => {
  /** @param {Block} block */
  const note = (block) =>
    noteOf({
      ...{ pool: { down: 1, across: 1 }, steps: { down: 1, across: 1 }, zoom: 2 },
      ...{ block, numbers: [0, 1, 0, 1, 2] },
      rows: [2, 3],
      columns: [0, 1],
    });
  assert.equal(note({ rows: [0, 5], columns: [0, 5] }), "In view: queries 0–1 and keys 0–1 of 5. ");
  const block = note({ rows: [2, 5], columns: [0, 2] });
  assert.equal(block, "In view: queries 0–1 (2 of 3) and keys 0–1 (2 of 2). ");
  assert.equal(sizeInWords({ block: { rows: [2, 5], columns: [0, 2] }, sink: NOTHING }), "3 by 2 tokens");
});

test("the note says what has no room", () => {
  /** @type {(pool: number, step: number) => string} */
  const note = (pool, step) =>
    noteOf({
      ...{ pool: { down: 1, across: pool }, steps: { down: step, across: 1 }, zoom: 1, numbers: [0, 1] },
      block: { rows: [0, 2], columns: [0, 2] },
      rows: [0, 1],
      columns: [0, 1],
    });
  assert.equal(note(3, 9), "Each pixel shows the largest of 1 × 3 weights; zoom in to see each.");
  assert.equal(note(1, 9), "There is room for one label in 9; zoom in for the others.");
  assert.equal(note(1, 1), "");
  assert.ok(howOf(true).endsWith(howOf(false)));
  assert.ok(howOf(true, true).endsWith(howOf(false, true)));
  assert.doesNotMatch(howOf(true, true), /click|wheel|Ctrl|Escape/i);
});

test("a cell is spoken with its tokens, its weight and its mark", () => {
  const marked = spokenCell(scene(), { row: 0, column: 2 });
  assert.equal(marked, "from a · position 0, to c · position 1, attention weight 0.2500, marked: chosen");
  assert.ok(!spokenCell(scene(), { row: 0, column: 1 }).includes("marked"));
});

test("the table has the pinned query's weights, or strongest keys", () => {
  const pinned = tableOf(scene(), 0);
  assert.equal(pinned.caption, "L0 H0 · cross-attention: what 0: a attends to");
  assert.deepEqual(pinned.rows, [
    ["0: b", "0.5000"],
    ["1: c", "0.2500"],
  ]);
  assert.deepEqual(tableOf(scene(), NOTHING).rows, [["0: a", "0: b", "0.5000"]]);
  assert.deepEqual(tableOf(scene({ sentences: "all" }, 1), NOTHING).rows, [["0: a", "0: b", "0.5000"]]);
});

test("lengths are spoken and listed with their symbol and the biases", () => {
  const message = {
    tensors: { ...MESSAGE.tensors, biases: { shape: [1, 3], values: Float32Array.of(0.5, 1, 2) } },
    extras: { ...MESSAGE.extras, quantity: { ...LENGTHS, heads: 0 } },
  };
  const lengths = sceneOf(message, VIEW_DATA, { ...SELECTION, head: 3 }, COLOURS, null);
  const spoken = spokenCell(lengths, { row: 0, column: 1 });
  assert.match(spoken, /, ‖α f\(x\)‖ = 4\.00, biases of this row 0\.500$/);
  const { caption, header, rows } = tableOf(lengths, 0);
  assert.equal(caption, "Value-weighted norms, L0: what 0: a takes from each token");
  assert.deepEqual(header, ["key (to)", "‖α f(x)‖"]);
  assert.deepEqual(rows.at(-1), ["biases of the model", "0.500"]);
});

test("a weight in words is a share of the row's attention", () => {
  const drawn = { ...scene({ sentences: "all" }), labels: ["a", "b", "a"] };
  const selection = { layer: 0, head: 4 };
  /** @param {number} row @param {number} column @param {import("../../../../viz/components/shared/types.mjs").Special} special */
  const said = (row, column, special = "show") => cellSentence(drawn, { row, column }, { selection, special }).join("");
  assert.equal(said(0, 1), "In layer 0, head 4, “a” (position 0) gives 50 % of its attention to “b”.");
  assert.equal(said(1, 1), "In layer 0, head 4, “b” gives 25 % of its attention to itself.");
  assert.equal(
    said(1, 2, "renormalise"),
    "In layer 0, head 4, “b” gives “a” (position 1) 50 % of its attention to the tokens shown.",
  );
  const mean = cellSentence(drawn, { row: 0, column: 1 }, { selection: { layer: 0, head: -1 }, special: "show" });
  assert.ok(mean[0].startsWith("In layer 0, on average over its heads, "));
});

test("other measures say what their number is", () => {
  const drawn = scene({ sentences: "all" });
  /** @type {(quantity: Partial<import("../../../../viz/components/shared/quantity.mjs").Quantity>) => string} */
  const said = (quantity) =>
    cellSentence(
      { ...drawn, quantity: { ...drawn.quantity, ...quantity } },
      { row: 0, column: 1 },
      { selection: { layer: 2, head: 0 }, special: "show" },
    ).join("");
  const heads = { heads: 12, model_heads: 12 };
  assert.equal(
    said({ ...heads, unit: "norm", symbol: "‖α f(x)‖" }),
    "In layer 2, head 0, “a” takes a vector of length 0.500 from “b”: ‖α f(x)‖.",
  );
  assert.equal(
    said({ unit: "share", symbol: "ALTI share", heads: 0 }),
    "In layer 2, 50 % of “a” comes from “b” (ALTI share).",
  );
  assert.equal(
    said({ unit: "share", symbol: "GlobEnc share", heads: 0, from_input: true }),
    "Up to layer 2, 50 % of “a” comes from “b” (GlobEnc share).",
  );
});

test("percentages have the digits that small ones need", () => {
  assert.deepEqual([0.804, 0.0096, 0.0094, 0.0006, 0.0004].map(percent), [
    "80 %",
    "1 %",
    "0.9 %",
    "0.1 %",
    "less than 0.1 %",
  ]);
});

test("the list of heads says which layers are missing", () => {
  const drawn = scene({ sentences: "all" });
  const cell = { row: 0, column: 1 };
  assert.equal(
    linkingSentence(drawn, cell, { layers: 6, of: 6, isCompared: true }),
    "Heads that link “a” to “b”, strongest first. Second number: how unusual that is for the head.",
  );
  assert.equal(
    linkingSentence(drawn, cell, { layers: 1, of: 6, isCompared: false }),
    "Heads that link “a” to “b”, strongest first (1 of 6 layers).",
  );
});

test("a sink is the last column, so that rows add up to 1, and no token", () => {
  const tensors = {
    weights: { shape: [2, 2, 2], values: quantised([0.5, 0.25, 0.1, 0.3, 1, 0, 0.5, 0.5]) },
    sink: { shape: [2, 2], values: Float32Array.of(0.25, 0.6, 0, 0) },
  };
  const units = { labels: ["a", "b"], special: [false, false], positions: [[0], [1]], numbers: [0, 0] };
  const extras = { ...MESSAGE.extras, ...units };
  /** @param {Partial<Selection>} changes */
  const shown = (changes) => {
    return sceneOf({ tensors, extras }, VIEW_DATA, { ...SELECTION, head: 0, ...changes }, COLOURS, null);
  };
  const of = shown({});
  assertAllClose(of.weights.slice(0, 6), [0.5, 0.25, 0.25, 0.1, 0.3, 0.6], 1e-5);
  assertAllClose(shown({ head: MEAN }).weights.slice(0, 6), [0.75, 0.125, 0.125, 0.3, 0.4, 0.3], 1e-5);
  assert.deepEqual(of.block, { rows: [0, 2], columns: [0, 3] });
  assert.deepEqual(shown({ sentences: "A→B" }).block, { rows: [0, 1], columns: [1, 2] });
  assert.equal(sizeInWords(of), "2 by 2 tokens and the sink");
  const cell = { row: 1, column: 2 };
  assert.match(spokenCell(of, cell), /to sink, which is no token, attention weight 0\.6000/);
  assert.deepEqual(pinChange(of, cell), { query: 1, key: NOTHING });
  assert.deepEqual(
    tableOf(of, 1).rows.map((row) => row[1]),
    ["0.1000", "0.3000", "0.6000"],
  );
  assert.deepEqual(tableOf(of, NOTHING).rows[1], ["0: b", "sink, which is no token", "0.6000"]);
});
