// @ts-check
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
import {
  READABLE_CELL,
  WHOLE,
  Viewport,
  cellSize,
  clamped,
  placeOfCell,
} from "../../../../viz/components/cell_map/frame.mjs";
import { GAP } from "../../../../viz/components/cell_map/layout.mjs";
import { layOut, sceneOf } from "../../../../viz/components/cell_map/scene.mjs";
import { noteUnder } from "../../../../viz/components/cell_map/words.mjs";
import { NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { VIEW_DATA, attention, quantised } from "../made_up.mjs";
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
const CANVAS = /** @type {HTMLCanvasElement} */ (/** @type {unknown} */ ({}));
const IMAGES = { image: { canvas: CANVAS, pool: { across: 1, down: 1 }, rows: 1, columns: 1 }, scale: CANVAS };

/**
 * A text of so many tokens, of which the second half is sentence B.
 * @param {number} count
 * @param {SentenceFilter} sentences
 * @param {number | null} until
 * @param {ScaleChoice} scale
 * @returns {Drawing}
 */
function drawing(count, sentences = "all", until = null, scale = "auto") {
  const labels = Array.from({ length: count }, (_, position) => `t${position}`);
  const numbers = labels.map((_, position) => position);
  const units = { labels, special: labels.map(() => false), positions: numbers.map((number) => [number]), numbers };
  const letters = /** @type {[string, string]} */ (["A", "B"]);
  const tensors = { weights: { shape: [1, count, count], values: quantised(attention(1, count)) } };
  const message = { tensors, extras: { ...units, letters, id: "id", layer: 0, b_start: Math.floor(count / 2) } };
  const pins = { query: NOTHING, key: NOTHING, pinned_in: "A" };
  const selection = { layer: 0, head: 0, heads: "", ...pins, sentences, scale };
  const theme = { heads: [], sequential: SCALE, diverging: [], muted: "#808080" };
  const data = { ...VIEW_DATA, theme, place: "pair", until };
  const marks = { marks: /** @type {[number, number][]} */ ([[0, 1]]), marks_name: "a cell that is known" };
  const scene = sceneOf(message, { ...data, ...marks }, selection, COLOURS, null);
  const laidOut = layOut(scene, { width: 820, windowHeight: 900 }, (text) => 8 * text.length);
  return { ...laidOut, frame: clamped(laidOut, WHOLE) };
}

test("cells of a short text hold their numbers, with labels on both sides and a divide between sentences", () => {
  const [one, painter] = [drawing(8), new RecordingPainter()];
  drawCells(painter, one, IMAGES);
  const numbers = painter.written.filter((text) => /^[01]\.\d\d$/.test(text));
  assert.equal(numbers.length, 64);
  assert.equal(numbers[9], one.weights[9].toFixed(2));
  assert.equal(painter.written.filter((text) => text === "t3").length, 2);
  assert.equal(painter.strokes.length, 2);
  assert.ok(painter.written.includes("a cell that is known"));
  assert.equal(painter.images.length, 2);
});

test("narrow cells hold short numbers, and narrower ones none", () => {
  /** @param {number} count */
  const numbersOf = (count) => {
    const [one, painter] = [drawing(count), new RecordingPainter()];
    drawCells(painter, one, IMAGES);
    return { across: cellSize(one, one.frame).across, short: painter.written.filter((text) => /^\.\d\d$/.test(text)) };
  };
  const [narrow, narrower] = [numbersOf(24), numbersOf(40)];
  assert.ok(narrow.across < READABLE_CELL && narrow.short.length > 500);
  assert.deepEqual(narrower.short, []);
});

test("the legend has the weights that its colours stand for, and the cells the same numbers in every scale", () => {
  /** @param {ScaleChoice} scale */
  const written = (scale) => {
    const painter = new RecordingPainter();
    drawCells(painter, drawing(8, "all", null, scale), IMAGES);
    return painter.written;
  };
  const [linear, root, largest] = [written("linear"), written("root"), written("largest")];
  assert.ok(["attention weight", "0", "0.5", "1"].every((text) => linear.includes(text)));
  assert.ok(["attention weight (√)", "0", "0.05", "0.25", "0.5", "1"].every((text) => root.includes(text)));
  const most = String(Number(Math.max(...drawing(8).weights).toPrecision(3)));
  assert.ok(["attention weight", "0", most].every((text) => largest.includes(text)));
  /** @param {string[]} texts */
  const numbers = (texts) => texts.filter((text) => /^[01]\.\d\d$/.test(text)).slice(0, 64);
  assert.deepEqual([numbers(root), numbers(largest)], [numbers(linear), numbers(linear)]);
});

test("the colour bar stays clear of the columns' title in a narrow picture, and inside of every picture", () => {
  for (const width of [300, 332, 640, 1200]) {
    const [one, painter] = [{ ...drawing(8), width }, new RecordingPainter()];
    drawColourBar(painter, one, CANVAS, { colour: "#808080" });
    const [bar] = painter.images;
    assert.ok(bar.x - one.area.left >= 70 && bar.width > 80 && bar.x + bar.width < width);
  }
});

test("queries that do not exist yet have no numbers, and their labels are muted", () => {
  const [one, painter] = [drawing(8, "all", 5), new RecordingPainter()];
  drawCells(painter, one, IMAGES);
  assert.equal(painter.written.filter((text) => /^[01]\.\d\d$/.test(text)).length, 40);
  const colours = ["t4", "t5"].map((label) => painter.texts.find(({ text }) => text === label)?.colour);
  assert.deepEqual(colours, [COLOURS.text, "#808080"]);
});

test("a block has its own rows and columns, and no divide", () => {
  const [one, painter] = [drawing(8, "B→A"), new RecordingPainter()];
  drawCells(painter, one, IMAGES);
  assert.equal(painter.strokes.length, 0);
  assert.deepEqual(
    painter.written.filter((text) => /^t\d$/.test(text)),
    ["t4", "t5", "t6", "t7", "t0", "t1", "t2", "t3"],
  );
});

test("an enlarged picture shows which part is in view", () => {
  const whole = drawing(200);
  const [painter, enlarged] = [new RecordingPainter(), new RecordingPainter()];
  drawCells(painter, whole, IMAGES);
  drawCells(enlarged, { ...whole, frame: { zoom: 4, row: 20, column: 40 } }, IMAGES);
  /** @param {RecordingPainter} one */
  const bars = (one) => one.rects.filter(({ alpha }) => alpha === 0.6);
  assert.equal(bars(painter).length, 0);
  const [right, below] = bars(enlarged);
  assert.ok(Math.abs(right.height - whole.area.height / 4) < 1e-6);
  assert.ok(Math.abs(below.x - whole.area.left - (40 / 200) * whole.area.width) < 1e-6);
});

test("what is pointed at is outlined, with bold labels; what is not in the block is not", () => {
  const one = drawing(8, "A→B");
  const [painter, beside] = [new RecordingPainter(), new RecordingPainter()];
  drawCross(painter, one, { row: 1, column: 5 }, { colour: "#aa0000", width: 1 });
  assert.deepEqual(painter.written, ["t1", "t5"]);
  assert.ok(painter.texts.every(({ weight }) => weight === 700));
  assert.equal(painter.rects.filter(({ stroke }) => stroke === "#aa0000").length, 2);
  drawCross(beside, one, { row: 5, column: NOTHING }, { colour: "#aa0000", width: 1 });
  assert.deepEqual([beside.texts, beside.rects], [[], []]);
});

test("a box has the corners that it was dragged to", () => {
  const painter = new RecordingPainter();
  drawBox(painter, drawing(8), { x: 300, y: 200 }, { x: 250, y: 280 });
  const { x, y, width, height } = painter.rects[0];
  assert.deepEqual([x, y, width, height], [250, 200, 50, 80]);
});

test("labels that a bold one would touch are covered", () => {
  assert.deepEqual(labelsNear(32, 0, 64), [32, 32]);
  assert.equal(labelsNear(10, 0, 4).length, 3);
});

test("a view that is opened again shows the part that was last seen of its text", () => {
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

test("what a tour points at is ringed where it is in the block: cells, and the labels of tokens", () => {
  const one = drawing(8);
  /** @param {readonly Point[]} points */
  const rings = (points) => {
    const painter = new RecordingPainter();
    drawPoints(painter, one, points);
    return painter.rects.filter(({ stroke }) => stroke === COLOURS.ring);
  };
  const [cell] = rings([{ kind: "cell", run: "pair", query: [2], key: [5] }]);
  const middle = placeOfCell(one, one.frame, { row: 2, column: 5 });
  assert.deepEqual([cell.x + cell.width / 2, cell.y + cell.height / 2], [middle.x, middle.y]);
  const [label] = rings([{ kind: "token", run: "pair", token: [3] }]);
  assert.ok(label.x + label.width < one.area.left + 2);
  assert.equal(label.y + label.height / 2, placeOfCell(one, one.frame, { row: 3, column: 0 }).y);
  assert.equal(rings([{ kind: "cell", run: "pair", query: [1, 2], key: [5, 6] }]).length, 4);
  assert.deepEqual(rings([{ kind: "head", layer: 0, head: 0 }]), []);
  assert.deepEqual(rings([{ kind: "cell", run: "pair", query: [99], key: [5] }]), []);
});

test("a ring around a row's label leaves its text to be read", () => {
  for (const count of [8, 20, 30]) {
    const one = drawing(count);
    const painter = new RecordingPainter();
    drawPoints(painter, one, [{ kind: "token", run: "pair", token: [3] }]);
    const { y } = placeOfCell(one, one.frame, { row: 3, column: 0 });
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

test("before an audience every row of a text of 20 tokens has its label, lower where rows are", () => {
  const scene = drawing(20);
  /** @param {number | null} stageRoom */
  const labelled = (stageRoom) => {
    const laidOut = layOut(scene, { width: 720, windowHeight: 419, stageRoom }, (text) => 8 * text.length);
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

test("before an audience a picture has the height that there is, and no title", () => {
  const scene = drawing(8);
  const stageRoom = 260;
  const laidOut = layOut(scene, { width: 720, windowHeight: 419, stageRoom }, (text) => 8 * text.length);
  assert.ok(laidOut.height <= stageRoom && laidOut.height > stageRoom - 8);
  const painter = new RecordingPainter();
  drawCells(painter, { ...laidOut, frame: clamped(laidOut, WHOLE) }, IMAGES);
  assert.ok(painter.written.includes("key (to) →"));
  assert.ok(!painter.written.includes(scene.title) && !painter.written.includes("attention weight"));
});
