// Runs the encoder beside the page. It answers the last text that it was asked for; those before may go unanswered.
import { Tokenizer } from "@huggingface/tokenizers";
import * as runtime from "onnxruntime-web/wasm";
import { BrowserEncoder } from "./encoder.mjs";
import { ModelFiles, once } from "./files.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "./payloads.mjs";
import { tokensOf } from "./tokens.mjs";
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { Floats, Reading } from "./encoder.mjs" */
/** @import { Progress } from "./files.mjs" */
/** @import { Characters, TextTokens } from "./tokens.mjs" */

/**
 * @typedef {{ base: string, facts: SiteFacts, until: number }} Start
 * @typedef {{ until: number }} Need the last layer that is needed
 * @typedef {{ name: string, place: string, text: string }} Asked one text, and the name of its run
 * @typedef {{ number: number, texts: Asked[] }} Question
 * @typedef {{ number: number, run: string, what: "layer" | "neurons" | "map", message: any }} Part
 * @typedef {{ number: number, notes: string[] }} Done
 * @typedef {{ number: number, refused: string }} Refused
 * @typedef {{ name: string, tokens: TextTokens, reading: Reading, weights: Floats[] }} TextRun
 * @typedef {Part | Done | Refused | Progress} Answer
 */

/** @type {(answer: Answer) => void} */
const answer = (message) => globalThis.postMessage(message);

class TextReader {
  #isBusy = false;
  /** @type {Question | null} */
  #next = null;
  /** @type {{ number: number, runs: TextRun[], notes: string[], until: number } | null} the last question, and how far it was answered */
  #last = null;

  /** @param {Start} start */
  constructor({ base, facts, until }) {
    this.facts = facts;
    this.until = until;
    runtime.env.wasm.numThreads = 1;
    this.files = new ModelFiles(base, facts, answer);
    const read = (/** @type {string} */ name) => this.files.read(name);
    this.encoder = new BrowserEncoder(/** @type {any} */ (runtime), facts, read, () => this.#started());
    void this.#begin().catch(() => {}); // the question reports it
  }

  /** Load what the first picture needs, the small files first; and all that an earlier visit has cached. */
  async #begin() {
    await Promise.all([this.#tokenizer(), this.#started(), this.encoder.load(this.until)]);
    const last = this.facts.layers - 1;
    if (await this.files.has(`layer-${last}.onnx`)) await this.need(last);
  }

  /** The runtime has its code. */
  #started = once(async () => {
    runtime.env.wasm.wasmBinary = (await this.files.read(this.facts.runtime)).buffer;
  });

  #tokenizer = once(async () => {
    const { tokenizer, characters } = JSON.parse(new TextDecoder().decode(await this.files.read("tokenizer.json")));
    return { tokenizer: new Tokenizer(tokenizer, {}), characters: /** @type {Characters} */ (characters) };
  });

  /** Load the layers as far as this one, and then read the text that far. @param {number} until */
  async need(until) {
    try {
      await this.encoder.load(until);
    } catch (error) {
      return answer(refusal(this.#last?.number ?? 0, error));
    }
    this.until = Math.max(this.until, until);
    return this.#isBusy || this.#work();
  }

  /** @param {Question} question */
  ask(question) {
    this.#next = question;
    if (!this.#isBusy) void this.#work();
  }

  async #work() {
    this.#isBusy = true;
    while (this.#next || (this.#last && this.#last.until < this.until)) {
      const number = this.#next?.number ?? this.#last?.number ?? 0;
      await this.#answer().catch((error) => answer(refusal(number, error)));
    }
    this.#isBusy = false;
  }

  /** Read the next question, or the last one further. */
  async #answer() {
    if (this.#next) {
      const { number, texts } = this.#next;
      [this.#next, this.#last] = [null, null];
      const { tokenizer, characters } = await this.#tokenizer();
      const [runs, notes] = [/** @type {TextRun[]} */ ([]), /** @type {string[]} */ ([])];
      for (const { name, place, text } of texts) {
        const tokens = tokensOf(tokenizer, characters, text, this.facts);
        if (!tokens) return answer({ number, refused: `Sentence ${place} is empty: type a word.` });
        if (tokens.cut) notes.push(`Sentence ${place} is too long: its last ${tokens.cut} tokens are cut off.`);
        runs.push({ name, tokens, reading: { ids: tokens.ids, layer: 0 }, weights: [] });
      }
      this.#last = { number, runs, notes, until: -1 };
    }
    if (!this.#last) return undefined;
    const { number, runs, notes } = this.#last;
    this.#last.until = this.until;
    for (const run of runs) await this.#read(number, run, this.until);
    for (const { name, tokens, weights } of runs) {
      answer({ number, run: name, what: "map", message: mapMessage(weights, tokens.units, this.facts.measures) });
    }
    return answer({ number, notes });
  }

  /** @param {number} number @param {TextRun} run @param {number} until */
  async #read(number, { name, tokens: { units }, reading, weights }, until) {
    const part = { number, run: name };
    await this.encoder.run(reading, until, (layer, found) => {
      weights[layer] = found.weights;
      answer({ ...part, what: "layer", message: layerMessage(found.weights, units, `${name}.attention`, layer) });
      answer({ ...part, what: "neurons", message: neuronsMessage(found, units, `${name}.neurons`, layer) });
    });
  }
}

/** @param {number} number @param {any} error @returns {Refused} */
function refusal(number, error) {
  return { number, refused: `The model cannot be run here: ${error.message}` };
}

/** @type {TextReader | null} */
let reader = null;
globalThis.addEventListener("message", ({ data }) => {
  if ("base" in data) reader = new TextReader(data);
  else if ("until" in data) void reader?.need(data.until);
  else reader?.ask(data);
});
