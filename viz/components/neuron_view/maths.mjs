// What a head computes: everything that the neuron view shows follows from queries, keys, scaling and bias here.

/** A message as the view uses it; `query` and `key` are flat (T, K), `bias` is flat (T, T) or null, `limit` ends their colours. */
export function headOf({ tensors, extras }) {
  const [length, width] = tensors.query.shape;
  const { query, key, bias } = tensors;
  const limit = limitOf(query.values, key.values);
  return { ...extras, length, width, query: query.values, key: key.values, bias: bias?.values ?? null, limit };
}

/** softmax of scores; where nothing may be attended, nothing gets weight. */
export function softmax(scores) {
  const largest = scores.reduce((most, score) => Math.max(most, score), -Number.MAX_VALUE);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return total > 0 ? powers.map((power) => power / total) : powers;
}

/** The way of one query to its weights: products (T, K), and a dot product, score and weight for every key. */
export function attend(head, query) {
  const { length, width } = head;
  const products = new Float32Array(length * width);
  const dots = new Float64Array(length);
  for (let key = 0; key < length; key++) {
    for (let dimension = 0; dimension < width; dimension++) {
      const at = key * width + dimension;
      const product = head.query[query * width + dimension] * head.key[at];
      products[at] = product;
      dots[key] += product;
    }
  }
  const scores = dots.map((dot, key) => dot * head.scaling + biasOf(head, query, key));
  return { products, dots, scores, weights: softmax(scores) };
}

export function biasOf(head, query, key) {
  return head.bias ? head.bias[query * head.length + key] : 0;
}

const WITHIN = 0.98; // of all numbers: a few very large ones would make all others pale

/** The size that ends a colour scale on both sides: all but the largest 2 % lie within it; never 0. */
export function limitOf(...arrays) {
  const sizes = new Float32Array(arrays.reduce((sum, values) => sum + values.length, 0));
  let at = 0;
  for (const values of arrays) for (const value of values) sizes[at++] = Math.abs(value);
  sizes.sort();
  return sizes[Math.floor(WITHIN * (sizes.length - 1))] || sizes.at(-1) || 1;
}

/** Positions of the queries and keys that are to be shown. */
export function shownPositions({ length, special, b_start: start }, { hidden, sentences }) {
  const positions = Array.from({ length }, (_, position) => position).filter((at) => !(hidden && special[at]));
  if (sentences === "all" || start === null) return { queries: positions, keys: positions };
  const [from, to] = sentences.split("→");
  const of = (letter) => positions.filter((position) => position >= start === (letter === "B"));
  return { queries: of(from), keys: of(to) };
}

/** The pinned query where it is shown, else the first token that is not special. */
export function chosenQuery(queries, special, pinned) {
  if (queries.includes(pinned)) return pinned;
  return queries.find((position) => !special[position]) ?? queries[0];
}

/** Keys as the rows show them, by position or with the largest weight first. */
export function keyOrder(keys, weights, byWeight) {
  return byWeight ? [...keys].sort((one, other) => weights[other] - weights[one] || one - other) : keys;
}

export function strongest(keys, weights) {
  return keys.reduce((best, key) => (weights[key] > weights[best] ? key : best), keys[0]);
}

/** Dimensions of one key, those with the largest |product| first. */
export function dimensionsBySize(products, key, width) {
  const size = (dimension) => Math.abs(products[key * width + dimension]);
  return Array.from({ length: width }, (_, at) => at).sort((one, other) => size(other) - size(one) || one - other);
}

/** What is shown as a weight, and what the keys that are not shown hold of the softmax. */
export function shownWeights(weights, keys, special, renormalise) {
  const missing = Math.max(0, 1 - keys.reduce((sum, key) => sum + weights[key], 0));
  if (!renormalise) return { shares: weights, missing };
  const kept = weights.reduce((sum, weight, at) => sum + (special[at] ? 0 : weight), 0);
  return { shares: kept > 0 ? weights.map((weight) => weight / kept) : weights.map(() => 0), missing };
}

/** A number as people write it, with five characters at most before it becomes a thousand. */
export function written(value, digits = Math.abs(value) < 99.995 ? 2 : 1) {
  if (value === -Infinity) return "−∞";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A weight in three digits; one that is not nothing does not look like it. */
export function weightText(weight) {
  return weight > 0 && weight < 0.0005 ? "< 0.001" : written(weight, 3);
}

/** How a score is scaled: { rule, step } as text, both empty where it is not. */
export function scalingText(scaling, width) {
  if (scaling === 1) return { rule: "", step: "" };
  if (Math.abs(scaling * scaling * width - 1) < 1e-4)
    return { rule: ` / √${width}`, step: ` / ${written(1 / scaling)}` };
  const factor = ` × ${Number(scaling.toPrecision(3))}`;
  return { rule: factor, step: factor };
}

/** The formula, and the steps from q · k to the weight with the numbers of one query and key in them. */
export function formula(head, query, key, { dots, scores, weights }, share = null) {
  const { rule, step } = scalingText(head.scaling, head.width);
  const steps = [`q · k = ${written(dots[key])}`];
  if (step) steps.push(`${step.trim()} = ${written(dots[key] * head.scaling)}`);
  if (head.bias) {
    const bias = biasOf(head, query, key);
    steps.push(
      `${bias < 0 ? "−" : "+"} bias ${written(Math.abs(bias)).replace("Infinity", "∞")} = ${written(scores[key])}`,
    );
  }
  steps.push(`softmax → ${weightText(weights[key])}`);
  if (share !== null) steps.push(`renormalised → ${weightText(share)}`);
  return { rule: `weight = softmax( q · k${rule}${head.bias ? " + bias" : ""} )`, numbers: steps };
}
