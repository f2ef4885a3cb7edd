import assert from "node:assert/strict";
import { test } from "node:test";
import { sceneOf } from "../../../../viz/components/cell_map/scene.mjs";
import { howOf, noteOf, sizeInWords, spokenCell, tableOf } from "../../../../viz/components/cell_map/words.mjs";
import { NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { LENGTHS, VIEW_DATA, quantised } from "../made_up.mjs";
/** @import { Block } from "../../../../viz/components/cell_map/block.mjs" */
/** @import { Selection } from "../../../../viz/components/shared/types.mjs" */

const COLOURS = { text: "#000000", background: "#ffffff", raised: "", border: "", primary: "", ring: "", font: "" };
/** @type {Selection} */
const SELECTION = {
  ...{ layer: 0, head: 0, heads: "", query: NOTHING, key: NOTHING, pinned_in: "A" },
  ...{ sentences: "A→B", scale: "auto" },
};
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
  const selection = { ...SELECTION, ...changes };
  const theme = { heads: [], sequential: [], diverging: [], muted: "" };
  const data = { ...VIEW_DATA, theme, title: "cross-attention", place: "pair", until };
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
  assert.equal(sizeInWords({ rows: [2, 5], columns: [0, 2] }), "3 by 2 tokens");
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
  const theme = { heads: [], sequential: [], diverging: [], muted: "" };
  const data = { ...VIEW_DATA, theme, place: "pair" };
  const lengths = sceneOf(message, data, { ...SELECTION, head: 3, sentences: "all" }, COLOURS, null);
  const spoken = spokenCell(lengths, { row: 0, column: 1 });
  assert.match(spoken, /, ‖α f\(x\)‖ = 4\.00, biases of this row 0\.500$/);
  const { caption, header, rows } = tableOf(lengths, 0);
  assert.equal(caption, "Value-weighted norms, L0: what 0: a takes from each token");
  assert.deepEqual(header, ["key (to)", "‖α f(x)‖"]);
  assert.deepEqual(rows.at(-1), ["biases of the model", "0.500"]);
});
