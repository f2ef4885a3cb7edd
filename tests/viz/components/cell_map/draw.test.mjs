import assert from "node:assert/strict";
import { test } from "node:test";
import {
  drawBox,
  drawCells,
  drawColourBar,
  drawCross,
  drawPoints,
  labelsNear,
} from "../../../../viz/components/cell_map/draw.mjs";
import { WHOLE, Viewport, clamped, placeOfCell } from "../../../../viz/components/cell_map/frame.mjs";
import { GAP } from "../../../../viz/components/cell_map/layout.mjs";
import { layOut, sceneOf } from "../../../../viz/components/cell_map/scene.mjs";
import { noteUnder } from "../../../../viz/components/cell_map/words.mjs";
import { NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { assertGolden, namedCanvas } from "../golden_svg.mjs";
import { SELECTION, VIEW_DATA, attention, quantised } from "../made_up.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { Drawing } from "../../../../viz/components/cell_map/scene.mjs" */
/** @import { Point } from "../../../../viz/components/shared/points.mjs" */
/** @import { ScaleChoice, SentenceFilter } from "../../../../viz/components/shared/types.mjs" */

/** @type {[number, string][]} */
const SCALE = [
  [0, "#ffffff"],
  [0.5, "#8888ff"],
  [1, "#0000aa"],
];
const CANVAS = namedCanvas("colours");
const IMAGES = {
  image: { canvas: namedCanvas("cells"), pool: { across: 1, down: 1 }, rows: 8, columns: 8 },
  scale: CANVAS,
};
/** @param {string} text */
const measure = (text) => 8 * text.length;

/**
 * A text of `count` tokens, of which the second half is sentence B.
 * @param {number} count @param {object} [options]
 * @param {SentenceFilter} [options.sentences]
 * @param {number | null} [options.until]
 * @param {ScaleChoice} [options.scale]
 * @param {number} [options.width]
 * @param {number | null} [options.stageRoom]
 * @returns {Drawing}
 */
function drawing(count, { sentences = "all", until = null, scale = "auto", width = 820, stageRoom = null } = {}) {
  const labels = Array.from({ length: count }, (_, position) => `t${position}`);
  const numbers = labels.map((_, position) => position);
  const units = { labels, special: labels.map(() => false), positions: numbers.map((number) => [number]), numbers };
  const letters = /** @type {[string, string]} */ (["A", "B"]);
  const tensors = { weights: { shape: [1, count, count], values: quantised(attention(1, count)) } };
  const message = { tensors, extras: { ...units, letters, id: "id", layer: 0, b_start: Math.floor(count / 2) } };
  const selection = { ...SELECTION, head: 0, sentences, scale };
  const data = { ...VIEW_DATA, theme: { ...VIEW_DATA.theme, sequential: SCALE }, until };
  const marks = { marks: /** @type {[number, number][]} */ ([[0, 1]]), marks_name: "a cell that is known" };
  const scene = sceneOf(message, { ...data, ...marks }, selection, COLOURS, null);
  const laidOut = layOut(scene, { width, windowHeight: 900, stageRoom }, measure);
  return { ...laidOut, frame: clamped(laidOut, WHOLE) };
}

/** @type {[state: string, drawing: Drawing][]} */
const STATES = [
  ["pair", drawing(8)],
  ["largest-as-darkest", drawing(8, { scale: "largest" })],
  ["narrow-cells", drawing(8, { width: 330 })],
  ["cells-without-numbers", drawing(40)],
  ["block", drawing(8, { sentences: "B→A" })],
  ["generated-so-far", drawing(8, { until: 5, scale: "root" })],
  ["enlarged", { ...drawing(100), frame: { zoom: 2, row: 20, column: 40 } }],
  ["stage", drawing(8, { width: 720, stageRoom: 260 })],
];

for (const [state, one] of STATES) {
  test(`the heat map is rendered as recorded: ${state}`, () => {
    assertGolden(import.meta.url, state, one, (painter) => drawCells(painter, one, IMAGES));
  });
}

/** The numbers in cells, with the size of their text. @param {Drawing} one */
function numbersOf(one) {
  const painter = new RecordingPainter();
  drawCells(painter, one, IMAGES);
  const numbers = painter.texts.filter(({ text }) => /^0?\.\d\d$/.test(text));
  return new Set(numbers.map(({ size }) => size));
}

test("on stage every cell of 22 × 14 pixels, which the page doubles, has its number", () => {
  const one = drawing(13, { width: 1000, stageRoom: 262 });
  assert.equal(Math.floor(one.area.height / 13), 14);
  assert.deepEqual(numbersOf(one), new Set([11]));
});

test("on the page numbers need rows of 17 pixels", () => {
  assert.deepEqual(numbersOf(drawing(8)), new Set([14]));
  assert.deepEqual(numbersOf(drawing(40)), new Set());
});

test("outlines, the zoom box and a tour's rings are rendered as recorded", () => {
  const one = drawing(8);
  assertGolden(import.meta.url, "overlay", one, (painter) => {
    drawCross(painter, one, { row: 1, column: 5 }, { colour: "#aa0000", width: 1 });
    drawBox(painter, one, { x: 300, y: 200 }, { x: 250, y: 280 });
    drawPoints(painter, one, [
      { kind: "cell", run: "pair", query: [2], key: [5, 6] },
      { kind: "token", run: "pair", token: [3] },
      { kind: "head", layer: 0, head: 0 },
      { kind: "cell", run: "pair", query: [99], key: [5] },
    ]);
  });
});

test("a cell outside the block has no outline", () => {
  const painter = new RecordingPainter();
  const outside = { row: 5, column: NOTHING };
  drawCross(painter, drawing(8, { sentences: "A→B" }), outside, { colour: "#aa0000", width: 1 });
  assert.deepEqual([painter.texts, painter.rects], [[], []]);
});

test("the colour bar stays inside and clear of the columns' title", () => {
  for (const width of [300, 332, 640, 1200]) {
    const [one, painter] = [{ ...drawing(8), width }, new RecordingPainter()];
    drawColourBar(painter, one, CANVAS, { colour: "#808080" });
    const [bar] = painter.images;
    assert.ok(bar.x - one.area.left >= 70 && bar.width > 80 && bar.x + bar.width < width);
  }
});

test("labels that a bold one would touch are covered", () => {
  assert.deepEqual(labelsNear(32, 0, 64), [32, 32]);
  assert.equal(labelsNear(10, 0, 4).length, 3);
});

test("a view that is mounted again restores the part in view", () => {
  const grid = drawing(200);
  let moves = 0;
  const viewport = new Viewport(() => moves++);
  viewport.open("place", "text");
  viewport.fit(grid);
  assert.equal(viewport.zoom(2, null, null), true);
  assert.equal(viewport.pan({ across: 0, down: 30 }), true);
  assert.equal(viewport.pan({ across: 0, down: 0 }), false);
  assert.equal(moves, 2);
  const { area } = grid;
  const again = new Viewport(() => {});
  again.open("place", "text");
  assert.deepEqual(again.frame, viewport.frame);
  again.open("place", "another text");
  assert.deepEqual(again.frame, WHOLE);
  again.fit(grid);
  again.enlarge({ x: area.left, y: area.top }, { x: area.left + area.width / 2, y: area.top + area.height / 2 });
  assert.ok(again.frame.zoom > 1.5);
  again.reveal({ row: 199, column: 199 });
  assert.ok(again.frame.row > 90);
  again.showAll();
  assert.equal(again.frame.zoom, 1);
});

test("a ring around a row's label leaves its text to be read", () => {
  for (const count of [8, 20, 30]) {
    const one = drawing(count);
    const painter = new RecordingPainter();
    drawPoints(painter, one, [{ kind: "token", run: "pair", token: [3] }]);
    const { y } = placeOfCell(one, { row: 3, column: 0 });
    assert.deepEqual(
      painter.rects.map(({ stroke }) => stroke),
      [COLOURS.ring],
    );
    const [{ height, lineWidth = 1 }] = painter.rects;
    assert.ok((height - lineWidth) / 2 >= 5.5, `${count} rows`); // from the text's middle to the top of its letters
    assert.ok(height + lineWidth <= 2 * (one.area.height / count), `${count} rows`);
    assert.ok(painter.rects.every((ring) => ring.y + ring.height / 2 === y));
  }
});

test("on stage 20 rows all have labels that fit", () => {
  const scene = drawing(20);
  /** @param {number | null} stageRoom */
  const labelled = (stageRoom) => {
    const laidOut = layOut(scene, { width: 720, windowHeight: 419, stageRoom }, measure);
    const painter = new RecordingPainter();
    const one = { ...laidOut, frame: clamped(laidOut, WHOLE) };
    drawCells(painter, one, IMAGES);
    return { one, rows: painter.texts.filter(({ align, x }) => align === "end" && x === one.area.left - GAP) };
  };
  const { one, rows } = labelled(318);
  assert.ok(one.height <= 318);
  assert.equal(rows.length, 20);
  assert.ok(rows.every(({ size = 0 }) => size >= 11 && size <= one.area.height / 20));
  assert.equal(noteUnder(one, { down: 1, across: 1 }), "");
  assert.ok(labelled(null).rows.every(({ size }) => size === 14));
});
