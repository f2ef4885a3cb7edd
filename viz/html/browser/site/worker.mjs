// Runs the encoder beside the page. It answers the last text that it was asked for; those before may go unanswered.
import { Tokenizer } from "@huggingface/tokenizers";
import * as runtime from "onnxruntime-web/wasm";
import { BrowserEncoder } from "./encoder.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "./payloads.mjs";
import { tokensOf } from "./tokens.mjs";
import { distancesOf, shownAttention, unitsOf } from "./units.mjs";
/** @import { Head, Special, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { Floats } from "./encoder.mjs" */
/** @import { Characters, TextTokens } from "./tokens.mjs" */

/**
 * @typedef {{ base: string, facts: SiteFacts }} Start
 * @typedef {{ name: string, letters: string, texts: string[] }} Asked a text or pair with its letters, and its run's name
 * @typedef {{ level: string, special: Special, silenced: readonly Head[] }} Setting
 * @typedef {{ number: number, runs: Asked[], setting: Setting }} Question
 * @typedef {{ number: number, run: string, what: "layer" | "neurons" | "map", message: any }} Part
 * @typedef {{ number: number, notes: string[] }} Done
 * @typedef {{ number: number, refused: string }} Refused
 * @typedef {{ loaded: number, total: number }} Progress
 * @typedef {Part | Done | Refused | Progress} Answer
 */

const NOTHING_SHOWN = "This text has special tokens only, and they are hidden: show them, or type a word.";

/** @type {(answer: Answer) => void} */
const answer = (message) => globalThis.postMessage(message);

class TextReader {
  #isBusy = false;
  /** @type {Promise<{ tokenizer: Tokenizer, characters: Characters }> | null} */
  #ready = null;
  /** @type {Question | null} */
  #next = null;
  #loaded = 0;

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
  async #answer({ number, runs, setting }) {
    const { tokenizer, characters } = await this.#prepared();
    const notes = [];
    for (const { name, letters, texts } of runs) {
      const tokens = tokensOf(tokenizer, characters, texts, this.facts);
      if ("empty" in tokens) {
        return answer({ number, refused: `Sentence ${letters[tokens.empty]} is empty: type a word.` });
      }
      const units = unitsOf(tokens, setting.level, setting.special);
      if (!units.labels.length) return answer({ number, refused: NOTHING_SHOWN });
      tokens.cut.forEach((cut, index) => {
        if (cut) notes.push(`Sentence ${letters[index]} is too long: its last ${cut} tokens are cut off.`);
      });
      const states = await this.#run(number, name, tokens, units, setting);
      if (setting.silenced.length) notes.push(...(await this.#movement(tokens, states, letters)));
    }
    answer({ number, notes });
  }

  /**
   * Run a text and send what is shown of it.
   * @param {number} number @param {string} name @param {TextTokens} tokens @param {UnitExtras} units @param {Setting} setting
   */
  async #run(number, name, tokens, units, { special, silenced }) {
    const part = { number, run: name };
    const pieces = unitsOf(tokens, "wordpieces", special);
    /** @type {Floats[]} */
    const layers = [];
    const states = await this.encoder.run({ ...tokens, silenced }, (layer, { weights, query, key }) => {
      layers.push(weights);
      const message = layerMessage(shownAttention(weights, units, special), units, `${name}.attention`, layer);
      answer({ ...part, what: "layer", message });
      const { removed } = shownAttention(weights, pieces, special);
      const neurons = { query, key, ...(removed && { removed }) };
      answer({ ...part, what: "neurons", message: neuronsMessage(neurons, tokens.units, `${name}.neurons`, layer) });
    });
    answer({ ...part, what: "map", message: mapMessage(layers, tokens.units, this.facts.measures) });
    return states;
  }

  /**
   * The word whose last state moves most as heads are silenced, in a sentence; none if the text has no word.
   * @param {TextTokens} tokens @param {Floats} states with the heads silenced @param {string} letters of the texts
   */
  async #movement(tokens, states, letters) {
    const words = unitsOf(tokens, "words", "hide");
    const before = await this.encoder.run({ ...tokens, silenced: [] }, () => {});
    const distances = distancesOf(before, states, words);
    const most = Math.max(...distances);
    const word = distances.indexOf(most);
    if (word < 0) return [];
    const letter = letters[words.b_start !== null && word >= words.b_start ? 1 : 0];
    return [
      `“${words.labels[word]}” in ${letter} moves most: the cosine distance of its final vector to the one with all heads is ${most.toFixed(3)}.`,
    ];
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
