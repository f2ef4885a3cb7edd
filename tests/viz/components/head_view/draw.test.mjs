import assert from "node:assert/strict";
import { test } from "node:test";
import {
  StrokesInFrames,
  drawCuts,
  drawFrames,
  drawPoints,
  drawStrokes,
  drawTokens,
  drawWeights,
  lineAt,
  pickedStrokes,
  savedPicture,
  tokenStrokes,
} from "../../../../viz/components/head_view/draw.mjs";
import { HEADER, layoutOf } from "../../../../viz/components/head_view/layout.mjs";
import { pickedCells } from "../../../../viz/components/head_view/lines.mjs";
import { countOf, legendOf, sentenceOf, tableOf } from "../../../../viz/components/head_view/words.mjs";
import { WEIGHTS as WEIGHTS_QUANTITY, planeOf } from "../../../../viz/components/shared/quantity.mjs";
import { assertGolden } from "../golden_svg.mjs";
import { DIFFERENCES, LENGTHS, attention, quantised } from "../made_up.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { Ranges } from "../../../../viz/components/head_view/lines.mjs" */
/** @import { Scene } from "../../../../viz/components/head_view/scene.mjs" */

const LABELS = ["[CLS]", "time", "flies", "[SEP]", "fruit", "flies", "[SEP]"];
const SIZE = LABELS.length;
const [B_START, HEADS] = [4, 2];
const WEIGHTS = attention(HEADS, SIZE);
const HEAD_COLOURS = ["#aa0000", "#00aa00"];
/** @param {string} text */
const measure = (text) => 8 * text.length;

/** @param {number[]} heads that are drawn @param {string} rule @returns {Scene} */
function scene(heads, rule = "every") {
  const ranges = /** @type {Ranges} */ ([[0, SIZE], [0, SIZE]]); // prettier-ignore
  const tensor = { shape: [HEADS, SIZE, SIZE], values: quantised(WEIGHTS) };
  const planes = heads.map((head) => {
    const values = planeOf(tensor, head);
    return { head, colour: HEAD_COLOURS[head], values, picks: pickedCells(values, SIZE, ranges, rule) };
  });
  return {
    quantity: WEIGHTS_QUANTITY,
    ...{ count: HEADS, size: SIZE, planes, ranges, cuts: null, bStart: B_START, until: SIZE, fine: false, hair: 1 },
    layout: layoutOf({ width: 820, room: 560, ranges, bStart: B_START, heads: heads.length, widest: () => 40 }),
    drawn: planes.reduce((sum, { picks }) => sum + picks.cells.length, 0),
    labels: LABELS,
    special: LABELS.map((label) => label.startsWith("[")),
    positions: LABELS.map((_, position) => [position]),
    numbers: LABELS.map((_, position) => position),
    letters: ["A", "B"],
    title: "L0 H0",
    colours: { ...COLOURS, muted: "#808080", sentences: ["#0000aa", "#aa8800"] },
  };
}

/** @param {Scene} one */
const whole = (one) => ({ top: 0, height: one.layout.height });

test("a point on a line finds it, where others cross it too", () => {
  const one = scene([0]);
  const [left, right] = one.layout.lines;
  const [queries, keys] = one.layout.ys;
  const [t, bend] = [0.25, 0.42]; // of a Bézier curve
  const across = 3 * bend * t * (1 - t) ** 2 + 3 * (1 - bend) * t ** 2 * (1 - t) + t ** 3;
  const up = 3 * t ** 2 * (1 - t) + t ** 3;
  for (const cell of one.planes[0].picks.cells) {
    const [query, key] = [Math.floor(cell / SIZE), cell % SIZE];
    /** @param {number} share of the way across @param {number} risen */
    const at = (share, risen) => {
      const point = { x: left + share * (right - left), y: queries[query] + risen * (keys[key] - queries[query]) };
      return lineAt(one, whole(one), point, { side: 0, unit: query });
    };
    assert.deepEqual([at(0.5, 0.5), at(across, up)], Array(2).fill({ head: 0, query, key }));
    assert.equal(at(-0.1, 0), null);
  }
  const between = { x: (left + right) / 2, y: HEADER - 1 };
  assert.equal(lineAt(one, whole(one), between, null), null);
});

test("cut lines are dashed, and the legend says so", () => {
  const one = { ...scene([0]), cuts: { name: "cut", lines: [{ head: 0, query: 1, key: 2 }] } };
  const painter = new RecordingPainter();
  drawCuts(painter, one, whole(one));
  const [{ segments, dash }] = painter.strokes;
  const [left, right] = one.layout.lines;
  assert.deepEqual(segments, [left, one.layout.ys[0][1], right, one.layout.ys[1][2]]);
  assert.deepEqual(dash, [5, 4]);
  assert.match(legendOf(one), /^Dashed = cut\. .* Click a line to cut it\.$/);
});

test("a head's lines and tokens are rendered as recorded", () => {
  const one = scene([0]);
  assertGolden(import.meta.url, "one-head", one.layout, (painter) => {
    drawStrokes(painter, pickedStrokes(one, whole(one)), one, whole(one));
    drawTokens(painter, one, whole(one), measure);
  });
});

test("a long title replaces the names of the sides, as recorded", () => {
  const one = { ...scene([0]), title: "More in a model, ".repeat(10) };
  assertGolden(import.meta.url, "long-title", one.layout, (painter) => drawTokens(painter, one, whole(one), measure));
});

test("a focused token's lines, weights and frames are rendered as recorded", () => {
  const [one, token] = [scene([0, 1]), /** @type {const} */ ({ side: 1, unit: 2 })];
  assertGolden(import.meta.url, "focused-token", one.layout, (painter) => {
    drawStrokes(painter, tokenStrokes(one, whole(one), token), one, whole(one));
    drawWeights(painter, one, whole(one), token);
    drawFrames(painter, one, whole(one), [{ side: 0, unit: 1 }], token);
  });
});

test("a tour's cell is a line between two rings, as recorded", () => {
  const one = scene([0]);
  assertGolden(import.meta.url, "tour", one.layout, (painter) => {
    drawPoints(painter, one, whole(one), [
      { kind: "cell", run: "pair", query: [2], key: [5] },
      { kind: "token", run: "pair", token: [1] },
      { kind: "head", layer: 0, head: 0 },
    ]);
  });
});

test("every line has its place, and the strongest come first", () => {
  const [one, painter] = [scene([0]), new RecordingPainter()];
  assert.equal(drawStrokes(painter, pickedStrokes(one, whole(one)), one, whole(one)), false);
  const lines = painter.strokes.reduce((sum, { segments }) => sum + segments.length / 4, 0);
  assert.equal(lines, SIZE * SIZE);
  const alphas = painter.strokes.map(({ alpha }) => alpha ?? 1);
  assert.deepEqual(
    alphas,
    [...alphas].sort((first, second) => second - first),
  );
  const [x1, , x2] = painter.strokes[0].segments;
  assert.deepEqual([x1, x2], one.layout.lines);
});

test("lines outside of the part are skipped; a frame has a limit", () => {
  const [one, painter] = [scene([0, 1]), new RecordingPainter()];
  const part = { top: 0, height: one.layout.ys[0][2] }; // the first rows
  drawStrokes(painter, pickedStrokes(one, part), one, part);
  const lines = painter.strokes.reduce((sum, { segments }) => sum + segments.length / 4, 0);
  assert.ok(lines > 0 && lines < HEADS * SIZE * SIZE);
  const strokes = pickedStrokes(one, whole(one));
  assert.equal(drawStrokes(new RecordingPainter(), strokes, one, whole(one), 1), true);
});

test("lines are rendered over several frames, and newer ones cancel them", (context) => {
  /** @type {(() => void)[]} */
  const frames = [];
  const before = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (frame) => frames.push(() => frame(0));
  context.after(() => (globalThis.requestAnimationFrame = before));
  const one = scene([0, 1]);
  const all = new RecordingPainter();
  drawStrokes(all, pickedStrokes(one, whole(one)), one, whole(one));
  const [inFrames, first, second] = [new StrokesInFrames(1), new RecordingPainter(), new RecordingPainter()];
  inFrames.draw(first, pickedStrokes(one, whole(one)), one, whole(one));
  let count = 1;
  for (let frame = frames.shift(); frame; frame = frames.shift(), count++) frame();
  assert.deepEqual(first.strokes, all.strokes);
  assert.ok(count > 2, `${count} frames`);
  inFrames.draw(first, pickedStrokes(one, whole(one)), one, whole(one));
  const drawn = first.strokes.length;
  inFrames.draw(second, pickedStrokes(one, whole(one)), one, whole(one));
  while (frames.length) frames.shift()?.();
  assert.equal(first.strokes.length, drawn);
  assert.deepEqual(second.strokes, all.strokes);
});

test("a token's sentence names its strongest connections", () => {
  const [one, none] = [scene([0]), scene([])];
  const said = sentenceOf(one, { side: 0, unit: 2 });
  const best = LABELS.map((_, key) => WEIGHTS[2 * SIZE + key]);
  const first = best.indexOf(Math.max(...best));
  assert.ok(said.startsWith(`flies (2) looks at: ${LABELS[first]} (${first}) ${best[first].toFixed(2)}`));
  assert.match(sentenceOf(scene([0, 1]), { side: 1, unit: 5 }), /^flies \(5\) is looked at by \(mean over 2 heads\): /);
  assert.equal(sentenceOf(none, { side: 0, unit: 2 }), "flies (2): no head is chosen.");
  assert.equal(legendOf(none), "No head is chosen: click a number above.");
  assert.match(legendOf(one), /^Thicker line = more attention\. Hover over a word; click to keep it\.$/);
  assert.equal(countOf(one), "49 of 49 lines");
  assert.equal(countOf(none), "0 of 0 lines");
});

test("the table has the pinned token's weights, or strongest keys", () => {
  const one = scene([0, 1]);
  const pinned = tableOf(one, 0, { side: 1, unit: 2 });
  assert.equal(pinned.caption, "Weights to flies (2)");
  assert.deepEqual(pinned.header, ["From (query)", "L0 H0", "L0 H1"]);
  assert.equal(pinned.rows[3][0], "[SEP] (3)");
  assert.equal(pinned.rows[3][1], WEIGHTS[3 * SIZE + 2].toFixed(4));
  const all = tableOf(one, 0, undefined);
  assert.equal(all.rows.length, SIZE);
  assert.equal(all.rows[0][1].split(", ").length, 3);
});

test("a saved picture of too many lines is cut to the screen", () => {
  const one = scene([0]);
  const options = { layer: 0, focus: null, pinned: [], shown: { top: 0, height: 120 }, measure };
  const all = savedPicture(one, options);
  assert.deepEqual([all.name, all.height], ["attention-L0-H0", one.layout.height]);
  const cut = savedPicture(one, { ...options, most: 10 });
  assert.deepEqual([cut.name, cut.height], ["attention-L0-H0-part", 150]);
  const painter = new RecordingPainter();
  cut.draw(painter);
  assert.match(
    painter.written[painter.written.length - 1],
    /^Queries 0–\d of 7, keys 0–\d of 7: all 49 lines are too many/,
  );
});

test("lengths are written with their symbol and their own numbers", () => {
  const lengths = { ...scene([0]), quantity: LENGTHS };
  const own = sentenceOf(lengths, { side: 0, unit: 1 });
  assert.match(own, /^time \(1\) takes from \(‖α f\(x\)‖\): /);
  assert.match(legendOf(lengths), /^Thicker line = more ‖α f\(x\)‖, up to 8\.00\./);
  const { header, rows } = tableOf(lengths, 0, { side: 0, unit: 1 });
  assert.deepEqual(header, ["To (key)", "‖α f(x)‖, Value-weighted norms, L0 H0"]);
  const sum = rows.reduce((total, [, value]) => total + Number(value), 0);
  assert.ok(Math.abs(sum - 8) < 0.05, String(sum)); // a row of weights sums to 1
});

test("small differences have more digits; the legend has the largest", () => {
  const differences = { ...scene([0]), quantity: DIFFERENCES };
  assert.match(sentenceOf(differences, { side: 0, unit: 1 }), /^time \(1\) looks more at \(Δ\): \S+ \(\d+\) 0\.0\d\d/);
  assert.match(legendOf(differences), /^Thicker line = more Δ, up to 0\.0500\./);
});
