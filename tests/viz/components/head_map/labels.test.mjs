// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawMap, legendOf } from "../../../../viz/components/head_map/draw.mjs";
import { Numbering, layoutOf } from "../../../../viz/components/head_map/tiles.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { HeadLabels, Kind } from "../../../../viz/components/head_map/draw.mjs" */

const IMAGE = /** @type {HTMLCanvasElement} */ (/** @type {unknown} */ ({}));
const KINDS = { syntactic: "#0000ff", positional: "#ff8800", habit: "#808080" };
/** @param {string} word @param {Kind} kind */
const label = (word, kind) => ({ word, kind, title: `${word} in full` });
/** @type {HeadLabels} */
const LABELS = {
  "0.0": label("[CLS]", "habit"),
  0.1: label("prev.", "positional"),
  "1.0": label("obj→", "syntactic"),
  1.1: label("[CLS]", "habit"),
  1.2: label("prev.", "habit"),
};

/** @param {string} only @param {number} width @param {readonly number[]} layers @param {HeadLabels} of */
function drawn(only, width = 400, layers = [0, 1], of = LABELS) {
  const layout = layoutOf(width, layers.length, 3, true);
  const tiles = layers.flatMap((_, layer) => [0, 1, 2].map((head) => ({ layer, head, image: IMAGE })));
  const painter = new RecordingPainter();
  const numbering = new Numbering({ layers: layers.length, heads: 3 }, { layers });
  const scene = { layout, tiles, numbering, chosen: null, hovered: null, pointed: [], large: true, colours: COLOURS };
  drawMap(painter, {
    ...scene,
    muted: "#808080",
    labels: { of, only, kinds: KINDS, measure: (text) => 6 * text.length },
  });
  const words = painter.texts.filter(({ text }) => /[a-zA-Z]/.test(text)).map(({ text }) => text);
  return { words, faded: painter.rects.filter(({ alpha }) => alpha === 0.85).length };
}

test("the legend has every word once, syntactic ones first, and tells a habit from a positional head", () => {
  assert.deepEqual(
    legendOf(LABELS).map(({ word, kind, count }) => [word, kind, count]),
    [
      ["obj→", "syntactic", 1],
      ["prev.", "positional", 1],
      ["[CLS]", "habit", 2],
      ["prev.", "habit", 1],
    ],
  );
});

test("every head that has a word shows it, by its own number", () => {
  assert.deepEqual(drawn(""), { words: ["mean", "[CLS]", "prev.", "obj→", "[CLS]", "prev."], faded: 0 });
  assert.deepEqual(drawn("", 400, [1]).words, ["mean", "obj→", "[CLS]", "prev."]);
});

test("a word that is longer than its picture ends with an ellipsis within it", () => {
  const long = { ...LABELS, "0.0": label("nsubj:pass→ of a clause", "syntactic") };
  const [, word] = drawn("", 400, [0], long).words;
  const { side } = layoutOf(400, 1, 3, true);
  assert.match(word, /^nsubj.*…$/);
  assert.ok(6 * word.length <= side);
});

test("of one word the other heads fade, and pictures that are too small show none", () => {
  assert.deepEqual(drawn("habit [CLS]"), { words: ["mean", "[CLS]", "[CLS]"], faded: 4 });
  assert.deepEqual(drawn("", 160), { words: ["mean"], faded: 0 });
});
