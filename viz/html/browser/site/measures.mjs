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
 * What is chosen of the word of the lens: its place in A and in B, -1 for none, the shared word to prefer, and the
 * lemmas of words.
 * @typedef {{ at: number[], preferred: string, lemmas: Map<string, string> }} Choice
 */

/**
 * The word that was chosen, and the text that lacks it, or the longest that two texts share, and what becomes of it in each; null if they share none.
 * @param {readonly TextStates[]} texts
 * @param {Float32Array | null} probes (L + 1, C, D) matrices, then (L + 1, C) biases
 * @param {Choice} choice
 */
export function sharedWord(texts, probes, { at, preferred, lemmas }) {
  const [ofA, ofB] = texts.map(({ tokens }) => wordsIn(tokens, lemmas));
  if (!ofB) return null;
  const exact = ofA.filter(({ form, isShared }) => isShared && ofB.some((other) => other.form === form));
  const shared = exact.length ? exact : ofA.filter((word) => word.isShared && placeOf(word, ofB) >= 0);
  const longest = shared.reduce((one, other) => (other.form.length > one.form.length ? other : one), shared[0]);
  const chosen = ofA[at[0]] ?? ofB[at[1]] ?? exact.find(({ form }) => form === preferred) ?? longest;
  if (!chosen) return null;
  const places = [ofA, ofB].map((words, text) => (words[at[text]] ? at[text] : placeOf(chosen, words)));
  const absentIn = "AB"[places.indexOf(-1)] ?? "";
  const words = absentIn ? [chosen, chosen] : [ofA[places[0]], ofB[places[1]]];
  const [a, b] = words.map(({ positions }, text) => texts[text].states.map((state) => meanOf(state, positions)));
  const classes = probes && { A: probed(a, probes), B: probed(b, probes) };
  const measured = { cosines: a.map((state, index) => cosines(state, b[index])[0]), classes };
  return { places, absentIn, words: words.map(({ label }) => label), ...measured };
}

/** Where a word is in a text in the same form, or else in another inflection; -1 if nowhere. @param {Word} word @param {Word[]} words */
function placeOf({ form, lemma }, words) {
  const exact = words.findIndex((each) => each.form === form);
  return exact < 0 ? words.findIndex((each) => each.lemma === lemma) : exact;
}

/**
 * The words of a text; a word is shared if it has a letter and is no token of the model's such as [MASK].
 * @typedef {ReturnType<typeof wordsIn>[number]} Word
 * @param {TextStates["tokens"]} tokens @param {Map<string, string>} lemmas
 */
function wordsIn(tokens, lemmas) {
  const { labels, positions } = unitsOf(tokens, "words", "hide");
  return labels.map((label, index) => {
    const form = label.toLowerCase();
    const isShared = /^[^[]*[\p{L}\p{N}]/u.test(form);
    return { label, form, lemma: lemmas.get(form) ?? form, isShared, positions: positions[index] };
  });
}

/** The likeliest class of each word after the last layer, by its index. @param {TextStates} text @param {Float32Array} probes */
export function classesIn({ tokens, states }, probes) {
  const last = states.length - 1;
  return unitsOf(tokens, "words", "hide").positions.map((positions) => {
    const found = probedIn(meanOf(states[last], positions), probes, last, states.length);
    return found.indexOf(Math.max(...found));
  });
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
  return states.map((state, index) => probedIn(state, probes, index, states.length));
}

/** The same from one of so many states. @param {Floats} state (1, D) @param {Float32Array} probes @param {number} index @param {number} count */
function probedIn({ values }, probes, index, count) {
  const width = values.length;
  const classes = probes.length / (count * (width + 1));
  const biases = count * classes * width;
  return softmax(
    Array.from({ length: classes }, (_, each) => {
      const row = index * classes + each;
      return values.reduce((sum, value, axis) => sum + value * probes[row * width + axis], probes[biases + row]);
    }),
  );
}
