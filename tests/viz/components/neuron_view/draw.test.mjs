import assert from "node:assert/strict";
import { test } from "node:test";
import {
  UNLIT,
  drawHeading,
  drawRows,
  laidOut,
  savedPicture,
  shadesOf,
} from "../../../../viz/components/neuron_view/draw.mjs";
import { HEADING, ROW } from "../../../../viz/components/neuron_view/layout.mjs";
import { headOf, shownPositions } from "../../../../viz/components/neuron_view/maths.mjs";
import {
  dimensionText,
  formulaOf,
  newlyPointed,
  pointedAt,
  sceneOf,
  tableOf,
} from "../../../../viz/components/neuron_view/scene.mjs";
import { NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { assertGolden } from "../golden_svg.mjs";
import { randomNumbers } from "../made_up.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { Lit } from "../../../../viz/components/neuron_view/draw.mjs" */
/** @import { Controls } from "../../../../viz/components/neuron_view/scene.mjs" */
/** @import { Point } from "../../../../viz/components/shared/points.mjs" */
/** @import { Special } from "../../../../viz/components/shared/types.mjs" */

const LABELS = ["[CLS]", "time", "flies", "[SEP]", "fruit", "flies", "[SEP]"];
const [LENGTH, WIDTH, QUERY] = [LABELS.length, 8, 2];
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

/** @param {Partial<Controls & { special: Special, key: number, points: Point[] }>} options */
function scene({ byWeight = false, bySize = false, special = "show", key = NOTHING, points = [] } = {}) {
  const shown = shownPositions(HEAD, { hidden: special !== "show", sentences: "all" });
  return sceneOf(HEAD, shown, QUERY, { selection: { key, points }, controls: { byWeight, bySize }, special });
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

/** @type {Point} */
const CELL = { kind: "cell", run: "A", query: [QUERY], key: [3] };

/** @type {[state: string, scene: ReturnType<typeof scene>, lit: Lit][]} */
const STATES = [
  ["keys-by-position", scene(), { key: null, dimension: 4 }],
  ["keys-by-weight", scene({ byWeight: true }), UNLIT],
  ["pinned-key-by-size", scene({ bySize: true, key: 4, special: "renormalise" }), { key: 1, dimension: null }],
  ["tour-cell", scene({ points: [CELL] }), UNLIT],
  ["tour-token", scene({ points: [{ kind: "token", run: "A", token: [1] }] }), UNLIT],
];

for (const [state, one, lit] of STATES) {
  test(`the neuron view is rendered as recorded: ${state}`, () => {
    const drawn = drawing(one);
    const size = { width: 820, height: HEADING + one.rows.length * ROW };
    assertGolden(import.meta.url, state, size, (painter) => {
      drawHeading(painter, drawn, lit);
      drawRows(painter, drawn, lit, 0, one.rows.length, HEADING);
    });
  });
}

test("the saved picture is rendered as recorded", () => {
  const picture = savedPicture(typeset(scene()), 820);
  assert.equal(picture.name, "neuron-L3-H7-query-2");
  assertGolden(import.meta.url, "saved", picture, picture.draw);
});

test("keys by weight start with the strongest", () => {
  const one = scene({ byWeight: true });
  const weights = one.rows.map((key) => one.attended.weights[key]);
  assert.deepEqual(
    weights,
    [...weights].sort((first, second) => second - first),
  );
  assert.equal(one.rows[0], one.first);
});

test("the formula shows the pinned key", () => {
  const one = scene({ key: 5 });
  const { from, to, rest } = formulaOf(one, one.first);
  assert.deepEqual([from, to, rest], ["flies", "flies", ""]);
});

test("the formula names the weight of hidden keys", () => {
  const one = scene({ special: "hide" });
  assert.deepEqual(one.rows, [1, 2, 4, 5]);
  assert.match(
    formulaOf(one, one.first).rest,
    /^The 3 keys that are not shown hold (0\.\d{3}|< 0\.001) of the weight\.$/,
  );
});

test("a dimension is described with its numbers", () => {
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

test("a cell of another query rings that query in the list alone", () => {
  const { queries, keys, rows } = pointedAt([CELL, { kind: "head", layer: 0, head: 0 }], QUERY + 1);
  assert.deepEqual([[...queries], [...keys], [...rows]], [[QUERY], [], []]);
});

test("the view scrolls to what is newly pointed at", () => {
  const [pointed, plain] = [scene({ points: [CELL] }), scene()];
  const found = [plain, null, pointed].map((before) => newlyPointed(pointed, before));
  assert.deepEqual([...found, newlyPointed(plain, pointed)], [3, 3, null, null]);
});

test("saved pictures have no rings", () => {
  const painter = new RecordingPainter();
  savedPicture(typeset(scene({ points: [CELL] })), 820).draw(painter);
  assert.ok(painter.rects.every(({ stroke }) => stroke !== COLOURS.ring));
});

test("the shades run from end to end of the diverging scale", () => {
  const shades = shadesOf([[0, "#0000ff"], [0.5, "#ffffff"], [1, "#ff0000"]]); // prettier-ignore
  assert.deepEqual([shades[0], shades[(shades.length - 1) / 2], shades.at(-1)], ["#0000ff", "#ffffff", "#ff0000"]);
});
