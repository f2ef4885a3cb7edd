import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Numbering,
  cellsOf,
  cornerOf,
  headAt,
  layerAt,
  layerLayout,
  layoutOf,
  movedHead,
  pooled,
  roomOnPage,
} from "../../../../viz/components/head_map/tiles.mjs";
import { keysOf, measuresOf, nameOf, tableOf } from "../../../../viz/components/head_map/words.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { LENGTHS, SHARES } from "../made_up.mjs";

const CHOSEN = { layer: 4, head: 5 };

test("a mean's cells are the mean of its layer's weights", () => {
  const thumbnails = { shape: [2, 2, 1, 2], values: Uint8Array.of(0, 0, 0, 0, 255, 0, 0, 255) };
  assert.deepEqual([...cellsOf(thumbnails, { layer: 1, head: 1 })], [0, 255]);
  assert.deepEqual([...cellsOf(thumbnails, { layer: 1, head: MEAN })], [180, 180]);
});

test("small pictures keep the largest weight", () => {
  /** @type {(cells: number[], rows: number, columns: number, size: number) => unknown} */
  const pool = (cells, rows, columns, size) => {
    const small = pooled(Uint8Array.from(cells), rows, columns, size);
    return [[...small.cells], small.rows, small.columns];
  };
  assert.deepEqual(pool([0, 1, 2, 3, 9, 5, 6, 7, 8], 3, 3, 2), [[9, 5, 7, 8], 2, 2]);
  assert.deepEqual(pool([1, 5, 2, 3, 4, 0], 2, 3, 2), [[5, 2, 4, 0], 2, 2]);
  assert.deepEqual(pool([7], 1, 1, 4), [[7], 1, 1]);
});

test("points hit tiles, rows and columns", () => {
  for (const large of [false, true]) {
    const layout = layoutOf(820, 6, 12, large);
    assert.ok(layout.width <= 820);
    for (const [layer, head] of [
      [0, 0],
      [5, 11],
      [2, 3],
    ]) {
      // prettier-ignore
      const [x, y] = [layout.left + layout.step * head + 1, layout.top + layout.step * layer + 1];
      assert.deepEqual(headAt(x, y, layout, 6, 12, CHOSEN), { layer, head });
      assert.deepEqual(headAt(x, layout.top - 1, layout, 6, 12, CHOSEN), { ...CHOSEN, head });
      assert.deepEqual(headAt(1, y, layout, 6, 12, CHOSEN), { ...CHOSEN, layer });
      assert.deepEqual(headAt(layout.mean + 1, y, layout, 6, 12, CHOSEN), { layer, head: MEAN });
    }
    assert.deepEqual(headAt(1, 1, layout, 6, 12, CHOSEN), { ...CHOSEN, head: MEAN });
    assert.equal(headAt(layout.width + 1, layout.top + 1, layout, 6, 12, CHOSEN), null);
    assert.equal(headAt(layout.left + 1, layout.height + 1, layout, 6, 12, CHOSEN), null);
  }
});

test("keys move the choice; the mean is before the first head", () => {
  /** @type {(key: string, layer: number, head: number) => unknown} */
  const moved = (key, layer, head) => movedHead(key, { layer, head }, 3, 4);
  assert.deepEqual(moved("ArrowUp", 0, 2), { layer: 0, head: 2 });
  assert.deepEqual(moved("ArrowDown", 0, 2), { layer: 1, head: 2 });
  assert.deepEqual(moved("ArrowLeft", 1, 2), { layer: 1, head: 1 });
  assert.deepEqual(moved("ArrowRight", 1, 3), { layer: 1, head: 3 });
  assert.deepEqual(moved("ArrowDown", 1, MEAN), { layer: 2, head: MEAN });
  assert.deepEqual(moved("ArrowLeft", 1, MEAN), { layer: 1, head: MEAN });
  assert.deepEqual(moved("ArrowLeft", 1, 0), { layer: 1, head: MEAN });
  assert.deepEqual(moved("End", 1, 0), { layer: 1, head: 3 });
  assert.deepEqual(moved("ArrowRight", 1, MEAN), { layer: 1, head: 0 });
  assert.equal(moved("Enter", 1, 1), null);
});

test("measures are bits or shares, and a mean has none", () => {
  const values = Float32Array.of(1.204, 0.041, 0.5, NaN);
  const profiles = { shape: [1, 2, 2], values };
  const names = ["entropy in bits", "to itself"];
  const measures = { profiles, names, numbering: new Numbering({ layers: 1, heads: 2 }) };
  assert.deepEqual(measuresOf(measures, { layer: 0, head: 0 }), [
    ["entropy in bits", "1.20"],
    ["to itself", "4%"],
  ]);
  assert.deepEqual(measuresOf(measures, { layer: 0, head: MEAN }), []);
  assert.equal(nameOf({ layer: 0, head: MEAN }), "L0, mean");
  const { header, rows } = tableOf(measures);
  assert.deepEqual(header, ["head", "entropy in bits", "to itself"]);
  assert.deepEqual(rows, [
    ["L0 H0", "1.20", "4%"],
    ["L0 H1", "0.50", "none"],
  ]);
  const part = { profiles, names, numbering: new Numbering({ layers: 1, heads: 2 }, { layers: [7], heads: [1] }) };
  assert.deepEqual(tableOf(part).rows, [["L7 H1", "0.50", "none"]]);
});

test("a map of some layers and heads calls them by their numbers", () => {
  const numbering = new Numbering({ layers: 2, heads: 12 }, { layers: [3, 5], heads: [0, 7] });
  assert.deepEqual(numbering.headAt({ layer: 1, head: 1 }), { layer: 5, head: 7 });
  assert.deepEqual(numbering.headAt({ layer: 0, head: MEAN }), { layer: 3, head: MEAN });
  assert.deepEqual(numbering.placeOf({ layer: 5, head: 7 }), { layer: 1, head: 1 });
  assert.deepEqual(numbering.placeOf({ layer: 3, head: MEAN }), { layer: 0, head: MEAN });
  assert.equal(numbering.placeOf({ layer: 4, head: 7 }), null);
  assert.equal(numbering.placeOf({ layer: 5, head: 1 }), null);
  assert.deepEqual(numbering.ends, { layer: 5, head: 7 });
});

test("the help names an existing head", () => {
  assert.match(keysOf({ layer: 1, head: 3 }), /type 3 for head 3, L1 for layer 1/);
});

test("layers without heads are side by side and can be hit", () => {
  for (const layers of [1, 2, 6, 12, 24]) {
    const layout = layerLayout(800, layers);
    assert.ok(layout.width <= 800);
    for (let layer = 0; layer < layers; layer += 1) {
      const [x, y] = cornerOf({ layer, head: MEAN }, layout);
      assert.ok(x + layout.side <= layout.width && y + layout.side <= layout.height);
      assert.equal(layerAt(x + 1, y + 1, layout, layers), layer);
      assert.equal(layerAt(x + 1, y - 1, layout, layers), layer);
    }
    assert.equal(layerAt(layout.width + 1, 30, layout, layers), null);
  }
  assert.ok(layerLayout(800, 12, 300).height <= 300);
});

test("a map without heads says so and measures the layer", () => {
  const profiles = { shape: [1, 1, 1], values: Float32Array.of(2.5) };
  const names = ["entropy in bits"];
  const measures = { profiles, names, numbering: new Numbering({ layers: 1, heads: 12 }), quantity: SHARES };
  assert.deepEqual(measuresOf(measures, { layer: 0, head: 7 }), [["entropy in bits", "2.50"]]);
  assert.deepEqual(tableOf(measures).rows, [["GlobEnc, input to L0", "2.50"]]);
  assert.match(keysOf({ layer: 5, head: 11 }, SHARES), /^GlobEnc does not tell heads apart\./);
});

test("lengths are measured for every head and for all together", () => {
  const profiles = { shape: [1, 3, 1], values: Float32Array.of(1, 2, 12.345) };
  const names = ["largest ‖α f(x)‖"];
  const measures = { profiles, names, numbering: new Numbering({ layers: 1, heads: 2 }), quantity: LENGTHS };
  assert.deepEqual(
    tableOf(measures).rows.map(([, value]) => value),
    ["1.00", "2.00", "12.3"],
  );
  const thumbnails = { shape: [1, 3, 1, 1], values: Uint8Array.of(1, 2, 3) };
  assert.deepEqual([...cellsOf(thumbnails, { layer: 0, head: MEAN }, LENGTHS)], [3]);
  assert.deepEqual([...cellsOf(thumbnails, { layer: 0, head: 0 }, LENGTHS)], [1]);
});

test("a map is as high as the window if its tiles stay readable, else as high as it is", () => {
  assert.equal(layoutOf(1392, 6, 12, true, roomOnPage(900, 6)).step, 88);
  assert.ok(layoutOf(1392, 6, 12, true, roomOnPage(850, 6)).height <= 850 - 345);
  assert.equal(roomOnPage(900, 12), null);
  assert.equal(layoutOf(1392, 12, 12, true, roomOnPage(900, 12)).step, 96);
});
