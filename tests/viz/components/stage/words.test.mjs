import assert from "node:assert/strict";
import { test } from "node:test";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { clockOf, elapsedOf, lineOf } from "../../../../viz/components/stage/words.mjs";
import { SELECTION } from "../made_up.mjs";

const SEEN = { model: "all-MiniLM-L6-v2", shows: "row looks at column", follows: true, shows_heads: false };
/** @type {import("../../../../viz/components/shared/types.mjs").Selection} */
const AT_HEAD = { ...SELECTION, layer: 3, head: 7 };

test("the line names model, layer, head and the content of the view", () => {
  assert.equal(lineOf(SEEN, AT_HEAD), "all-MiniLM-L6-v2 · layer 3 · head 7 · row looks at column");
  assert.match(lineOf(SEEN, { ...AT_HEAD, head: MEAN }), / · layer 3 · mean over heads · /);
});

test("without heads or a selection the line names none", () => {
  const line = "all-MiniLM-L6-v2 · row looks at column";
  assert.equal(lineOf({ ...SEEN, follows: false }, AT_HEAD), line);
  assert.equal(lineOf(SEEN, null), line);
});

test("a view that draws several heads names them", () => {
  /** @param {string} heads */
  const named = (heads) => lineOf({ ...SEEN, shows_heads: true }, { ...AT_HEAD, heads }).split(" · ")[2];
  assert.deepEqual(["", "all", "none", "5", "0.4"].map(named), [
    "head 7",
    "all heads",
    "no head",
    "head 5",
    "heads 0, 4",
  ]);
});

test("the part of a pair that is shown is said", () => {
  assert.match(lineOf(SEEN, { ...AT_HEAD, sentences: "A→B" }), / · from A to B only · row/);
});

test("clocks have two digits where a clock has them", () => {
  assert.equal(clockOf(new Date(2026, 0, 1, 9, 5)), "9:05");
  assert.deepEqual([-5, 59_999, 723_000, 3_723_000].map(elapsedOf), ["00:00", "00:59", "12:03", "1:02:03"]);
});

test("another quantity is named, and no head where it has none", () => {
  const quantity = { name: "ALTI, ALTI share", heads: false, from_input: true };
  const line = lineOf({ ...SEEN, quantity }, AT_HEAD);
  assert.equal(line, "all-MiniLM-L6-v2 · ALTI, ALTI share · from the input to layer 3 · row looks at column");
  const norms = { name: "Norms", heads: true, from_input: false };
  assert.match(lineOf({ ...SEEN, quantity: norms }, { ...AT_HEAD, head: MEAN }), / · layer 3 · heads together · /);
});
