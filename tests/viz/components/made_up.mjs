// Reproducible weights for tests, and comparisons of rounded numbers.
import assert from "node:assert/strict";

/** A linear congruential generator of numbers in [0, 1), as in Numerical Recipes. @param {number} seed */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Rows of (H, U, U) random weights that sum to 1; most are small, as in attention.
 * @param {number} heads @param {number} units
 */
export function attention(heads, units) {
  const random = randomNumbers(1);
  const weights = new Float64Array(heads * units * units);
  for (let start = 0; start < weights.length; start += units) {
    const scores = Array.from({ length: units }, () => Math.exp(8 * random()));
    const total = scores.reduce((sum, score) => sum + score, 0);
    weights.set(
      scores.map((score) => score / total),
      start,
    );
  }
  return weights;
}

/** Weights as Python sends them: round(65535 · √w). @param {ArrayLike<number>} weights */
export function quantised(weights) {
  return Uint16Array.from(weights, (weight) => Math.round(65535 * Math.sqrt(weight)));
}

/** @param {number} actual @param {number} expected @param {number} tolerance */
export function assertClose(actual, expected, tolerance = 1e-6 * Math.max(1, Math.abs(expected))) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} to ${tolerance}`);
}

/** @param {ArrayLike<number>} actual @param {ArrayLike<number>} expected @param {number} [tolerance] */
export function assertAllClose(actual, expected, tolerance) {
  assert.equal(actual.length, expected.length);
  for (let index = 0; index < expected.length; index++) assertClose(actual[index], expected[index], tolerance);
}

/**
 * Indices of all values that satisfy a condition.
 * @param {ArrayLike<number>} values @param {(value: number) => boolean} holds
 */
export function indicesWhere(values, holds) {
  return Array.from(values, (value, index) => (holds(value) ? index : -1)).filter((index) => index >= 0);
}

/** The data of a view of the run "id", without colours. */
export const VIEW_DATA = {
  scope: /** @type {const} */ ("encoder"),
  theme: { heads: [], sequential: [], diverging: [], muted: "#808080" },
  ...{ id: "id", place: "pair", layers: 6, texts: ["A", "B"] },
  special: /** @type {const} */ ("show"),
};

/** The selection before any change. */
export const SELECTION = {
  ...{ layer: 0, head: 4, heads: "", query: -1, key: -1, pinned_in: "A" },
  sentences: /** @type {const} */ ("all"),
  scale: /** @type {const} */ ("auto"),
};

/** A tab's storage with a limited number of characters. */
export function storage(room = Infinity) {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    /** @param {string} name */
    getItem: (name) => kept.get(name) ?? null,
    /** @param {string} name @param {string} text */
    setItem: (name, text) => {
      if (text.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(name, text);
    },
    /** @param {string} name */
    removeItem: (name) => void kept.delete(name),
  };
}

/** Shares from the input, without heads. */
export const SHARES = {
  ...{ name: "GlobEnc", symbol: "GlobEnc share", unit: /** @type {const} */ ("share"), from_input: true },
  ...{ largest: 1, heads: 0, model_heads: 12 },
};

/** Lengths of two heads and of both together. */
export const LENGTHS = {
  ...{ name: "Value-weighted norms", symbol: "‖α f(x)‖", unit: /** @type {const} */ ("norm"), from_input: false },
  ...{ largest: 8, heads: 2, model_heads: 2 },
};

/** Differences of attention between two runs, by three heads. */
export const DIFFERENCES = {
  ...{ name: "More in B", symbol: "Δ", unit: /** @type {const} */ ("difference"), from_input: false },
  ...{ largest: 0.05, heads: 3, model_heads: 3 },
};
