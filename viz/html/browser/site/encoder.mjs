// The encoder's parts in the browser, each loaded when it is needed: the rows of the table of words, in shards by id,
// the embeddings, and one layer after the other. `encoder/export.py` describes the parts.
/** @import { Tensor } from "../../../components/shared/types.mjs" */

/** @typedef {Tensor<Float32Array>} Floats */
/** @typedef {Record<"query" | "key" | "weights", Floats>} LayerFound a layer's arrays, without the axis of texts */

/**
 * What Python writes of a model's files.
 * @typedef {object} ModelFacts
 * @property {number} layers
 * @property {number} heads
 * @property {number} width
 * @property {number} shard rows of a file of the table of words
 * @property {string} step folder of the parts at a step of the training; "" for the last
 */

/**
 * What is used of `onnxruntime-web`.
 * @typedef {{ dims: readonly number[], data: unknown }} Array_
 * @typedef {{ run: (feeds: Record<string, Array_>) => Promise<Record<string, Array_>> }} Session
 * @typedef {object} Runtime
 * @property {{ create: (bytes: Uint8Array) => Promise<Session> }} InferenceSession
 * @property {new (type: "float32" | "int64", data: Float32Array | BigInt64Array, dims: readonly number[]) => Array_} Tensor
 */

const HALF = { sign: 0x8000, exponent: 10, fraction: 0x3ff, bias: 15 };

/** A number of 16 bits that is neither infinite nor NaN. @param {number} half its bits */
export function floatOf(half) {
  const sign = half & HALF.sign ? -1 : 1;
  const exponent = (half >> HALF.exponent) & 31;
  const fraction = (half & HALF.fraction) / 2 ** HALF.exponent;
  return exponent ? sign * 2 ** (exponent - HALF.bias) * (1 + fraction) : sign * 2 ** (1 - HALF.bias) * fraction;
}

export class BrowserEncoder {
  /** @type {Map<string, Promise<Session>>} */
  #sessions = new Map();
  /** @type {Map<number, Promise<Uint16Array>>} */
  #shards = new Map();

  /**
   * @param {Runtime} runtime @param {ModelFacts} facts
   * @param {(name: string) => Promise<Uint8Array<ArrayBuffer>>} read the bytes of a file by its name
   */
  constructor(runtime, facts, read) {
    this.runtime = runtime;
    this.facts = facts;
    this.read = read;
  }

  /**
   * Run a text, layer by layer.
   * @param {readonly number[]} ids
   * @param {(layer: number, found: LayerFound) => void} onLayer
   */
  async run(ids, onLayer) {
    const { Tensor } = this.runtime;
    const { layers, heads } = this.facts;
    const files = ["embeddings", ...Array.from({ length: layers }, (_, layer) => `layer-${layer}`)];
    for (const file of files) void this.#session(file).catch(() => {}); // they load side by side; a failure shows below
    const words = new Tensor("float32", await this.#vectors(ids), [1, ids.length, this.facts.width]);
    const types = new Tensor("int64", new BigInt64Array(ids.length), [1, ids.length]);
    const kept = new Tensor("float32", new Float32Array(heads).fill(1), [heads]);
    let { states } = await (await this.#session("embeddings")).run({ words, types });
    for (let layer = 0; layer < layers; layer += 1) {
      const { next, ...found } = await (await this.#session(`layer-${layer}`)).run({ states, kept });
      onLayer(layer, { query: floats(found.query), key: floats(found.key), weights: floats(found.weights) });
      states = next;
    }
  }

  /** @param {string} name */
  #session(name) {
    return madeOnce(this.#sessions, name, async () =>
      this.runtime.InferenceSession.create(await this.read(`${this.facts.step}${name}.onnx`)),
    );
  }

  /** The vectors of some words, one after the other. @param {readonly number[]} ids */
  async #vectors(ids) {
    const { shard, width } = this.facts;
    const shards = await Promise.all(ids.map((id) => this.#shard(Math.floor(id / shard))));
    const vectors = new Float32Array(ids.length * width);
    ids.forEach((id, place) => {
      const start = (id % shard) * width;
      vectors.set(Float32Array.from(shards[place].subarray(start, start + width), floatOf), place * width);
    });
    return vectors;
  }

  /** @param {number} number */
  #shard(number) {
    return madeOnce(this.#shards, number, async () => new Uint16Array((await this.read(`words-${number}.bin`)).buffer));
  }
}

/**
 * What a map has under a key, made once; what failed is made again.
 * @template Key, Value
 * @param {Map<Key, Promise<Value>>} map @param {Key} key @param {() => Promise<Value>} make
 */
function madeOnce(map, key, make) {
  const made =
    map.get(key) ??
    make().catch((error) => {
      map.delete(key);
      throw error;
    });
  map.set(key, made);
  return made;
}

/** The array of the only text. @param {Array_} array @returns {Floats} */
function floats({ dims, data }) {
  return { shape: dims.slice(1), values: /** @type {Float32Array} */ (data) };
}
