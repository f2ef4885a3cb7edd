// Runs the encoder beside the page. It answers the last text that it was asked for; those before may go unanswered.
import { Tokenizer } from "@huggingface/tokenizers";
import { Decompress } from "fzstd";
import * as runtime from "onnxruntime-web/wasm";
import { answersOf, wordOf } from "./answers.mjs";
import { BrowserEncoder } from "./encoder.mjs";
import { ModelFiles, once, unpacked } from "./files.mjs";
import { classesIn, distancesOf, predictedBy, sharedWord } from "./measures.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "./payloads.mjs";
import { removedWordsOf } from "./removed_words.mjs";
import { stripOf } from "./strip.mjs";
import { tokensOf } from "./tokens.mjs";
import { shownAttention, unitsOf } from "./units.mjs";
/** @import { Head, Special, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { Floats, Reading } from "./encoder.mjs" */
/** @import { Progress } from "./files.mjs" */
/** @import { Characters, TextTokens } from "./tokens.mjs" */

/**
 * @typedef {{ base: string, facts: SiteFacts, until: number }} Start
 * @typedef {{ name: string, letters: string, texts: string[] }} Asked a text or pair with its letters, and its run's name
 * @typedef {{ level: string, special: Special, silenced: readonly Head[], at: number[], preferred: string }} Setting
 * @typedef {{ number: number, runs: Asked[], setting: Setting, layer: number, removes: boolean }} Question with the layer that is open, and whether words are removed
 * @typedef {Question & { until: number, notes: string[], texts: TextRun[] | null }} Reached how far it was answered, and from what
 * @typedef {Asked & { tokens: TextTokens, units: UnitExtras, reading: Reading, weights: Floats[], states: Floats[] }} TextRun
 * @typedef {{ number: number, run: string, what: "layer" | "neurons" | "map" | "answers" | "strip" | "chosen", message: any }} Part
 * @typedef {Part | { number: number, notes: string[] } | { number: number, refused: string } | Progress} Answer
 */

const ZSTANDARD = [0x28, 0xb5, 0x2f, 0xfd]; // how its files begin
const NOTHING_SHOWN = "This text has special tokens only, and they are hidden: show them, or type a word.";

/** @type {(answer: Answer) => void} */
const answer = (message) => globalThis.postMessage(message);

class TextReader {
  #isBusy = false;
  /** @type {Reached | null} the last one */
  #question = null;

  /** @param {Start} start */
  constructor({ base, facts, until }) {
    this.facts = facts;
    this.until = until;
    runtime.env.wasm.numThreads = 1;
    this.files = new ModelFiles(base, facts, answer);
    const read = (/** @type {string} */ name) => this.files.read(name);
    this.encoder = new BrowserEncoder(runtime, facts, read, () => this.#started());
    void this.#begin().catch(() => {}); // the question reports it
  }

  /** Load what the first picture needs, and all that an earlier visit has cached. */
  async #begin() {
    await Promise.all([this.#tokenizer(), this.#started(), this.encoder.load(this.until)]);
    const last = this.facts.layers - 1;
    if (await this.files.has(`${this.facts.step}layer-${last}.onnx`)) await this.need(last);
  }

  /** The runtime's code is compiled while it arrives. The runtime itself would compile bytes, and gets a module. */
  #started = once(async () => {
    const module = await this.files.read(this.facts.runtime, async (response) =>
      WebAssembly.compileStreaming(unpacked(response, ZSTANDARD, zstandard())),
    );
    const { instantiate } = WebAssembly;
    const given = async (/** @type {unknown} */ _, /** @type {WebAssembly.Imports} */ imports) => ({
      module,
      instance: await instantiate(module, imports),
    });
    Object.assign(WebAssembly, { instantiate: given });
    runtime.env.wasm.wasmBinary = new ArrayBuffer(1); // so that it fetches nothing
  });

  #tokenizer = once(async () => {
    const { tokenizer, characters } = await this.files.json("tokenizer.json");
    return { tokenizer: new Tokenizer(tokenizer, {}), characters: /** @type {Characters} */ (characters) };
  });

  /** What Python wrote of the answers, and the matrices that they need, as far as the model has them. */
  #answering = once(async () => {
    const { sizes, step } = this.facts;
    const [answers, head, probes] = ["answers.json", "head.json", "probes.bin"].map((name) => `${step}${name}`);
    const found = await Promise.all([
      this.files.json(answers),
      head in sizes ? this.files.json(head) : null,
      probes in sizes ? this.files.read(probes) : null,
      this.files.read("inflections.txt"),
    ]);
    const lemmas = new TextDecoder()
      .decode(found[3])
      .split("\n")
      .map((line) => line.split(" "));
    return {
      ...{ templates: found[0], head: found[1], probes: found[2] && new Float32Array(found[2].buffer) },
      lemmas: new Map(lemmas.flatMap((forms) => forms.map((form) => [form, forms[0]]))),
    };
  });

  /** Load the layers as far as this one, and then read the text that far. @param {number} until */
  async need(until) {
    try {
      await this.encoder.load(until);
    } catch (error) {
      return refuse(this.#question?.number ?? 0, error);
    }
    this.until = Math.max(this.until, until);
    return this.#work();
  }

  /** @param {Question} question */
  ask(question) {
    this.#question = { ...question, until: -1, notes: [], texts: null };
    void this.#work();
  }

  /** Remove the words of the last question's texts, too. */
  remove() {
    if (!this.#question || this.#question.removes) return;
    Object.assign(this.#question, { removes: true, until: -1 });
    void this.#work();
  }

  /** Answer the last question as far as the needed layer. Both can change meanwhile. */
  async #work() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#question && this.#question.until < this.until) {
      const question = this.#question;
      question.until = this.until;
      await this.#answer(question).catch((error) => refuse(question.number, error));
    }
    this.#isBusy = false;
  }

  /** @param {Reached} question */
  async #answer(question) {
    const { number, notes } = question;
    await this.#tokenizer();
    if (question !== this.#question) return; // while the model is loaded, a text can be typed to its end
    question.texts ??= await this.#textsOf(question);
    for (const text of question.texts) await this.#read(question, text);
    if (question !== this.#question) return;
    for (const { name, weights, tokens } of question.texts) {
      answer({ number, run: name, what: "map", message: mapMessage(weights, tokens.units, this.facts.measures) });
    }
    const isWhole = question.texts.every(({ states }) => states.length > this.facts.layers);
    if (isWhole) await this.#fillAnswers(question, question.texts);
    else for (const text of question.texts) this.#showStrip(question, text, []);
    const moved = isWhole ? await Promise.all(question.texts.map((text) => this.#movement(text))) : [];
    answer({ number, notes: [...notes, ...moved.flat()] });
    if (!isWhole || !question.removes) return;
    for (const text of question.texts) await this.#removeWords(question, text);
    if (question === this.#question) answer({ number, notes: [...notes, ...moved.flat()] });
  }

  /** What the head says of a text without each of its words, one after the other. @param {Reached} question @param {TextRun} text */
  async #removeWords({ number, setting }, { name, tokens, states }) {
    const { templates, head } = await this.#answering();
    const { why, predictions } = templates.views;
    if (!why) return;
    const { labels, positions } = unitsOf(tokens, setting.level, "hide");
    const { probabilities } = predictedBy(head, states);
    const order = [...probabilities.keys()].sort((one, other) => probabilities[other] - probabilities[one]);
    const [label, against] = order;
    const shares = [probabilities[label] / (probabilities[label] + probabilities[against])];
    const isMissing = !labels.length || tokens.ids.length > why.most;
    for (const unit of isMissing ? [] : positions) {
      await new Promise((done) => setTimeout(done)); // so that another question can arrive
      if (number !== this.#question?.number) return;
      answer({ number, notes: [`Removing words: ${shares.length} of ${positions.length}.`] });
      const ids = tokens.ids.map((id, position) => (unit.includes(position) ? why.mask : id));
      const left = await this.#statesOf({ ...tokens, ids, silenced: setting.silenced, layer: 0 });
      const found = predictedBy(head, left).probabilities;
      shares.push(found[label] / (found[label] + found[against]));
    }
    const rivals = [label, against].map((each) => predictions.labels[each]);
    const filled = removedWordsOf(why, { labels, shares, rivals }, templates.widths);
    const message = { [`${name}.why`]: isMissing ? { ...filled, html: why.missing } : filled };
    answer({ number, run: name, what: "answers", message });
  }

  /** The hidden states of a text, (T, D) each. @param {Reading} reading */
  async #statesOf(reading) {
    /** @type {Floats[]} */
    const states = [];
    await this.encoder.run(reading, this.facts.layers - 1, (layer, { before, after }) => {
      states.push(...(layer ? [] : [before]), /** @type {Floats} */ (after));
      return true;
    });
    return states;
  }

  /** A question's texts as tokens, of which the model has read none. @throws {Refused} @param {Reached} question @returns {Promise<TextRun[]>} */
  async #textsOf({ runs, setting: { level, special, silenced }, notes }) {
    const { tokenizer, characters } = await this.#tokenizer();
    return runs.map((run) => {
      const tokens = tokensOf(tokenizer, characters, run.texts, this.facts);
      if ("empty" in tokens) throw new Refused(`Sentence ${run.letters[tokens.empty]} is empty: type a word.`);
      tokens.cut.forEach((cut, index) => {
        if (cut) notes.push(`Sentence ${run.letters[index]} is too long: its last ${cut} tokens are cut off.`);
      });
      const units = unitsOf(tokens, level, special);
      if (!units.labels.length) throw new Refused(NOTHING_SHOWN);
      return { ...run, tokens, units, reading: { ...tokens, silenced, layer: 0 }, weights: [], states: [] };
    });
  }

  /** The tokens of a text, with the tags of its words. @param {Reached} question @param {TextRun} text @param {string[]} tags */
  #showStrip({ number, runs }, { name, tokens, letters }, tags) {
    const message = stripOf(tokens, letters, Math.max(runs.length, letters.length), tags);
    answer({ number, run: name, what: "strip", message });
  }

  /** Answers need every layer. @param {Reached} question @param {TextRun[]} runs */
  async #fillAnswers(question, runs) {
    const { number, setting } = question;
    const { templates, head, probes, lemmas } = await this.#answering();
    const texts = runs.map(({ tokens, states, reading }) => {
      return { tokens, states, vectors: /** @type {Floats} */ (reading.vectors) };
    });
    runs.forEach((run, index) => {
      const { codes } = templates.views["word lens"];
      this.#showStrip(question, run, probes ? classesIn(texts[index], probes).map((tag) => codes[tag]) : []);
      const message = answersOf(templates, texts[index], head, run.name);
      answer({ number, run: run.name, what: "answers", message });
    });
    const found = sharedWord(texts, probes, { ...setting, lemmas });
    const lens = { "word lens": wordOf(templates.views["word lens"], found) };
    answer({ number, run: runs[0].name, what: "answers", message: lens });
    answer({ number, run: runs[0].name, what: "chosen", message: found?.places ?? setting.at });
  }

  /** Read a text; one that is no longer the last as far as the open layer alone. @param {Reached} question @param {TextRun} text */
  async #read(question, { name, tokens, units, reading, weights, states }) {
    const { number, until, layer: open, setting } = question;
    const pieces = unitsOf(tokens, "wordpieces", setting.special);
    await this.encoder.run(reading, until, (layer, { query, key, before, after, ...found }) => {
      weights[layer] = found.weights;
      if (after) states.push(...(layer ? [] : [before]), after);
      const shown = shownAttention(found.weights, units, setting.special);
      const { removed } = shownAttention(found.weights, pieces, setting.special);
      const neurons = { query, key, ...(removed && { removed }) };
      const messages = /** @type {const} */ ([
        ["layer", layerMessage(shown, units, `${name}.attention`, layer)],
        ["neurons", neuronsMessage(neurons, tokens.units, `${name}.neurons`, layer)],
      ]);
      for (const [what, message] of messages) answer({ number, run: name, what, message });
      return question === this.#question || layer < open;
    });
  }

  /** The word whose last state moves most as heads are silenced, in a sentence, once it is known. @param {TextRun} run */
  async #movement({ tokens, letters, reading, states }) {
    const words = unitsOf(tokens, "words", "hide");
    if (!reading.silenced.length || !words.labels.length) return [];
    const before = await this.#statesOf({ ...tokens, silenced: [], layer: 0 });
    const distances = distancesOf(before[before.length - 1], states[states.length - 1], words.positions);
    const most = Math.max(...distances);
    const word = distances.indexOf(most);
    const letter = letters[words.b_start !== null && word >= words.b_start ? 1 : 0];
    const named = `The final vector of “${words.labels[word]}” in ${letter} changes most`;
    return [`${named}: its cosine distance to the one with all heads is ${most.toFixed(3)}.`];
  }
}

/** Unpacks Zstandard, which browsers do not; it makes the runtime's code a third smaller than gzip does. */
function zstandard() {
  /** @type {Decompress} */
  let unpacker;
  /** @type {TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>} */
  const stream = new TransformStream({
    start: (out) => {
      unpacker = new Decompress((chunk) => out.enqueue(/** @type {Uint8Array<ArrayBuffer>} */ (chunk)));
    },
    transform: (chunk) => unpacker.push(chunk),
  });
  return stream;
}

/** What is wrong with a text, in a sentence. */
class Refused extends Error {}

/** @param {number} number @param {any} error */
function refuse(number, error) {
  const words = error instanceof Refused ? error.message : `The model cannot be run here: ${error.message}`;
  answer({ number, refused: words });
}

/** @type {TextReader | null} */
let reader = null;
globalThis.addEventListener("message", ({ data }) => {
  if (data === "remove") reader?.remove();
  else if ("base" in data) reader = new TextReader(data);
  else if ("until" in data) void reader?.need(data.until);
  else reader?.ask(data);
});
