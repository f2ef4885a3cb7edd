// The encoder's parts in the browser, each loaded when it is needed: the rows of the table of words, in shards by id,
// the embeddings, and one layer after the other. `encoder/export.py` describes the parts.
import { once } from "./files.mjs";
/** @import { Head, Tensor } from "../../../components/shared/types.mjs" */

/** @typedef {Tensor<Float32Array>} Floats */
/** @typedef {Record<"query" | "key" | "weights" | "before", Floats> & { after: Floats | null }} LayerFound a layer's arrays, without the axis of texts, and what goes in and comes out */
/**
 * A text or pair with its silenced heads, the layer that comes next, its input, and the vectors of its words.
 * @typedef {{ ids: readonly number[], types: readonly number[], silenced: readonly Head[], layer: number, states?: Array_, vectors?: Floats }} Reading
 */

/**
 * What Python writes of a model's files.
 * @typedef {object} ModelFacts
 * @property {number} layers
 * @property {number} heads
 * @property {number} width
 * @property {number} shard rows of a file of the table of words
 * @property {string} step folder of the parts at a step of the training; "" for the last
 */

/** @typedef {import("onnxruntime-web/wasm").Tensor} Array_ */
/** @typedef {Pick<typeof import("onnxruntime-web/wasm"), "InferenceSession" | "Tensor">} Runtime */

const FIRST = "embeddings"; // the part that runs first

/** A row of a file of the table of words: its scale, and its whole numbers. @param {ArrayBuffer} file @param {number} row @param {number} width */
export function vectorOf(file, row, width) {
  const start = row * (4 + 2 * width);
  const scale = new DataView(file).getFloat32(start, true);
  return Float32Array.from(new Int16Array(file, start + 4, width), (whole) => scale * whole);
}

export class BrowserEncoder {
  /** @type {Set<string>} */
  #loaded = new Set(); // the sessions that can run

  /**
   * @param {Runtime} runtime @param {ModelFacts} facts
   * @param {(name: string) => Promise<Uint8Array<ArrayBuffer>>} read the bytes of a file by its name
   * @param {() => Promise<void>} prepared when the runtime can run
   */
  constructor(runtime, facts, read, prepared) {
    this.runtime = runtime;
    this.facts = facts;
    this.read = read;
    this.prepared = prepared;
  }

  /**
   * Run a text as far as a layer, from where it was left.
   * @param {Reading} reading @param {number} until
   * @param {(layer: number, found: LayerFound) => boolean} onLayer whether to go on
   */
  async run(reading, until, onLayer) {
    const { Tensor } = this.runtime;
    const { heads } = this.facts;
    void this.load(until).catch(() => {}); // side by side; a failure shows below
    reading.states ??= await this.#embedded(reading);
    for (; reading.layer <= until; reading.layer += 1) {
      const { layer, states } = reading;
      const part = this.#partOf(layer, until);
      const keeps = new Float32Array(heads).fill(1);
      for (const each of reading.silenced) if (each.layer === layer) keeps[each.head] = 0;
      const kept = new Tensor("float32", keeps, [heads]);
      const session = await this.#session(part);
      /** @type {Record<string, Array_>} */
      const { next, ...found } = await session.run(part.startsWith("heads") ? { states } : { states, kept });
      const [query, key, weights] = [found.query, found.key, found.weights].map(floats);
      const [before, after] = [floats(states), next ? floats(next) : null];
      if (!onLayer(layer, { query, key, weights, before, after }) || !next) return;
      reading.states = next;
    }
  }

  /** Load what runs need as far as a layer. @param {number} until */
  async load(until) {
    const layers = Array.from({ length: until + 1 }, (_, layer) => this.#partOf(layer, until));
    await Promise.all([FIRST, ...layers].map((name) => this.#session(name)));
  }

  /** The file of a layer; the heads of the first one are enough for a run that ends there. @param {number} layer @param {number} until */
  #partOf(layer, until) {
    const isEnough = until === 0 && this.facts.layers > 1 && !this.#loaded.has("layer-0");
    return isEnough ? "heads-0" : `layer-${layer}`;
  }

  /** @param {Reading} reading */
  async #embedded(reading) {
    const { Tensor } = this.runtime;
    const { ids, types } = reading;
    await this.prepared();
    const words = new Tensor("float32", await this.#vectors(ids), [1, ids.length, this.facts.width]);
    reading.vectors = floats(words);
    const tokenTypes = new Tensor("int64", BigInt64Array.from(types, BigInt), [1, ids.length]);
    return (await (await this.#session(FIRST)).run({ words, types: tokenTypes })).states;
  }

  #session = once(async (name) => {
    if (name !== FIRST) await this.prepared(); // so that the runtime, which is large, has begun when the rest arrives
    const [bytes] = await Promise.all([this.read(`${this.facts.step}${name}.onnx`), this.prepared()]);
    const session = await this.runtime.InferenceSession.create(bytes);
    this.#loaded.add(name);
    return session;
  });

  #shard = once(async (name) => (await this.read(name)).buffer);

  /** The vectors of some words, one after the other. @param {readonly number[]} ids */
  async #vectors(ids) {
    const { shard, width } = this.facts;
    const shards = await Promise.all(ids.map((id) => this.#shard(`words-${Math.floor(id / shard)}.bin`)));
    const vectors = new Float32Array(ids.length * width);
    ids.forEach((id, place) => {
      vectors.set(vectorOf(shards[place], id % shard, width), place * width);
    });
    return vectors;
  }
}

/** The array of the only text. @param {Array_} array @returns {Floats} */
export function floats({ dims, data }) {
  return { shape: dims.slice(1), values: /** @type {Float32Array} */ (data) };
}
