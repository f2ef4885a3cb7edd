// What answers need of hidden states, as `encoder/measures` and `encoder/shipped/probes.py` measure it.
import { unitsOf } from "./units.mjs";
/** @import { Floats } from "./encoder.mjs" */
/** @import { TextTokens } from "./tokens.mjs" */

/** The L2 norm of each vector. @param {Floats} vectors (T, D) @returns {number[]} */
function lengths(vectors) {
  return products(vectors, vectors).map(Math.sqrt);
}

/** The cosine of each vector and another; 0 where one is zero. @param {Floats} some (T, D) @param {Floats} others (T, D) */
function cosines(some, others) {
  const [first, second] = [products(some, some), products(others, others)];
  return products(some, others).map((product, index) => product / (Math.sqrt(first[index] * second[index]) || 1));
}

/** The cosine distance between each word's mean states in two runs. @param {Floats} one (T, D) @param {Floats} other @param {number[][]} words positions */
export function distancesOf(one, other, words) {
  return words.map((positions) => 1 - cosines(meanOf(one, positions), meanOf(other, positions))[0]);
}

/** @param {Floats} some (T, D) @param {Floats} others (T, D) */
function products({ shape: [count, width], values }, others) {
  return Array.from({ length: count }, (_, row) => {
    let sum = 0;
    for (let index = row * width; index < (row + 1) * width; index += 1) sum += values[index] * others.values[index];
    return sum;
  });
}

/**
 * A text's run.
 * @typedef {object} TextStates
 * @property {Pick<TextTokens, "units" | "words" | "types">} tokens
 * @property {Floats[]} states L + 1 hidden states, (T, D) each
 * @property {Floats} vectors (T, D) of the tokens in the table of words
 */

/** What the view of norms shows of a run. @param {TextStates} run */
export function normsIn({ tokens: { units, types }, states, vectors }) {
  return {
    labels: units.labels,
    types,
    words: lengths(vectors),
    norms: states.map(lengths),
    cosines: states.slice(1).map((state, layer) => cosines(states[layer], state)),
  };
}

/**
 * The longest word that two texts share, and what becomes of it in each; null if they share none.
 * @param {readonly TextStates[]} texts
 * @param {Float32Array | null} probes (L + 1, C, D) matrices, then (L + 1, C) biases
 */
export function sharedWord(texts, probes) {
  const [ofA, ofB] = texts.map(({ tokens }) => wordsIn(tokens));
  const shared = [...ofA.keys()].reverse().filter((word) => ofB?.has(word) && /^[^[]*[\p{L}\p{N}]/u.test(word));
  if (!shared.length) return null;
  const word = shared.reduce((longest, other) => (other.length > longest.length ? other : longest));
  const [a, b] = [ofA, ofB].map((words, index) =>
    texts[index].states.map((state) => meanOf(state, /** @type {number[]} */ (words.get(word)))),
  );
  const classes = probes && { A: probed(a, probes), B: probed(b, probes) };
  return { word, cosines: a.map((state, index) => cosines(state, b[index])[0]), classes };
}

/** The positions of each word's pieces where it appears first. @param {TextStates["tokens"]} tokens */
function wordsIn(tokens) {
  const { labels, positions } = unitsOf(tokens, "words", "hide");
  const words = labels.map((label, index) => /** @type {const} */ ([label.toLowerCase(), positions[index]]));
  return new Map(words.reverse());
}

/** (1, D) @param {Floats} states (T, D) @param {number[]} positions @returns {Floats} */
function meanOf({ shape: [, width], values }, positions) {
  const mean = new Float32Array(width);
  for (const position of positions) {
    for (let index = 0; index < width; index += 1) mean[index] += values[position * width + index] / positions.length;
  }
  return { shape: [1, width], values: mean };
}

/**
 * What a head predicts from pooled states: the probabilities of its classes, and a score from 0 to 1.
 * @typedef {{ states: [index: number, pooling: "cls" | "mean"][], weight: number[][], bias: number[] }} ReadingHead
 * @param {ReadingHead} head whose last row is the score @param {readonly Floats[]} states
 */
export function predictedBy({ states: pooled, weight, bias }, states) {
  const every = [...Array(states[0].shape[0]).keys()];
  const vector = pooled.flatMap(([index, by]) => [...meanOf(states[index], by === "cls" ? [0] : every).values]);
  const outputs = weight.map((row, index) => row.reduce((sum, each, axis) => sum + each * vector[axis], bias[index]));
  const score = 1 / (1 + Math.exp(-(outputs.pop() ?? 0)));
  return { probabilities: softmax(outputs), score };
}

/** @param {number[]} scores */
function softmax(scores) {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/** The probabilities of C classes from each of L + 1 states. @param {Floats[]} states (1, D) each @param {Float32Array} probes */
function probed(states, probes) {
  const width = states[0].values.length;
  const count = probes.length / (states.length * (width + 1));
  const biases = states.length * count * width;
  return states.map(({ values }, layer) => {
    const first = layer * count;
    return softmax(
      Array.from({ length: count }, (_, index) => {
        const start = (first + index) * width;
        return values.reduce((sum, value, axis) => sum + value * probes[start + axis], probes[biases + first + index]);
      }),
    );
  });
}
