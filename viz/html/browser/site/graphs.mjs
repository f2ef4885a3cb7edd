// The graphs that Python wrote (`encoder/export`), each loaded when it is first needed.
import { once } from "./files.mjs";
/** @import { Tensor } from "../../../components/shared/types.mjs" */

/** @typedef {Tensor<any>} Values */
/** @typedef {Pick<typeof import("onnxruntime-web/wasm"), "InferenceSession" | "Tensor">} Runtime */

export class Graphs {
  /** @type {Set<string>} */
  loaded = new Set();

  /**
   * @param {Runtime} runtime
   * @param {(name: string) => Promise<Uint8Array<ArrayBuffer>>} read the bytes of a graph
   * @param {() => Promise<void>} prepared when the runtime can run
   */
  constructor(runtime, read, prepared) {
    this.runtime = runtime;
    this.read = read;
    this.prepared = prepared;
  }

  load = once(async (name) => {
    const [bytes] = await Promise.all([this.read(name), this.prepared()]);
    const session = await this.runtime.InferenceSession.create(bytes, { logSeverityLevel: 3 }); // errors alone
    this.loaded.add(name);
    return session;
  });

  /** @param {string} name @param {Record<string, Values>} inputs @returns {Promise<Record<string, any>>} its outputs */
  async run(name, inputs) {
    const session = await this.load(name);
    const given = Object.entries(inputs).map(([input, { shape, values }]) => [
      input,
      new this.runtime.Tensor(values, shape),
    ]);
    const outputs = Object.entries(await session.run(Object.fromEntries(given)));
    return Object.fromEntries(outputs.map(([output, { dims, data }]) => [output, { shape: dims, values: data }]));
  }
}

/** Numbers as an array with one axis. @param {{ length: number }} values @returns {Values} */
export function arrayOf(values) {
  return { shape: [values.length], values };
}

/** Arrays as numbers and lists of lists, by name. @param {Record<string, Values>} arrays */
export function asLists(arrays) {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, { shape, values }]) => [name, listOf(shape, [...values].map(Number))]),
  );
}

/** @param {readonly number[]} shape @param {number[]} values @returns {any} */
function listOf([length, ...inner], values) {
  if (length === undefined) return values[0];
  if (!inner.length) return values;
  const size = values.length / length;
  return Array.from({ length }, (_, index) => listOf(inner, values.slice(index * size, (index + 1) * size)));
}
