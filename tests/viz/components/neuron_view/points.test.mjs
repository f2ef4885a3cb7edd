// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { UNLIT, drawHeading, drawRows, laidOut, savedPicture } from "../../../../viz/components/neuron_view/draw.mjs";
import { HEADING, ROW } from "../../../../viz/components/neuron_view/layout.mjs";
import { headOf, shownPositions } from "../../../../viz/components/neuron_view/maths.mjs";
import { newlyPointed, pointedAt, sceneOf } from "../../../../viz/components/neuron_view/scene.mjs";
import { NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { assertGolden } from "../golden_svg.mjs";
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

/** @type {[state: string, point: Point][]} */
const STATES = [
  ["tour-cell", CELL],
  ["tour-token", TOKEN],
];

for (const [state, point] of STATES) {
  test(`rings of a tour are rendered as recorded: ${state}`, () => {
    const drawing = laidOut(typeset([point]), { width: 820, left: 8 });
    assertGolden(import.meta.url, state, { width: 820, height: HEADING + LENGTH * ROW }, (painter) => {
      drawHeading(painter, drawing, UNLIT);
      drawRows(painter, drawing, UNLIT, 0, LENGTH, HEADING);
    });
  });
}

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
