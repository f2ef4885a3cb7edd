import assert from "node:assert/strict";
import { test } from "node:test";

import { cutCells, cutsIn, nameOfCuts, offersOf, weightOfLink } from "../../../../viz/components/cell_map/cuts.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";

const SHOWN = "A2-1@0.4_B3-0_A2.3-1@5_A5-5";
const POSITIONS = [[0], [1], [2, 3], [4], [5], []]; // the last one is the sink's

test("the cut links of a run are those with its letter", () => {
  assert.deepEqual(cutsIn({ run: "A", shown: SHOWN }), [
    { query: [2], key: [1], layer: 0, head: 4 },
    { query: [2, 3], key: [1], layer: 5 },
    { query: [5], key: [5] },
  ]);
  assert.deepEqual(cutsIn({ run: "B", shown: SHOWN }), [{ query: [3], key: [0] }]);
  assert.deepEqual(cutsIn({ run: "A", shown: "" }), []);
});

test("cells are marked in the heads in which their link is cut", () => {
  const cuts = { run: "A", shown: SHOWN };
  assert.deepEqual(cutCells(cuts, POSITIONS, { layer: 5, head: 0 }), [
    [2, 1],
    [4, 4],
  ]);
  assert.deepEqual(cutCells(cuts, POSITIONS, { layer: 0, head: 3 }), [[4, 4]]);
});

test("a cell offers to cut its link here, in the layer, and everywhere, unless it is cut", () => {
  const cell = { query: [2], key: [1] };
  assert.deepEqual(offersOf({ run: "A", shown: "" }, cell, { layer: 0, head: 4 }), [
    { label: "here", cut: "A2-1@0.4" },
    { label: "in layer 0", cut: "A2-1@0" },
    { label: "everywhere", cut: "A2-1" },
  ]);
  const labels = offersOf({ run: "A", shown: SHOWN }, cell, { layer: 0, head: 4 }).map(({ label }) => label);
  assert.deepEqual(labels, ["in layer 0", "everywhere"]);
  assert.deepEqual(offersOf({ run: "A", shown: "A5-5" }, cell, { layer: 1, head: MEAN })[0], {
    label: "in layer 1",
    cut: "A5-5_A2-1@1",
  });
});

test("a weakened link says how much of it is left, and a cut replaces it", () => {
  const cell = { query: [2], key: [1] };
  const place = { layer: 0, head: 4 };
  const cuts = { run: "A", shown: "A5-5_A2-1@0.4x35" };
  assert.deepEqual(cutsIn(cuts)[1], { query: [2], key: [1], layer: 0, head: 4, percent: 35 });
  assert.equal(nameOfCuts(cuts), "cut or weakened");
  const weight = weightOfLink(cuts, cell, place);
  assert.deepEqual(
    [weight.percent, weight.cutAt(70), weight.cutAt(0), weight.cutAt(100)],
    [35, "A5-5_A2-1@0.4x70", "A5-5_A2-1@0.4", "A5-5"],
  );
  assert.equal(offersOf(cuts, cell, place)[0].cut, "A5-5_A2-1@0.4");
  assert.equal(weightOfLink({ run: "A", shown: "A2-1@0.4" }, cell, place).percent, 0);
  const ofLayer = weightOfLink({ run: "A", shown: "" }, cell, { layer: 3, head: MEAN });
  assert.deepEqual([ofLayer.percent, ofLayer.cutAt(5), ofLayer.cutAt(100)], [100, "A2-1@3x5", ""]);
});
