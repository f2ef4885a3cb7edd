import assert from "node:assert/strict";
import { test } from "node:test";
import { drawMap, legendOf } from "../../../../viz/components/head_map/draw.mjs";
import { Numbering, layerLayout, layoutOf } from "../../../../viz/components/head_map/tiles.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { assertGolden, namedCanvas } from "../golden_svg.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { HeadLabels, Kind, MapScene } from "../../../../viz/components/head_map/draw.mjs" */

const [LAYERS, HEADS] = [2, 3];
const IMAGE = namedCanvas("tile");
/** @param {string} text */
const measure = (text) => 6 * text.length;
const KINDS = { syntactic: "#0000ff", positional: "#ff8800", habit: "#808080" };
/** @param {string} word @param {Kind} kind */
const label = (word, kind) => ({ word, kind, title: `${word} in full` });
/** @type {HeadLabels} */
const LABELS = {
  "0.0": label("[CLS]", "habit"),
  0.1: label("prev.", "positional"),
  "1.0": label("obj→", "syntactic"),
  1.1: label("[CLS]", "habit"),
  1.2: label("nsubj:pass→ of a clause", "syntactic"),
};

/** @param {Partial<MapScene>} options @returns {MapScene} */
function scene(options = {}) {
  const numbering = new Numbering({ layers: LAYERS, heads: HEADS });
  const tiles = Array.from({ length: LAYERS * (HEADS + 1) }, (_, index) => {
    return { layer: Math.floor(index / (HEADS + 1)), head: (index % (HEADS + 1)) + MEAN, image: IMAGE };
  });
  const layout = layoutOf(400, LAYERS, HEADS, true);
  const chosen = { layer: 1, head: 2 };
  const style = { large: true, colours: COLOURS, muted: "#808080" };
  return { layout, tiles, numbering, chosen, hovered: null, pointed: [], ...style, ...options };
}

const MEANS = [0, 1].map((layer) => ({ layer, head: MEAN, image: IMAGE }));
const NO_HEADS = { tiles: MEANS, chosen: { layer: 1, head: MEAN }, whole: "layer", noHeadsNote: "no heads" };
/** @type {[state: string, scene: MapScene][]} */
const STATES = [
  ["chosen-head", scene({ hovered: { layer: 0, head: 1 }, pointed: [{ layer: 1, head: 0 }] })],
  ["chosen-mean", scene({ chosen: { layer: 1, head: MEAN } })],
  ["small-tiles", scene({ layout: layoutOf(66, LAYERS, HEADS, true) })],
  ["without-heads", scene({ ...NO_HEADS, large: false, layout: layoutOf(400, LAYERS, HEADS, false) })],
  ["layers-side-by-side", scene({ ...NO_HEADS, fromInput: true, layout: layerLayout(400, LAYERS) })],
  ["labels", scene({ labels: { of: LABELS, only: "", kinds: KINDS, measure } })],
  ["one-label", scene({ labels: { of: LABELS, only: "[CLS]", kinds: KINDS, measure } })],
];

for (const [state, one] of STATES) {
  test(`the head map is rendered as recorded: ${state}`, () => {
    assertGolden(import.meta.url, state, one.layout, (painter) => drawMap(painter, one));
  });
}

test("tiles that are too small for a word show none", () => {
  const painter = new RecordingPainter();
  const labels = { of: LABELS, only: "", kinds: KINDS, measure };
  drawMap(painter, scene({ layout: layoutOf(160, LAYERS, HEADS, true), labels }));
  assert.ok(!painter.written.includes("obj→"));
});

test("the legend lists every word once, syntactic ones first", () => {
  assert.deepEqual(
    legendOf({ ...LABELS, 1.2: label("prev.", "habit") }).map(({ word, kind, count }) => [word, kind, count]),
    [
      ["obj→", "syntactic", 1],
      ["prev.", "positional", 2],
      ["[CLS]", "habit", 2],
    ],
  );
});

test("on stage all layers fit into the given height", () => {
  const [page, stage] = [layoutOf(720, 12, 12, true), layoutOf(720, 12, 12, true, 300)];
  assert.ok(page.height > 300 && stage.height <= 300);
  assert.equal(layoutOf(720, 12, 12, true, 5000).step, page.step);
});
