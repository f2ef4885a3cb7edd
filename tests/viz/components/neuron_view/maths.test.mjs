import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CachedHead,
  attend,
  chosenQuery,
  dimensionsBySize,
  headOf,
  keyOrder,
  limitOf,
  shownPositions,
  shownWeights,
  strongest,
} from "../../../../viz/components/neuron_view/maths.mjs";
import { formula, scalingText, weightText, written } from "../../../../viz/components/neuron_view/scene.mjs";
import { assertAllClose, assertClose, randomNumbers } from "../made_up.mjs";
/** @import { SentenceFilter } from "../../../../viz/components/shared/types.mjs" */

const [LENGTH, WIDTH] = [6, 8];

/** A layer of two heads of random numbers. @param {Float32Array} [bias] */
function layer(bias) {
  const random = randomNumbers(2);
  const vectors = () => Float32Array.from({ length: 2 * LENGTH * WIDTH }, () => 4 * random() - 2);
  const shape = [2, LENGTH, WIDTH];
  const tensors = {
    query: { shape, values: vectors() },
    key: { shape, values: vectors() },
    scaling: { shape: [], values: Float32Array.of(WIDTH ** -0.5) },
    ...(bias && { bias: { shape: [2, LENGTH, LENGTH], values: Float32Array.from([...bias, ...bias]) } }),
  };
  const labels = ["[CLS]", "a", "b", "c", "d", "[SEP]"];
  const special = labels.map((label) => label.startsWith("["));
  const units = { id: "id", labels, special, positions: labels.map((_, position) => [position]), b_start: null };
  return { tensors, extras: { ...units, layer: 3 } };
}

/** The second of them. @param {Float32Array} [bias] */
const head = (bias) => headOf(layer(bias), 1);

test("weights are the softmax of the scaled dot products", () => {
  const { query, key, ...one } = head();
  const { products, dots, scores, weights } = attend({ ...one, query, key }, 2);
  const expected = Array.from({ length: LENGTH }, (_, other) => {
    return Array.from({ length: WIDTH }, (__, k) => query[2 * WIDTH + k] * key[other * WIDTH + k]);
  });
  const sums = expected.map((row) => row.reduce((sum, product) => sum + product, 0));
  assertAllClose(products, expected.flat(), 1e-6);
  assertAllClose(dots, sums, 1e-5);
  assertAllClose(scores, sums.map((sum) => sum / Math.sqrt(WIDTH)), 1e-5); // prettier-ignore
  const powers = sums.map((sum) => Math.exp(sum / Math.sqrt(WIDTH)));
  const total = powers.reduce((sum, power) => sum + power, 0);
  assertAllClose(weights, powers.map((power) => power / total), 1e-6); // prettier-ignore
});

test("of an excerpt, weights are shares of the whole text's attention", () => {
  const whole = layer();
  const within = { shape: [2, LENGTH], values: Float32Array.from({ length: 2 * LENGTH }, (_, query) => query / 20) };
  const one = headOf({ tensors: { ...whole.tensors, within }, extras: { ...whole.extras, first: 100, of: 700 } }, 1);
  const share = (LENGTH + 2) / 20; // of the second head's query 2
  assertAllClose(attend(one, 2).weights, [...attend(head(), 2).weights.map((weight) => share * weight)], 1e-6);
});

test("a key that may not be attended gets no weight", () => {
  const bias = Float32Array.from({ length: LENGTH * LENGTH }, (_, cell) => {
    return cell % LENGTH < Math.floor(cell / LENGTH) ? 0 : -Infinity; // a query attends the keys before it
  });
  const masked = head(bias);
  assert.deepEqual([...attend(masked, 0).weights], Array(LENGTH).fill(0));
  const half = attend(masked, 3).weights;
  assert.deepEqual([...half.subarray(3)], [0, 0, 0]);
  assertClose(
    half.reduce((sum, weight) => sum + weight, 0),
    1,
  );
  const { rule, numbers } = formula(masked, 3, 4, attend(masked, 3));
  assert.equal(rule, "weight = softmax( q · k / √8 + bias )");
  assert.deepEqual(numbers.slice(-2), ["− bias ∞ = −∞", "softmax → 0.000"]);
});

test("the formula has a step for each part and for renormalising", () => {
  const one = head();
  const { numbers } = formula(one, 1, 2, attend(one, 1), 0.25);
  assert.equal(numbers.length, 4);
  assert.match(numbers[0], /^q · k = −?\d\.\d\d$/);
  assert.match(numbers[1], /^\/ 2\.83 = −?\d\.\d\d$/);
  assert.equal(numbers[3], "renormalised → 0.250");
});

test("numbers are written as people write them", () => {
  const numbers = [-1.5, -0.001, -Infinity, 12.345].map((value) => written(value));
  assert.deepEqual(numbers, ["−1.50", "0.00", "−∞", "12.35"]);
  assert.deepEqual([0, 0.0001, 0.0005, 1].map(weightText), ["0.000", "< 0.001", "0.001", "1.000"]);
  assert.deepEqual(scalingText(1, 32), { rule: "", step: "" });
  assert.deepEqual(scalingText(32 ** -0.5, 32), { rule: " / √32", step: " / 5.66" });
  assert.deepEqual(scalingText(0.125, 32), { rule: " × 0.125", step: " × 0.125" });
});

test("hidden tokens and the other sentence are left out", () => {
  const text = { length: 5, special: [true, false, true, false, true], b_start: 3 };
  /** @type {(hidden: boolean, sentences: SentenceFilter) => unknown} */
  const shown = (hidden, sentences) => shownPositions(text, { hidden, sentences });
  assert.deepEqual(shown(false, "all"), { queries: [0, 1, 2, 3, 4], keys: [0, 1, 2, 3, 4] });
  assert.deepEqual(shown(true, "A→B"), { queries: [1], keys: [3] });
});

test("the query is the first preferred one that is shown, or the first word, or the first token", () => {
  const oneWord = [true, true, true, false];
  assert.deepEqual(
    [[1], [-1, 0], [2, 1], [4], []].map((preferred) => chosenQuery([0, 1, 3], oneWord, preferred)),
    [1, 0, 1, 3, 3],
  );
  assert.deepEqual(
    [[2], [-1]].map((preferred) => chosenQuery([0, 2], oneWord, preferred)),
    [2, 0],
  );
  assert.equal(chosenQuery([], oneWord, [0]), undefined);
});

test("keys and dimensions have an order", () => {
  assert.deepEqual(keyOrder([0, 2, 3], [0.1, 0.9, 0.5, 0.5], true), [2, 3, 0]);
  assert.deepEqual(keyOrder([0, 2, 3], [0.1, 0.9, 0.5, 0.5], false), [0, 2, 3]);
  assert.equal(strongest([0, 2, 3], [0.1, 0.9, 0.5, 0.5]), 2);
  assert.deepEqual(dimensionsBySize([9, 9, 9, 1, -3, 2], 1, 3), [1, 2, 0]);
});

test("weights of hidden tokens are missing or redistributed", () => {
  const weights = Float64Array.of(0.5, 0.25, 0.25);
  const { shares, missing } = shownWeights(weights, [1, 2], [true, false, false], true);
  assert.deepEqual([[...shares], missing], [[1, 0.5, 0.5], 0.5]);
  assert.deepEqual(shownWeights(weights, [1, 2], [true, false, false], false).shares, weights);
  const nothing = shownWeights(Float64Array.of(1, 0), [1], [true, false], true);
  assert.deepEqual([...nothing.shares], [0, 0]);
});

test("a few very large numbers do not end the colours", () => {
  assert.deepEqual([limitOf([0, 0]), limitOf([1, -4]), limitOf([-9, ...Array(100).fill(2)])], [1, 1, 2]);
});

test("a head is computed once as long as it is requested", () => {
  const { tensors, extras } = layer();
  const [message, heads] = [{ tensors, extras }, new CachedHead()];
  const first = heads.of(message, 1);
  assert.equal(heads.of(message, 1), first);
  assert.deepEqual(heads.of(message, 0).query, tensors.query.values.subarray(0, LENGTH * WIDTH));
  assert.notEqual(heads.of(message, 1), first);
  assert.notEqual(heads.of({ tensors, extras }, 1), first);
});
