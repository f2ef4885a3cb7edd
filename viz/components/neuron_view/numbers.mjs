// @ts-check
// Numbers of the neuron view as text, and the formula with its numbers.
import { fixed } from "../shared/numbers.mjs";
import { biasOf } from "./maths.mjs";
/** @import { Attended, Head } from "./maths.mjs" */

/**
 * A number as people write it, with five characters at most before it becomes a thousand.
 * @param {number} value
 * @param {number} digits
 */
export function written(value, digits = Math.abs(value) < 99.995 ? 2 : 1) {
  if (value === -Infinity) return "−∞";
  return fixed(value, digits);
}

/**
 * A weight in three digits; one that rounds to 0 and is not 0 says so.
 * @param {number} weight
 */
export function weightText(weight) {
  return weight > 0 && weight < 0.0005 ? "< 0.001" : written(weight, 3);
}

/**
 * How a score is scaled, in the formula and in the step with numbers; both empty where it is not.
 * @param {number} scaling
 * @param {number} width
 */
export function scalingText(scaling, width) {
  if (scaling === 1) return { rule: "", step: "" };
  if (Math.abs(scaling * scaling * width - 1) < 1e-4) {
    return { rule: ` / √${width}`, step: ` / ${written(1 / scaling)}` };
  }
  const factor = ` × ${Number(scaling.toPrecision(3))}`;
  return { rule: factor, step: factor };
}

/**
 * The formula, and the steps from q · k to the weight with the numbers of one query and key in them.
 * @param {Head} head
 * @param {number} query
 * @param {number} key
 * @param {Attended} attended
 * @param {number | null} share the renormalised weight, where weights are
 */
export function formula(head, query, key, { dots, scores, weights }, share = null) {
  const { rule, step } = scalingText(head.scaling, head.width);
  const steps = [`q · k = ${written(dots[key])}`];
  if (step) steps.push(`${step.trim()} = ${written(dots[key] * head.scaling)}`);
  if (head.bias) {
    const bias = biasOf(head, query, key);
    const size = written(Math.abs(bias)).replace("Infinity", "∞");
    steps.push(`${bias < 0 ? "−" : "+"} bias ${size} = ${written(scores[key])}`);
  }
  steps.push(`softmax → ${weightText(weights[key])}`);
  if (share !== null) steps.push(`renormalised → ${weightText(share)}`);
  return { rule: `weight = softmax( q · k${rule}${head.bias ? " + bias" : ""} )`, numbers: steps };
}
