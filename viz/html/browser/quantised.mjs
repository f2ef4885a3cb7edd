// Reads the messages of a page, which `viz/html/quantised.py` writes: deflated, as text, and some arrays with fewer
// digits. The views get what the app would send them.
import { messagesIn } from "../../components/shared/message.mjs";
import { inflated } from "./text_bytes.mjs";
/** @import { Message, Tensor } from "../../components/shared/types.mjs" */
/** @import { Tensors } from "../../components/shared/message.mjs" */

/**
 * How an array was packed: as weights of so many steps from 0 to 1, or as shares of the largest number of each of the
 * last axis's columns, which another array holds, with so many steps on either side of 0.
 * @typedef {{ steps: number, largest?: string }} Packing
 * @typedef {Message<Tensors, { packed?: Record<string, Packing>, layers?: number[] }>} PackedMessage
 */

const ROOT_STEPS = 65535; // of the views' weights, round(65535 · √w)

/** A message of the page. @param {string} text */
export async function readMessage(text) {
  return messagesIn(await inflated(text), unpacked);
}

/** A message with its packed arrays as the views read them. @param {PackedMessage} message */
export function unpacked({ tensors, extras: { packed = {}, ...extras } }) {
  const whole = { ...tensors };
  for (const [name, packing] of Object.entries(packed)) {
    const planes = /** @type {Tensor<Uint8Array>} */ (tensors[name]);
    const { steps, largest } = packing;
    if (largest === undefined) {
      whole[name] = rootsOf(planes, steps);
    } else {
      whole[name] = numbersOf(planes, /** @type {Tensor<Float32Array>} */ (tensors[largest]), steps);
      delete whole[largest];
    }
  }
  return { tensors: whole, extras };
}

/**
 * A number of 16 bits from an array whose high bytes all precede its low bytes.
 * @param {Uint8Array} planes @param {number} index
 */
function numberAt(planes, index) {
  return planes[index] * 256 + planes[planes.length / 2 + index];
}

/**
 * Weights as the views read them.
 * @param {Tensor<Uint8Array>} planes (2, …) of round(steps · w)
 * @param {number} steps
 * @returns (…) of round(65535 · √w)
 */
function rootsOf({ shape, values }, steps) {
  const roots = Uint16Array.from({ length: steps + 1 }, (_, step) => Math.round(ROOT_STEPS * Math.sqrt(step / steps)));
  const whole = new Uint16Array(values.length / 2);
  for (let index = 0; index < whole.length; index += 1) whole[index] = roots[numberAt(values, index)];
  return { shape: shape.slice(1), values: whole };
}

/**
 * @param {Tensor<Uint8Array>} planes (2, N, H, T, K)
 * @param {Tensor<Float32Array>} largest (N, H, K)
 * @param {number} steps
 * @returns (N, H, T, K)
 */
function numbersOf({ shape, values }, { values: largest }, steps) {
  const [rows, columns] = shape.slice(-2);
  const whole = new Float32Array(values.length / 2);
  for (let index = 0; index < whole.length; index += 1) {
    const head = Math.floor(index / (rows * columns));
    const share = (numberAt(values, index) - steps) / steps;
    whole[index] = share * largest[head * columns + (index % columns)];
  }
  return { shape: shape.slice(1), values: whole };
}
