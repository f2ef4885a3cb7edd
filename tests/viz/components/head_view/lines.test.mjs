import assert from "node:assert/strict";
import { test } from "node:test";
import { largest, linesOfToken, meanWeights, pickedCells } from "../../../../viz/components/head_view/lines.mjs";
import {
  RULES,
  drawnHeads,
  ruleName,
  shownHeads,
  toggled,
  usualRule,
} from "../../../../viz/components/head_view/lines.mjs";
import { planeOf } from "../../../../viz/components/shared/quantity.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { DIFFERENCES, LENGTHS, SHARES, assertAllClose, attention, indicesWhere, quantised } from "../made_up.mjs";
/** @import { Ranges } from "../../../../viz/components/head_view/lines.mjs" */

const [HEADS, SIZE] = [4, 13];
const WEIGHTS = attention(HEADS, SIZE);
const CELLS = SIZE * SIZE;
/** @type {Ranges} */
const ALL = [
  [0, SIZE],
  [0, SIZE],
];

/** @param {number} head */
const weightsOf = (head) => WEIGHTS.subarray(head * CELLS, (head + 1) * CELLS);
/** @type {(one: number, other: number) => number} */
const ascending = (one, other) => one - other;

for (const least of ["0.01", "0.02", "0.05", "0.1"]) {
  test(`cells of at least ${least} are drawn, the strongest first`, () => {
    const weights = weightsOf(0);
    const { cells, starts } = pickedCells(quantised(weights), SIZE, ALL, least);
    assert.deepEqual(
      [...cells].sort(ascending),
      indicesWhere(weights, (weight) => weight >= Number(least)),
    );
    const buckets = Array.from(cells, (cell) => Math.floor((Math.sqrt(weights[cell]) * 65535) / 2048));
    assert.deepEqual(
      buckets,
      [...buckets].sort((one, other) => other - one),
    );
    assert.deepEqual([starts[0], starts[starts.length - 1], starts.length], [0, cells.length, 33]);
  });
}

test("every line of a range is drawn", () => {
  const { cells } = pickedCells(quantised(weightsOf(0)), SIZE, [[0, 7], [7, 13]], "every"); // prettier-ignore
  const expected = indicesWhere(weightsOf(0), () => true).filter((cell) => cell < 7 * SIZE && cell % SIZE >= 7);
  assert.deepEqual([...cells].sort(ascending), expected);
});

for (const count of [1, 4, 8]) {
  test(`the ${count} strongest cells of each row are drawn`, () => {
    const weights = weightsOf(1);
    const { cells } = pickedCells(quantised(weights), SIZE, ALL, `top ${count}`);
    const expected = [];
    for (let row = 0; row < SIZE; row++) {
      const columns = Array.from({ length: SIZE }, (_, column) => row * SIZE + column);
      expected.push(...columns.sort((one, other) => weights[other] - weights[one]).slice(0, count));
    }
    assert.deepEqual([...cells].sort(ascending), expected.sort(ascending));
  });
}

test("equal weights obey the limit of the rule; zeros have no line", () => {
  const three = /** @type {Ranges} */ ([[0, 3], [0, 3]]); // prettier-ignore
  const { cells } = pickedCells(new Uint16Array(9).fill(9000), 3, three, "top 1");
  assert.deepEqual([...cells].sort(ascending), [0, 3, 6]);
  assert.equal(pickedCells(new Uint16Array(9), 3, three, "top 1").cells.length, 0);
});

test("the mean plane is the mean of the weights", () => {
  const plane = planeOf({ shape: [HEADS, SIZE, SIZE], values: quantised(WEIGHTS) }, MEAN);
  const mean = Float64Array.from({ length: CELLS }, (_, cell) => {
    return [0, 1, 2, 3].reduce((sum, head) => sum + weightsOf(head)[cell] / HEADS, 0);
  });
  assertAllClose(
    Float64Array.from(plane, (value) => (value / 65535) ** 2),
    mean,
    4e-5,
  );
});

test("a selection shows its heads", () => {
  /** @type {(head: number, heads: string) => number[]} */
  const shown = (head, heads) => shownHeads({ head, heads }, 4);
  assert.deepEqual(shown(2, ""), [2]);
  assert.deepEqual(shown(2, "all"), [0, 1, 2, 3]);
  assert.deepEqual(shown(2, "none"), []);
  assert.deepEqual(shown(2, "0.3.9"), [0, 3]);
  assert.deepEqual(shown(MEAN, ""), [MEAN]);
});

test("toggling adds or removes a head; a single one becomes the page's", () => {
  assert.deepEqual(toggled([2], 0, 4), { heads: "0.2" });
  assert.deepEqual(toggled([0, 2], 0, 4), { head: 2, heads: "" });
  assert.deepEqual(toggled([2], 2, 4), { heads: "none" });
  assert.deepEqual(toggled([0, 1, 2], 3, 4), { heads: "all" });
  assert.deepEqual(toggled([MEAN], 3, 4), { head: 3, heads: "" });
});

test("long texts have fewer lines by default", () => {
  assert.deepEqual([usualRule(64), usualRule(65)], ["0.01", "top 4"]);
  assert.equal(usualRule(13, LENGTHS), "top 4");
  assert.ok(RULES.includes(usualRule(64)) && RULES.includes(usualRule(65)));
});

test("rules are named after what the lines are", () => {
  assert.equal(ruleName("0.05"), "weights ≥ 0.05");
  assert.equal(ruleName("0.05", SHARES), "shares ≥ 0.05");
  assert.equal(ruleName("0.05", LENGTHS), "≥ 0.05 of the largest");
  assert.equal(ruleName("0.05", DIFFERENCES), "≥ 0.05 of the largest");
  assert.equal(ruleName("top 4", LENGTHS), "top 4 per row");
});

test("the layer's plane is used if heads are not separated", () => {
  assert.deepEqual(drawnHeads({ head: 3, heads: "all" }, 1, SHARES), [MEAN]);
  assert.deepEqual(drawnHeads({ head: 1, heads: "" }, 3, LENGTHS), [1]);
  assert.deepEqual(drawnHeads({ head: 1, heads: "all" }, 3, LENGTHS), [0, 1]);
  const tensor = { shape: [3, 1, 1], values: Uint16Array.of(10, 20, 30) };
  assert.deepEqual([...planeOf(tensor, MEAN, LENGTHS)], [30]);
  assert.deepEqual([...planeOf(tensor, 1, LENGTHS)], [20]);
  assert.deepEqual([...planeOf({ shape: [1, 1, 1], values: Uint16Array.of(7) }, 5, SHARES)], [7]);
});

test("a token's weights are the mean over heads, largest first", () => {
  const planes = [0, 1].map((head) => quantised(weightsOf(head)));
  const given = meanWeights(planes, SIZE, 0, 5, [7, 13]);
  const means = Float64Array.from({ length: 6 }, (_, index) => {
    return (weightsOf(0)[5 * SIZE + 7 + index] + weightsOf(1)[5 * SIZE + 7 + index]) / 2;
  });
  assertAllClose(given, means, 4e-5);
  assertAllClose(meanWeights(planes, SIZE, 1, 5, [0, 1]), [(weightsOf(0)[5] + weightsOf(1)[5]) / 2], 4e-5);
  assert.deepEqual(largest(Float64Array.of(0.2, 0, 0.5), 5, 7), [
    { unit: 9, weight: 0.5 },
    { unit: 7, weight: 0.2 },
  ]);
});

test("a token's lines of all heads come strongest first", () => {
  const planes = [
    { head: 3, values: Uint16Array.of(9, 1, 0, 4) },
    { head: 5, values: Uint16Array.of(0, 7, 0, 2) },
  ];
  const named = linesOfToken(planes, 2, 1, 1, [0, 2]).map(({ head, query, key }) => [head, query, key]);
  assert.deepEqual(named, [[5, 0, 1], [3, 1, 1], [5, 1, 1], [3, 0, 1]]); // prettier-ignore
});
