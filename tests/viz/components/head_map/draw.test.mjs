// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawMap } from "../../../../viz/components/head_map/draw.mjs";
import { GAP, Numbering, layerLayout, layoutOf } from "../../../../viz/components/head_map/tiles.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { Head } from "../../../../viz/components/shared/types.mjs" */

const [LAYERS, HEADS] = [3, 4];
const IMAGE = /** @type {HTMLCanvasElement} */ (/** @type {unknown} */ ({}));

/** @param {Head} chosen @param {number} width @param {Head | null} hovered */
function drawn(chosen, width = 820, hovered = null, pointed = /** @type {Head[]} */ ([])) {
  const layout = layoutOf(width, LAYERS, HEADS, true);
  const tiles = Array.from({ length: LAYERS * (HEADS + 1) }, (_, index) => {
    return { layer: Math.floor(index / (HEADS + 1)), head: (index % (HEADS + 1)) + MEAN, image: IMAGE };
  });
  const painter = new RecordingPainter();
  const style = { large: true, colours: COLOURS, muted: "#808080" };
  const numbering = new Numbering({ layers: LAYERS, heads: HEADS });
  drawMap(painter, { layout, tiles, numbering, chosen, hovered, pointed: numbering.placesOf(pointed), ...style });
  const frame = painter.rects.find(({ stroke }) => stroke === COLOURS.primary);
  return { layout, painter, frame };
}

test("every head and every mean has a tile, and layers and heads have numbers", () => {
  const { layout, painter, frame } = drawn({ layer: 1, head: 2 });
  assert.equal(painter.images.length, LAYERS * (HEADS + 1));
  assert.deepEqual(painter.written, ["mean", "0", "1", "2", "3", "0", "1", "2"]);
  const bold = painter.texts.filter(({ weight }) => weight === 700).map(({ text }) => text);
  assert.deepEqual(bold, ["2", "1"]);
  assert.equal(frame?.x, layout.left + 2 * layout.step - 1);
  assert.equal(frame?.width, layout.step - GAP + 2);
});

test("the mean stands before the first head, and the head that is pointed at has a frame of its own", () => {
  const { layout, painter, frame } = drawn({ layer: 1, head: MEAN }, 820, { layer: 0, head: 3 });
  assert.equal(frame?.x, layout.mean - 1);
  assert.equal(frame?.width, layout.side + 2);
  const pointed = painter.rects.find(({ stroke }) => stroke === COLOURS.text);
  assert.deepEqual([pointed?.x, pointed?.y], [layout.left + 3 * layout.step - 1, layout.top - 1]);
});

test("of small tiles every other one is numbered", () => {
  assert.deepEqual(drawn({ layer: 0, head: 0 }, 80).painter.written, ["mean", "0", "2", "0", "2"]);
});

test("a head that a tour points at is ringed, unless the model has none such", () => {
  const pointed = [
    { layer: 2, head: 1 },
    { layer: 9, head: 1 },
  ];
  const { layout, painter } = drawn({ layer: 1, head: 2 }, 820, null, pointed);
  const rings = painter.rects.filter(({ stroke }) => stroke === COLOURS.ring);
  assert.deepEqual(
    rings.map(({ x, width, y, height }) => [x + width / 2, y + height / 2]),
    [[layout.left + layout.step + layout.side / 2, layout.top + 2 * layout.step + layout.side / 2]],
  );
});

test("before an audience all layers fit into the height that there is", () => {
  const [page, stage] = [layoutOf(720, 12, 12, true), layoutOf(720, 12, 12, true, 300)];
  assert.ok(page.height > 300 && stage.height <= 300);
  assert.equal(layoutOf(720, 12, 12, true, 5000).step, page.step);
});

test("where heads are not told apart their place is greyed and says so, and layers keep theirs", () => {
  const layout = layoutOf(820, LAYERS, HEADS, false);
  const tiles = Array.from({ length: LAYERS }, (_, layer) => ({ layer, head: MEAN, image: IMAGE }));
  const chosen = { layer: 1, head: MEAN };
  const scene = { layout, tiles, numbering: new Numbering({ layers: LAYERS, heads: HEADS }), chosen, hovered: null };
  const style = { pointed: [], large: false, colours: COLOURS, muted: "#808080", whole: "layer", untold: "no heads" };
  const painter = new RecordingPainter();
  drawMap(painter, { ...scene, ...style });
  assert.deepEqual(painter.written, ["layer", "0", "1", "2", "no heads"]);
  assert.equal(painter.images.length, LAYERS);
  assert.ok(painter.rects.some(({ x, fill }) => x === layout.left && fill === "#808080"));
  const across = new RecordingPainter();
  drawMap(across, { ...scene, ...style, layout: layerLayout(820, LAYERS), fromInput: true });
  assert.deepEqual(across.written, ["input to L0", "input to L1", "input to L2"]);
});
