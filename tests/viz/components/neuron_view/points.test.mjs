// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { UNLIT, drawHeading, drawRows, laidOut, savedPicture } from "../../../../viz/components/neuron_view/draw.mjs";
import { headOf, shownPositions } from "../../../../viz/components/neuron_view/maths.mjs";
import { newlyPointed, pointedAt, sceneOf } from "../../../../viz/components/neuron_view/scene.mjs";
import { NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { Point } from "../../../../viz/components/shared/points.mjs" */

const [LENGTH, WIDTH, QUERY] = [5, 4, 2];
/** @type {Point} */
const CELL = { kind: "cell", run: "A", query: [QUERY], key: [3] };
/** @type {Point} */
const TOKEN = { kind: "token", run: "A", token: [1] };

/** @param {readonly Point[]} points */
function typeset(points) {
  const shape = [1, LENGTH, WIDTH];
  const vectors = () => ({ shape, values: new Float32Array(LENGTH * WIDTH).fill(1) });
  const labels = [...Array(LENGTH).keys()].map((position) => `token ${position}`);
  const special = labels.map(() => false);
  const positions = labels.map((_, position) => [position]);
  const scaling = { shape: [], values: Float32Array.of(0.5) };
  const tensors = { query: vectors(), key: vectors(), scaling };
  const head = headOf({ tensors, extras: { id: "id", labels, special, positions, b_start: null, layer: 0 } }, 0);
  const shown = shownPositions(head, { hidden: false, sentences: "all" });
  const options = { selection: { key: NOTHING, points }, controls: { byWeight: false, bySize: false } };
  const measure = () => (/** @type {string} */ text) => 8 * text.length;
  const style = { colours: COLOURS, accent: "#aa0000", muted: "#808080", shades: ["#0000ff", "#ffffff", "#ff0000"] };
  return { ...sceneOf(head, shown, QUERY, { ...options, special: "show" }), ...style, measure, widestLabel: 40 };
}

/** @param {RecordingPainter} painter */
const rings = ({ rects }) => rects.filter(({ stroke }) => stroke === COLOURS.ring);

test("a cell of the chosen query rings the query's name and the key's row", () => {
  const drawing = laidOut(typeset([CELL]), { width: 820, left: 8 });
  const [heading, rows] = [new RecordingPainter(), new RecordingPainter()];
  drawHeading(heading, drawing, UNLIT);
  drawRows(rows, drawing, UNLIT, 0, LENGTH, 0);
  assert.equal(rings(heading).length, 1);
  const [row, ...others] = rings(rows);
  assert.deepEqual(others, []);
  assert.ok(row.y > 3 * 28 && row.y + row.height < 4 * 28);
  assert.ok(row.x + row.width > drawing.layout.bar);
});

test("a token's name is ringed among the keys, and as a query where it is chosen", () => {
  const drawing = laidOut(typeset([TOKEN]), { width: 820, left: 8 });
  const [heading, rows] = [new RecordingPainter(), new RecordingPainter()];
  drawHeading(heading, drawing, UNLIT);
  drawRows(rows, drawing, UNLIT, 0, LENGTH, 0);
  assert.deepEqual(rings(heading), []);
  assert.deepEqual(
    rings(rows).map(({ y }) => Math.floor(y / 28)),
    [1],
  );
});

test("a cell of another query rings that query in the list alone", () => {
  const { queries, keys, rows } = pointedAt([CELL, { kind: "head", layer: 0, head: 0 }], QUERY + 1);
  assert.deepEqual([[...queries], [...keys], [...rows]], [[QUERY], [], []]);
});

test("the view scrolls to what is newly pointed at", () => {
  assert.equal(newlyPointed(typeset([CELL]), typeset([])), 3);
  assert.equal(newlyPointed(typeset([CELL]), null), 3);
  assert.equal(newlyPointed(typeset([CELL]), typeset([CELL])), null);
  assert.equal(newlyPointed(typeset([]), typeset([CELL])), null);
});

test("saved pictures have no rings", () => {
  const painter = new RecordingPainter();
  savedPicture(typeset([CELL]), 820).draw(painter);
  assert.deepEqual(rings(painter), []);
});
