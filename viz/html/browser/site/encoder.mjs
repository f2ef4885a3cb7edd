// The encoder's parts in the browser (`encoder/export/parts.py`), each loaded when it is needed: the rows of the table of
// words, in shards by id, the embeddings, and one layer after the other.
import { once } from "./files.mjs";
import { arrayOf } from "./graphs.mjs";
/** @import { Head, Tensor } from "../../../components/shared/types.mjs" */
/** @import { ModelFacts } from "../contents.mjs" */
/** @import { Graphs } from "./graphs.mjs" */

/** @typedef {Tensor<Float32Array>} Floats */
/** @typedef {Record<"query" | "key" | "weights", Floats> & { next?: Floats }} LayerFound */
/**
 * A text or pair with its silenced heads, the layer that comes next, the states up to there, and norms of the embedding's parts.
 * @typedef {{ ids: readonly number[], types: readonly number[], silenced: readonly Head[], layer: number, states: Floats[], parts?: Floats }} Reading
 */

const [FIRST, HEADS] = ["embeddings", "heads-0"];

/** A row of a file of the table of words: its scale, and its whole numbers. @param {ArrayBuffer} file @param {number} row @param {number} width */
export function vectorOf(file, row, width) {
  const start = row * (4 + 2 * width);
  const scale = new DataView(file).getFloat32(start, true);
  return Float32Array.from(new Int16Array(file, start + 4, width), (whole) => scale * whole);
}

export class BrowserEncoder {
  /** @param {Graphs} graphs @param {ModelFacts} facts @param {(name: string) => Promise<Uint8Array<ArrayBuffer>>} read the bytes of a file */
  constructor(graphs, facts, read) {
    this.graphs = graphs;
    this.facts = facts;
    this.read = read;
  }

  /**
   * Run a text as far as a layer, from where it was left.
   * @param {Reading} reading @param {number} until
   * @param {(layer: number, found: LayerFound) => Promise<boolean>} onLayer whether to go on
   */
  async run(reading, until, onLayer) {
    void this.load(until).catch(() => {}); // side by side; a failure shows below
    if (!reading.states.length) await this.#begin(reading);
    for (; reading.layer <= until; reading.layer += 1) {
      const { layer } = reading;
      const values = new Float32Array(this.facts.heads).fill(1);
      for (const each of reading.silenced) if (each.layer === layer) values[each.head] = 0;
      const part = this.#partOf(layer, until);
      const inputs = { states: reading.states[layer], ...(part !== HEADS && { kept: arrayOf(values) }) };
      const found = await this.graphs.run(part, inputs);
      if (!(await onLayer(layer, /** @type {LayerFound} */ (found))) || !found.next) return;
      reading.states.push(found.next);
    }
  }

  /** Load what runs need as far as a layer. @param {number} until */
  async load(until) {
    const layers = Array.from({ length: until + 1 }, (_, layer) => this.#partOf(layer, until));
    await Promise.all([FIRST, ...layers].map((name) => this.graphs.load(name)));
  }

  /** The graph of a layer; the heads of the first one are enough for a run that ends there. @param {number} layer @param {number} until */
  #partOf(layer, until) {
    const isEnough = until === 0 && this.facts.layers > 1 && !this.graphs.loaded.has("layer-0");
    return isEnough ? HEADS : `layer-${layer}`;
  }

  /** @param {Reading} reading */
  async #begin(reading) {
    const { ids, types } = reading;
    const vectors = { shape: [ids.length, this.facts.width], values: await this.#vectors(ids) };
    const tokenTypes = arrayOf(BigInt64Array.from(types, BigInt));
    const { states, parts } = await this.graphs.run(FIRST, { words: vectors, types: tokenTypes });
    Object.assign(reading, { parts, states: [states] });
  }

  #shard = once(async (name) => (await this.read(name)).buffer);

  /** The vectors of some words, one after the other. @param {readonly number[]} ids */
  async #vectors(ids) {
    const { shard, width } = this.facts;
    const shards = await Promise.all(ids.map((id) => this.#shard(`words-${Math.floor(id / shard)}.bin`)));
    const vectors = new Float32Array(ids.length * width);
    for (const [place, id] of ids.entries()) vectors.set(vectorOf(shards[place], id % shard, width), place * width);
    return vectors;
  }
}
