import assert from "node:assert/strict";
import { test } from "node:test";
import { drawMarked, drawRoutes } from "../../../../viz/components/routes/draw.mjs";
import {
  layoutOf,
  lineAt,
  linesOf,
  pinnedLine,
  placeOf,
  placeOfCount,
  roomOnPage,
  segmentsOf,
  stateAt,
  upstreamOf,
} from "../../../../viz/components/routes/scene.mjs";
import {
  keptSentence,
  lineSentence,
  tableOf,
  tokenSentence,
  undrawnNote,
} from "../../../../viz/components/routes/words.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { RoutesMessage } from "../../../../viz/components/routes/scene.mjs" */

const [LAYERS, HEADS, TOKENS] = [3, 2, 4];
/** @type {readonly [layer: number, head: number, query: number, key: number, value: number][]} */
const LINKS = [
  [2, 0, 0, 2, 0.4],
  [1, 1, 2, 1, 0.2],
  [0, 0, 2, 1, 0.15],
  [1, 0, 2, 1, 0.1],
  [0, 1, 3, 3, -0.3],
];

/** Three layers of "[CLS] fly ##ing .", by pieces or by words. @param {number[][]} positions @returns {RoutesMessage} */
function message(positions = [[0], [1], [2], [3]]) {
  const flat = LINKS.map(([layer, head, query, key]) => ((layer * HEADS + head) * TOKENS + query) * TOKENS + key);
  const labels = positions.map((own) => own.map((token) => ["[CLS]", "fly", "ing", "."][token]).join(""));
  return {
    tensors: {
      links: { shape: [5], values: Int32Array.from(flat) },
      values: { shape: [5], values: Float32Array.from(LINKS, (link) => link[4]) },
      weights: { shape: [5], values: Uint16Array.from(LINKS, () => Math.round(65535 * Math.sqrt(0.25))) },
    },
    extras: {
      ...{ id: "run", labels, special: labels.map((_, unit) => unit === 0), positions, b_start: null },
      ...{ shape: [LAYERS, HEADS, TOKENS], counts: [0, 1, 2, 4, 96], kept: [0.4, 0.5, 0.7, 0.855, 0.9] },
      ...{ opens: 4, total: 2, name: "“good”", unit: "probability", adds: "log odds", read: [0], state: 3 },
    },
  };
}

const LAYOUT = layoutOf(446, roomOnPage(900), 4, LAYERS, 40);

test("the kept links are lines, the strongest first", () => {
  const places = linesOf(message(), 4, false).map(({ layer, head, query, key }) => [layer, head, query, key]);
  assert.deepEqual(
    places,
    LINKS.slice(0, 4).map((link) => link.slice(0, 4)),
  );
  assert.equal(linesOf(message(), 0, false).length, 0);
  assert.equal(linesOf(message(), 96, false).length, 5);
  assert.ok(Math.abs(linesOf(message(), 1, false)[0].weight - 0.25) < 1e-4);
});

test("heads and the pieces of words are summed", () => {
  const summed = linesOf(message(), 4, true);
  assert.deepEqual(
    summed.map(({ layer, head, value, links }) => [layer, head, Number(value.toFixed(4)), links]),
    [
      [2, MEAN, 0.4, 1],
      [1, MEAN, 0.3, 2],
      [0, MEAN, 0.15, 1],
    ],
  );
  const words = linesOf(message([[0], [1, 2], [3]]), 4, false);
  assert.deepEqual(
    words.map(({ query, key }) => [query, key]),
    [
      [0, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  );
  assert.deepEqual(words[1].tokens, [2, 1]);
});

test("lines lead upstream through other lines and the residual stream", () => {
  const lines = linesOf(message(), 5, false);
  const layers = (/** @type {Iterable<{ layer: number, key: number }>} */ found) =>
    [...found].map(({ layer, key }) => `${layer}${key}`).sort();
  assert.deepEqual(layers(upstreamOf(lines, 3, 0)), ["01", "11", "11", "22"]);
  assert.deepEqual(layers(upstreamOf(lines, 1, 2)), ["01"]);
  assert.deepEqual(layers(upstreamOf(lines, 3, 3)), ["03"]);
  assert.deepEqual(layers(upstreamOf(lines, 0, 2)), []);
});

test("lines run from the key up to the query, those of the same tokens next to each other", () => {
  const lines = linesOf(message(), 5, false);
  const segments = segmentsOf(LAYOUT, lines);
  const [from, to] = [placeOf(LAYOUT, 2, 2), placeOf(LAYOUT, 3, 0)];
  assert.deepEqual(segments[0], [from.x, from.y, to.x, to.y]);
  assert.ok(to.y < from.y);
  const same = lines.flatMap(({ layer, query }, index) => (layer === 1 && query === 2 ? [segments[index][0]] : []));
  assert.equal(new Set(same).size, 2);
  const itself = segments[lines.findIndex(({ key }) => key === 3)];
  assert.notEqual(itself[0], placeOf(LAYOUT, 0, 3).x);
});

test("points hit lines, states, and columns below and above", () => {
  const lines = linesOf(message(), 5, false);
  const segments = segmentsOf(LAYOUT, lines);
  const [x1, y1, x2, y2] = segments[0];
  assert.equal(lineAt(lines, segments, (x1 + x2) / 2 + 1, (y1 + y2) / 2), lines[0]);
  assert.equal(lineAt(lines, segments, LAYOUT.width - 2, 40), null);
  const { x, y } = placeOf(LAYOUT, 1, 2);
  assert.deepEqual(stateAt(LAYOUT, 4, x + 2, y), { state: 1, unit: 2 });
  assert.equal(stateAt(LAYOUT, 4, x, y + LAYOUT.row / 2), null);
  assert.deepEqual(stateAt(LAYOUT, 4, x, LAYOUT.height - 4), { state: 3, unit: 2 });
  assert.deepEqual(stateAt(LAYOUT, 4, x, 4), { state: 3, unit: 2 });
  assert.equal(stateAt(LAYOUT, 4, 2, y), null);
});

test("labels turn where they do not fit, and rows share the room on stage", () => {
  assert.equal(LAYOUT.isTurned, false);
  const narrow = layoutOf(300, 200, 60, 12, 40);
  assert.equal(narrow.isTurned, true);
  assert.ok(narrow.width > 300);
  assert.ok(narrow.row < LAYOUT.row);
});

test("counts between known ones are the one below", () => {
  assert.deepEqual(
    [0, 3, 4, 200].map((count) => placeOfCount([0, 1, 2, 4, 96], count)),
    [0, 2, 3, 4],
  );
});

test("the selected head and tokens are a line", () => {
  const { extras } = message();
  const lines = linesOf(message(), 5, false);
  assert.equal(pinnedLine(lines, extras, { layer: 1, head: 0, query: 2, key: 1 }), lines[4]);
  assert.equal(pinnedLine(lines, extras, { layer: 1, head: 0, query: 2, key: -1 }), null);
  const summed = linesOf(message(), 5, true);
  assert.equal(pinnedLine(summed, extras, { layer: 1, head: 0, query: 2, key: 1 })?.links, 2);
});

test("lines are as wide as their share, coloured by their sign, and faint outside the focus", () => {
  const { extras } = message();
  const lines = linesOf(message(), 5, false);
  const colours = { ...COLOURS, muted: "#808080", lowers: "#ff8800", raises: "#0000ff" };
  const scene = { extras, layout: LAYOUT, lines, segments: segmentsOf(LAYOUT, lines), colours };
  const painter = new RecordingPainter();
  const measure = (/** @type {string} */ text) => 6 * text.length;
  drawRoutes(painter, scene, measure, new Set([lines[0]]));
  const drawn = painter.strokes.slice(1).reverse();
  assert.deepEqual(
    drawn.map(({ colour }) => colour),
    lines.map(({ value }) => (value < 0 ? "#ff8800" : "#0000ff")),
  );
  assert.ok(Math.abs((drawn[2].width ?? 0) / (drawn[0].width ?? 0) - 0.5) < 1e-6);
  assert.ok((drawn[0].alpha ?? 1) > 0.9 && (drawn[1].alpha ?? 1) < 0.1);
  assert.ok(painter.texts.some(({ text }) => text === "“good”"));
  assert.deepEqual(painter.rects.filter(({ stroke }) => stroke).length, 1);
  const turned = new RecordingPainter();
  drawRoutes(turned, { ...scene, layout: { ...LAYOUT, isTurned: true }, lines: [], segments: [] }, measure, null);
  assert.ok(turned.texts.some(({ text }) => text === "fly"));
  const nowhere = new RecordingPainter();
  drawRoutes(nowhere, { ...scene, extras: { ...extras, read: [] } }, measure, null);
  assert.ok(!nowhere.texts.some(({ text }) => text === "“good”"));
  const marked = new RecordingPainter();
  drawMarked(marked, scene, lines[1]);
  drawMarked(marked, scene, { ...lines[1] });
  assert.deepEqual([marked.strokes.length, marked.rects.length], [1, 2]);
});

test("sentences have exact points and the unit", () => {
  const { extras } = message();
  assert.equal(keptSentence(extras, 3, null), "4 of 96 links kept: “good” 86 % (90 % with all)");
  assert.equal(
    keptSentence(extras, 3, [0.9, 0.6, 0.3, 0.05, 0.4]),
    "4 of 96 links kept: “good” 86 % (90 % with all, 5 % without these)",
  );
  assert.equal(keptSentence(extras, 4, null), "96 of 96 links kept: “good” 90 %");
  assert.equal(
    keptSentence({ ...extras, unit: "score" }, 0, null),
    "0 of 96 links kept: “good” 0.400 (0.900 with all)",
  );
  assert.equal(undrawnNote(5000, 1024), "The strongest 1,024 of them are drawn.");
  assert.equal(undrawnNote(5, 5), "");
  const [first, lowers] = linesOf(message(), 5, false);
  assert.equal(
    lineSentence(extras, first),
    "In layer 2, head 0, “[CLS]” (0) looks at “ing” (2) (weight 0.250): raises “good” by +0.40 log odds, 20 % of all " +
      "contributions.",
  );
  assert.match(lineSentence(extras, lowers), /lowers “good” by −0.30 log odds, 15 %/);
  assert.match(lineSentence(extras, linesOf(message(), 4, true)[1]), /In layer 1, all heads, .*\(2 links\)/);
  assert.equal(tokenSentence(extras, 1, []), "“fly” (1): no kept link leads here.");
  assert.equal(tokenSentence(extras, 0, [first]), "“[CLS]” (0): 1 line leads here, together +0.40 log odds.");
  assert.match(tokenSentence(extras, 0, [first, lowers]), /2 lines lead here, together \+0.10/);
  const table = tableOf(extras, linesOf(message(), 4, true));
  assert.deepEqual(table.rows[0], ["“[CLS]” (0)", "“ing” (2)", "2", "all", "1", "0.2500", "+0.40"]);
  assert.equal(table.rows[1][5], "");
});
