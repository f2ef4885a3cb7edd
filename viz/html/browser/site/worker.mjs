// Runs the encoder beside the page. It answers the last text that it was asked for; those before may go unanswered.
import { Tokenizer } from "@huggingface/tokenizers";
import * as runtime from "onnxruntime-web/wasm";
import { BrowserEncoder } from "./encoder.mjs";
import { normsIn, predictedBy, sharedWord } from "./measures.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "./payloads.mjs";
import { tokensOf } from "./tokens.mjs";
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { Characters } from "./tokens.mjs" */

/**
 * @typedef {{ base: string, facts: SiteFacts }} Start
 * @typedef {{ name: string, place: string, text: string }} Asked one text, and the name of its run
 * @typedef {{ number: number, texts: Asked[] }} Question
 * @typedef {{ number: number, run: string, what: "layer" | "neurons" | "map" | "states" | "word", message: any }} Part
 * @typedef {{ number: number, notes: string[] }} Done
 * @typedef {{ number: number, refused: string }} Refused
 * @typedef {{ loaded: number, total: number }} Progress
 * @typedef {Part | Done | Refused | Progress} Answer
 */

/** @type {(answer: Answer) => void} */
const answer = (message) => globalThis.postMessage(message);

class TextReader {
  #isBusy = false;
  /** @type {Promise<{ tokenizer: Tokenizer, characters: Characters }> | null} */
  #ready = null;
  /** @type {Question | null} */
  #next = null;
  #loaded = 0;
  /** @type {Float32Array | null} of parts of speech */
  #probes = null;
  /** @type {import("./measures.mjs").ReadingHead | null} */
  #head = null;

  /** @param {Start} start */
  constructor({ base, facts }) {
    this.base = base;
    this.facts = facts;
    runtime.env.wasm.numThreads = 1;
    this.encoder = new BrowserEncoder(/** @type {any} */ (runtime), facts, (name) => this.#read(name));
    void this.#prepared().catch(() => {}); // the question reports it
  }

  /** The tokenizer, once the runtime has its code. */
  #prepared() {
    this.#ready ??= this.#prepare().catch((error) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  async #prepare() {
    const [wasm, json] = await Promise.all([this.#read(this.facts.runtime), this.#read("tokenizer.json")]);
    runtime.env.wasm.wasmBinary = wasm.buffer;
    const { tokenizer, characters } = JSON.parse(new TextDecoder().decode(json));
    return { tokenizer: new Tokenizer(tokenizer, {}), characters: /** @type {Characters} */ (characters) };
  }

  /** @param {Question} question */
  ask(question) {
    this.#next = question;
    if (!this.#isBusy) void this.#work();
  }

  async #work() {
    this.#isBusy = true;
    while (this.#next) {
      const question = this.#next;
      this.#next = null;
      await this.#answer(question).catch((error) =>
        answer({ number: question.number, refused: `The model cannot be run here: ${error.message}` }),
      );
    }
    this.#isBusy = false;
  }

  /** @param {Question} question */
  async #answer({ number, texts }) {
    const { tokenizer, characters } = await this.#prepared();
    await this.#readHeads();
    const notes = [];
    const read = [];
    for (const { name, place, text } of texts) {
      const tokens = tokensOf(tokenizer, characters, text, this.facts);
      if (!tokens) return answer({ number, refused: `Sentence ${place} is empty: type a word.` });
      if (tokens.cut) notes.push(`Sentence ${place} is too long: its last ${tokens.cut} tokens are cut off.`);
      /** @type {import("./encoder.mjs").Floats[]} */
      const weights = [];
      /** @type {import("./encoder.mjs").Floats[]} */
      const states = [];
      const words = await this.encoder.run(tokens.ids, (layer, found) => {
        weights.push(found.weights);
        states.push(...(layer ? [] : [found.before]), found.after);
        const part = { number, run: name };
        answer({
          ...part,
          what: "layer",
          message: layerMessage(found.weights, tokens.units, `${name}.attention`, layer),
        });
        answer({ ...part, what: "neurons", message: neuronsMessage(found, tokens.units, `${name}.neurons`, layer) });
      });
      answer({ number, run: name, what: "map", message: mapMessage(weights, tokens.units, this.facts.measures) });
      read.push({ units: tokens.units, states, words });
      const predicted = this.#head && predictedBy(this.#head, states);
      const norms = normsIn({ units: tokens.units, states, words });
      answer({ number, run: name, what: "states", message: { norms, predicted } });
    }
    answer({ number, run: texts[0].name, what: "word", message: sharedWord(read, this.#probes) });
    answer({ number, notes });
  }

  /** The probes and the head, if the model has them. */
  async #readHeads() {
    const { probes, head } = this.facts;
    if (probes) this.#probes ??= new Float32Array((await this.#read(probes)).buffer);
    if (head) this.#head ??= JSON.parse(new TextDecoder().decode(await this.#read(head)));
  }

  /** The bytes of a file of the site, which is noted as progress. @param {string} name */
  async #read(name) {
    const response = await fetch(new URL(name, this.base));
    if (!response.ok) throw new Error(`${name} is missing (${response.status}).`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    this.#loaded += bytes.length;
    answer({ loaded: this.#loaded, total: this.facts.total });
    return bytes;
  }
}

/** @type {TextReader | null} */
let reader = null;
globalThis.addEventListener("message", ({ data }) => {
  if ("base" in data) reader = new TextReader(data);
  else reader?.ask(data);
});
