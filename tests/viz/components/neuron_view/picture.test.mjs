// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { UNLIT, drawHeading, drawRows, laidOut, savedPicture } from "../../../../viz/components/neuron_view/draw.mjs";
import { headOf, shownPositions } from "../../../../viz/components/neuron_view/maths.mjs";
import { dimensionText, formulaOf, sceneOf, tableOf } from "../../../../viz/components/neuron_view/scene.mjs";
import { NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { randomNumbers } from "../made_up.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { Controls } from "../../../../viz/components/neuron_view/scene.mjs" */
/** @import { Special } from "../../../../viz/components/shared/types.mjs" */

const LABELS = ["[CLS]", "time", "flies", "[SEP]", "fruit", "flies", "[SEP]"];
const [LENGTH, WIDTH, QUERY] = [LABELS.length, 16, 2];
const HEAD = madeUpHead();

function madeUpHead() {
  const random = randomNumbers(3);
  const vectors = () => Float32Array.from({ length: LENGTH * WIDTH }, () => 4 * random() - 2);
  const shape = [1, LENGTH, WIDTH];
  const special = LABELS.map((label) => label.startsWith("["));
  const units = { id: "id", labels: LABELS, special, positions: LABELS.map((_, position) => [position]), b_start: 4 };
  const scaling = { shape: [], values: Float32Array.of(WIDTH ** -0.5) };
  const tensors = { query: { shape, values: vectors() }, key: { shape, values: vectors() }, scaling };
  return { ...headOf({ tensors, extras: { ...units, layer: 3 } }, 0), head: 7 };
}

/** @param {Partial<Controls & { special: Special, key: number }>} options */
function scene({ byWeight = false, bySize = false, special = "show", key = NOTHING } = {}) {
  const shown = shownPositions(HEAD, { hidden: special !== "show", sentences: "all" });
  return sceneOf(HEAD, shown, QUERY, { selection: { key }, controls: { byWeight, bySize }, special });
}

/** @param {ReturnType<typeof scene>} one */
function typeset(one) {
  /** @param {string} text */
  const measure = (text) => 8 * text.length;
  const style = { colours: COLOURS, accent: "#aa0000", muted: "#808080", shades: ["#0000ff", "#ffffff", "#ff0000"] };
  return { ...one, ...style, measure: () => measure, widestLabel: 40 };
}

/** @param {ReturnType<typeof scene>} one */
const drawing = (one) => laidOut(typeset(one), { width: 820, left: 8 });

test("the rows have every key's name and numbers", () => {
  const [one, painter] = [drawing(scene()), new RecordingPainter()];
  drawRows(painter, one, UNLIT, 0, LENGTH, 0);
  for (const [key, label] of LABELS.entries()) {
    const weight = one.shares[key] < 0.0005 ? "< 0.001" : one.shares[key].toFixed(3);
    assert.ok(painter.written.includes(label));
    assert.ok(painter.written.includes(weight));
  }
  const divide = painter.strokes.map(({ segments }) => segments[1]);
  assert.deepEqual(divide, [4 * 28]); // where sentence B begins
});

test("keys by weight have no divide, and the strongest is first", () => {
  const [one, painter] = [drawing(scene({ byWeight: true })), new RecordingPainter()];
  drawRows(painter, one, UNLIT, 0, LENGTH, 0);
  assert.equal(painter.strokes.length, 0);
  const weights = one.rows.map((key) => one.attended.weights[key]);
  assert.deepEqual(
    weights,
    [...weights].sort((first, second) => second - first),
  );
  assert.equal(one.rows[0], one.first);
});

test("the heading names the columns and numbers the dimensions, or says what orders them", () => {
  const painter = new RecordingPainter();
  drawHeading(painter, drawing(scene()), { key: null, dimension: 4 });
  for (const text of ["query", "key", "q × k", "q · k", "score", "weight", "flies", "0", "4"]) {
    assert.ok(painter.written.includes(text), text);
  }
  const frames = painter.rects.filter(({ stroke, lineWidth }) => stroke === COLOURS.text && lineWidth === 1.5);
  assert.equal(frames.length, 1);
  const sorted = new RecordingPainter();
  drawHeading(sorted, drawing(scene({ bySize: true, key: 4, special: "renormalise" })), UNLIT);
  assert.ok(sorted.written.some((text) => text.startsWith("largest |q × k| of fruit")));
  assert.ok(sorted.written.includes("renorm."));
});

test("a pinned key is marked, and the formula speaks of it", () => {
  const [one, painter] = [drawing(scene({ key: 5 })), new RecordingPainter()];
  drawRows(painter, one, UNLIT, 0, LENGTH, 0);
  const marks = painter.rects.filter(({ fill }) => fill === COLOURS.primary);
  assert.deepEqual(
    marks.map(({ y }) => y),
    [5 * 28],
  );
  const { from, to, rest } = formulaOf(one, one.first);
  assert.deepEqual([from, to, rest], ["flies", "flies", ""]);
});

test("hidden keys are spoken of with what they hold", () => {
  const one = scene({ special: "hide" });
  assert.deepEqual(one.rows, [1, 2, 4, 5]);
  assert.match(
    formulaOf(one, one.first).rest,
    /^The 3 keys that are not shown hold (0\.\d{3}|< 0\.001) of the weight\.$/,
  );
});

test("a dimension is told with its numbers", () => {
  const one = scene();
  assert.match(dimensionText(one, null, 3), /^dimension 3\nq = −?\d\.\d\d$/);
  assert.match(dimensionText(one, 4, 3), /^dimension 3, flies → fruit\nq = .*, k = .*, q × k = −?\d\.\d\d$/);
});

test("the table has every key that is shown", () => {
  const { caption, header, rows } = tableOf(scene({ special: "renormalise" }));
  assert.equal(caption, "L3 H7, query flies");
  assert.equal(header[header.length - 1], "renormalised");
  assert.deepEqual(
    rows.map(([label]) => label),
    ["time", "flies", "fruit", "flies"],
  );
  const shares = rows.map((row) => Number(row[5]));
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-4);
});

test("the saved picture has the formula and all rows", () => {
  const picture = savedPicture(typeset(scene()), 820);
  assert.equal(picture.name, "neuron-L3-H7-query-2");
  const painter = new RecordingPainter();
  picture.draw(painter);
  assert.ok(painter.written[0].startsWith("L3 H7:  weight = softmax( q · k / √16 )."));
  assert.ok(painter.texts.every(({ y }) => y < picture.height));
  assert.equal(painter.written.filter((text) => text === "[SEP]").length, 2);
});
