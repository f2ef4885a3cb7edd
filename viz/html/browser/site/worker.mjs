// Runs the encoder beside the page. It answers the last text that it was asked for; those before may go unanswered.
import { Tokenizer } from "@huggingface/tokenizers";
import * as runtime from "onnxruntime-web/wasm";
import { answersOf, wordOf } from "./answers.mjs";
import { BrowserEncoder, floats } from "./encoder.mjs";
import { ModelFiles, once } from "./files.mjs";
import { distancesOf, sharedWord } from "./measures.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "./payloads.mjs";
import { tokensOf } from "./tokens.mjs";
import { shownAttention, unitsOf } from "./units.mjs";
/** @import { Head, Special, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { Array_, Floats, Reading } from "./encoder.mjs" */
/** @import { Progress } from "./files.mjs" */
/** @import { Characters, TextTokens } from "./tokens.mjs" */

/**
 * @typedef {{ base: string, facts: SiteFacts, until: number }} Start
 * @typedef {{ until: number }} Need the last layer that is needed
 * @typedef {{ name: string, letters: string, texts: string[] }} Asked a text or pair with its letters, and its run's name
 * @typedef {{ level: string, special: Special, silenced: readonly Head[] }} Setting
 * @typedef {{ number: number, runs: Asked[], setting: Setting, layer: number }} Question with the layer that is open
 * @typedef {{ number: number, run: string, what: "layer" | "neurons" | "map" | "answers", message: any }} Part
 * @typedef {{ number: number, notes: string[] }} Done
 * @typedef {{ number: number, refused: string }} Refused
 * @typedef {Asked & { tokens: TextTokens, units: UnitExtras, special: Special, reading: Reading, weights: Floats[], states: Floats[] }} TextRun
 * @typedef {{ number: number, layer: number, runs: TextRun[], notes: string[], until: number }} Last a question, and how far it was answered
 * @typedef {Part | Done | Refused | Progress} Answer
 */

const NOTHING_SHOWN = "This text has special tokens only, and they are hidden: show them, or type a word.";

/** @type {(answer: Answer) => void} */
const answer = (message) => globalThis.postMessage(message);

class TextReader {
  #isBusy = false;
  /** @type {Question | null} */
  #next = null;
  /** @type {Last | null} */
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
    if (await this.files.has(`${this.facts.step}layer-${last}.onnx`)) await this.need(last);
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
      const { number, runs: asked, setting, layer } = this.#next;
      const { level, special, silenced } = setting;
      [this.#next, this.#last] = [null, null];
      const { tokenizer, characters } = await this.#tokenizer();
      const [runs, notes] = [/** @type {TextRun[]} */ ([]), /** @type {string[]} */ ([])];
      for (const each of asked) {
        const tokens = tokensOf(tokenizer, characters, each.texts, this.facts);
        if ("empty" in tokens) {
          return answer({ number, refused: `Sentence ${each.letters[tokens.empty]} is empty: type a word.` });
        }
        tokens.cut.forEach((cut, index) => {
          if (cut) notes.push(`Sentence ${each.letters[index]} is too long: its last ${cut} tokens are cut off.`);
        });
        const units = unitsOf(tokens, level, special);
        if (!units.labels.length) return answer({ number, refused: NOTHING_SHOWN });
        const reading = { ...tokens, silenced, layer: 0 };
        runs.push({ ...each, tokens, units, special, reading, weights: [], states: [] });
      }
      this.#last = { number, layer, runs, notes, until: -1 };
    }
    if (!this.#last) return undefined;
    const { number, runs, notes } = this.#last;
    this.#last.until = this.until;
    for (const run of runs) await this.#read(this.#last, run);
    if (this.#next) return undefined;
    for (const { name, tokens, weights } of runs) {
      answer({ number, run: name, what: "map", message: mapMessage(weights, tokens.units, this.facts.measures) });
    }
    if (runs.every(({ states }) => states.length > this.facts.layers)) await this.#fillAnswers(number, runs);
    const moved = await Promise.all(runs.map((run) => this.#movement(run)));
    return answer({ number, notes: [...notes, ...moved.flat()] });
  }

  /** What Python wrote of the answers, and the matrices that they need, as far as the model has them. */
  #answering = once(async () => {
    const { sizes, step } = this.facts;
    const names = ["answers.json", "head.json", "probes.bin"].map((name) => `${step}${name}`);
    const [answers, head, probes] = await Promise.all(
      names.map((name) => (name in sizes ? this.files.read(name) : null)),
    );
    const parsed = (/** @type {Uint8Array | null} */ bytes) => bytes && JSON.parse(new TextDecoder().decode(bytes));
    return { templates: parsed(answers), head: parsed(head), probes: probes && new Float32Array(probes.buffer) };
  });

  /** Answers need every layer. @param {number} number @param {TextRun[]} runs */
  async #fillAnswers(number, runs) {
    const { templates, head, probes } = await this.#answering();
    const texts = runs.map(({ tokens, states, reading }) => {
      return { tokens, states, vectors: /** @type {Floats} */ (reading.vectors) };
    });
    runs.forEach(({ name }, index) => {
      answer({ number, run: name, what: "answers", message: answersOf(templates, texts[index], head, name) });
    });
    const lens = { "word lens": wordOf(templates.views["word lens"], sharedWord(texts, probes)) };
    answer({ number, run: runs[0].name, what: "answers", message: lens });
  }

  /** Read a text; one that is no longer the last as far as the open layer alone. @param {Last} last @param {TextRun} run */
  async #read({ number, layer: open, until }, { name, tokens, units, special, reading, weights, states }) {
    const part = { number, run: name };
    await this.encoder.run(reading, until, (layer, found) => {
      weights[layer] = found.weights;
      if (found.after) states.push(...(layer ? [] : [found.before]), found.after);
      const shown = shownAttention(found.weights, units, special);
      answer({ ...part, what: "layer", message: layerMessage(shown, units, `${name}.attention`, layer) });
      const { removed } = shownAttention(found.weights, unitsOf(tokens, "wordpieces", special), special);
      const neurons = { query: found.query, key: found.key, ...(removed && { removed }) };
      answer({ ...part, what: "neurons", message: neuronsMessage(neurons, tokens.units, `${name}.neurons`, layer) });
      return !this.#next || layer < open;
    });
  }

  /** The word whose last state moves most as heads are silenced, in a sentence, once it is known. @param {TextRun} run */
  async #movement({ tokens, letters, reading }) {
    const words = unitsOf(tokens, "words", "hide");
    if (!reading.silenced.length || reading.layer < this.facts.layers || !words.labels.length) return [];
    const before = /** @type {Reading} */ ({ ...tokens, silenced: [], layer: 0 });
    await this.encoder.run(before, this.facts.layers - 1, () => true);
    const [one, other] = [before, reading].map(({ states }) => floats(/** @type {Array_} */ (states)));
    const distances = distancesOf(one, other, words.positions);
    const most = Math.max(...distances);
    const word = distances.indexOf(most);
    const letter = letters[words.b_start !== null && word >= words.b_start ? 1 : 0];
    const moved = `“${words.labels[word]}” in ${letter} moves most`;
    return [`${moved}: the cosine distance of its final vector to the one with all heads is ${most.toFixed(3)}.`];
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
