// Runs the encoder beside the page. It answers the last text that it was asked for; those before may go unanswered.
import { Tokenizer } from "@huggingface/tokenizers";
import { Decompress } from "fzstd";
import * as runtime from "onnxruntime-web/wasm";
import { BrowserEncoder } from "./encoder.mjs";
import { ModelFiles, once, unpacked } from "./files.mjs";
import { Graphs, asLists } from "./graphs.mjs";
import { axisOf } from "./labels.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "./payloads.mjs";
import { lossesOf } from "./removed_words.mjs";
import { stripOf } from "./strip.mjs";
import { filled } from "./templates.mjs";
import { tokensOf } from "./tokens.mjs";
import { membersOf, unitsOf } from "./units.mjs";
import { sharedWord } from "./words.mjs";
/** @import { Head, Special, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { SiteFacts, Templates } from "../contents.mjs" */
/** @import { Run } from "./characters.mjs" */
/** @import { Floats, Reading } from "./encoder.mjs" */
/** @import { Progress } from "./files.mjs" */
/** @import { TextTokens } from "./tokens.mjs" */

/**
 * @typedef {{ base: string, facts: SiteFacts, until: number }} Start
 * @typedef {{ name: string, letters: string, texts: string[] }} Asked a text or pair with its letters, and its run's name
 * @typedef {{ level: string, special: Special, silenced: readonly Head[], at: number[], preferred: string }} Setting
 * @typedef {{ number: number, runs: Asked[], setting: Setting, layer: number, removes: boolean }} Question with the layer that is open, and whether words are removed
 * @typedef {Question & { until: number, notes: string[], texts: TextRun[] | null }} Reached how far it was answered, and from what
 * @typedef {Asked & { tokens: TextTokens, reading: Reading, profiles: Floats[] }} TextRun
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
    const graph = (/** @type {string} */ name) => this.files.read(`${facts.step}${name}.onnx`);
    this.graphs = new Graphs(runtime, graph, () => this.#started());
    this.encoder = new BrowserEncoder(this.graphs, facts, (name) => this.files.read(name));
    void this.#begin().catch(() => {}); // the question reports it
  }

  /** Load what the first picture needs, and all that an earlier visit has cached. */
  async #begin() {
    await Promise.all([this.#tokenizer(), this.graphs.load("attention"), this.encoder.load(this.until)]);
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
    return { tokenizer: new Tokenizer(tokenizer, {}), characters: /** @type {Run[]} */ (characters) };
  });

  /** @returns {Promise<Templates>} */
  #templates = once(async () => this.files.json(`${this.facts.step}answers.json`));

  /** The lemma of each word of the vocabulary that has several forms. */
  #lemmas = once(async () => {
    const text = new TextDecoder().decode(await this.files.read("inflections.txt"));
    const lines = text.split("\n").map((line) => line.split(" "));
    return new Map(lines.flatMap((forms) => forms.map((form) => [form, forms[0]])));
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
    for (const { name, profiles } of question.texts) {
      answer({ number, run: name, what: "map", message: mapMessage(profiles, this.facts.measures) });
    }
    const isWhole = question.texts.every(({ reading }) => reading.states.length > this.facts.layers);
    if (isWhole) await this.#fillAnswers(question, question.texts);
    else for (const text of question.texts) this.#showStrip(question, text, []);
    const moved = isWhole ? await Promise.all(question.texts.map((text) => this.#movement(text))) : [];
    answer({ number, notes: [...notes, ...moved.flat()] });
    if (!isWhole || !question.removes) return;
    for (const text of question.texts) await this.#removeWords(question, text);
    if (question === this.#question) answer({ number, notes: [...notes, ...moved.flat()] });
  }

  /** What the head says of a text without each of its words, one after the other. @param {Reached} question @param {TextRun} text */
  async #removeWords({ number, setting }, { name, tokens, reading }) {
    const { why } = await this.#templates();
    if (!why) return;
    const { characters } = await this.#tokenizer();
    const { labels, positions } = unitsOf(tokens, setting.level, "hide");
    const isMissing = !labels.length || tokens.ids.length > why.most;
    const { order } = await this.#predicted(reading.states);
    const [label, against] = order;
    const shareOf = async (/** @type {Floats[]} */ states) => {
      const { probabilities } = await this.#predicted(states);
      return probabilities[label] / (probabilities[label] + probabilities[against]);
    };
    const total = await shareOf(reading.states);
    const losses = [];
    for (const unit of isMissing ? [] : positions) {
      await new Promise((done) => setTimeout(done)); // so that another question can arrive
      if (number !== this.#question?.number) return;
      answer({ number, notes: [`Removing words: ${losses.length + 1} of ${positions.length}.`] });
      const ids = tokens.ids.map((id, position) => (unit.includes(position) ? why.mask : id));
      losses.push(total - (await shareOf(await this.#statesOf({ ...tokens, ids, silenced: setting.silenced }))));
    }
    const values = lossesOf({ labels, losses, total, label, against }, characters, why.box);
    const message = { [`${name}.why`]: filled(isMissing ? why.missing : why.answer, values) };
    answer({ number, run: name, what: "answers", message });
  }

  /** The hidden states of a text, (T, D) each. @param {Omit<Reading, "layer" | "states">} text */
  async #statesOf(text) {
    /** @type {Reading} */
    const reading = { ...text, layer: 0, states: [] };
    await this.encoder.run(reading, this.facts.layers - 1, async () => true);
    return reading.states;
  }

  /** @param {Floats[]} states */
  async #predicted(states) {
    return asLists(await this.graphs.run("predicted", { states: stackOf(states) }));
  }

  /** What graphs say of the words of a text. @param {TextTokens} tokens @param {Floats[]} states */
  async #words(tokens, states) {
    const members = membersOf(unitsOf(tokens, "words", "hide"), tokens.ids.length);
    return this.graphs.run("words", { states: stackOf(states), ...members });
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
      if (!unitsOf(tokens, level, special).labels.length) throw new Refused(NOTHING_SHOWN);
      return { ...run, tokens, reading: { ...tokens, silenced, layer: 0, states: [] }, profiles: [] };
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
    const [templates, { characters }] = await Promise.all([this.#templates(), this.#tokenizer()]);
    const words = await Promise.all(runs.map(({ tokens, reading }) => this.#words(tokens, reading.states)));
    for (const [index, run] of runs.entries()) {
      const { tokens, reading, name } = run;
      const { tags } = asLists(words[index]);
      this.#showStrip(question, run, tags ? filled(templates.tags, { tags: tags[tags.length - 1] }) : []);
      const states = stackOf(reading.states);
      const types = { shape: [tokens.types.length], values: BigInt64Array.from(tokens.types, BigInt) };
      const norms = await this.graphs.run("norms", { states, words: /** @type {Floats} */ (reading.vectors), types });
      const message = {
        [`${name}.norms`]: filled(templates.norms, { ...axisOf(tokens.units.labels, characters), ...asLists(norms) }),
        ...(templates.predictions && {
          [`${name}.predictions`]: filled(templates.predictions, await this.#predicted(reading.states)),
        }),
      };
      answer({ number, run: name, what: "answers", message });
    }
    const texts = runs.map(({ tokens }) => tokens);
    const found = sharedWord(texts, { ...setting, lemmas: await this.#lemmas() });
    const lens = { "word lens": await this.#lensOf(templates.lens, found, words) };
    answer({ number, run: runs[0].name, what: "answers", message: lens });
    answer({ number, run: runs[0].name, what: "chosen", message: found?.places ?? setting.at });
  }

  /** @param {Templates["lens"]} template @param {ReturnType<typeof sharedWord>} found @param {Record<string, Floats>[]} words of each text */
  async #lensOf(template, found, [a, b]) {
    if (!found) return template.missing;
    const { places, labels, isOneForm } = found;
    if (places.includes(-1)) return filled(template.absent, { labels, text: places.indexOf(-1) });
    const [atA, atB] = places.map((place) => ({ shape: [1], values: BigInt64Array.of(BigInt(place)) }));
    const read = a.read && { read_a: a.read, read_b: b.read };
    const measured = await this.graphs.run("lens", { a: a.means, b: b.means, at_a: atA, at_b: atB, ...read });
    return filled(template.answer, { labels, forms: isOneForm ? 0 : 1, ...asLists(measured) });
  }

  /** Read a text; one that is no longer the last as far as the open layer alone. @param {Reached} question @param {TextRun} text */
  async #read(question, { name, tokens, reading, profiles }) {
    const { number, until, layer: open, setting } = question;
    const [units, pieces] = [setting.level, "wordpieces"].map((level) => unitsOf(tokens, level, setting.special));
    await this.encoder.run(reading, until, async (layer, { query, key, weights }) => {
      const { profiles: found, ...shown } = await this.#shown(weights, tokens, units, setting.special);
      const { removed } = await this.#shown(weights, tokens, pieces, setting.special);
      profiles[layer] = found;
      const messages = /** @type {const} */ ([
        ["layer", layerMessage(shown, units, `${name}.attention`, layer)],
        [
          "neurons",
          neuronsMessage({ query, key, ...(removed && { removed }) }, tokens.units, `${name}.neurons`, layer),
        ],
      ]);
      for (const [what, message] of messages) answer({ number, run: name, what, message });
      return question === this.#question || layer < open;
    });
  }

  /** The attention between units, and what queries give to hidden tokens, unless all are shown. @param {Floats} weights @param {TextTokens} tokens @param {UnitExtras} units @param {Special} special @returns {Promise<any>} */
  async #shown(weights, tokens, units, special) {
    const isSeparator = tokens.units.special.map((each, position) => Number(each && position > 0));
    const separators = { shape: [isSeparator.length], values: Float32Array.from(isSeparator) };
    const scaled = { shape: [], values: Uint8Array.of(Number(special === "renormalise")) };
    const members = membersOf(units, tokens.ids.length);
    const { removed, ...shown } = await this.graphs.run("attention", { weights, separators, scaled, ...members });
    return special === "show" ? shown : { ...shown, removed };
  }

  /** The word whose last state moves most as heads are silenced, in a sentence, once it is known. @param {TextRun} run */
  async #movement({ tokens, letters, reading }) {
    const words = unitsOf(tokens, "words", "hide");
    if (!reading.silenced.length || !words.labels.length) return [];
    const before = await this.#words(tokens, await this.#statesOf({ ...tokens, silenced: [] }));
    const after = await this.#words(tokens, reading.states);
    const { word, distance } = asLists(await this.graphs.run("moved", { before: before.means, after: after.means }));
    const letter = letters[words.b_start !== null && word >= words.b_start ? 1 : 0];
    const named = `The final vector of “${words.labels[word]}” in ${letter} changes most`;
    return [`${named}: its cosine distance to the one with all heads is ${distance.toFixed(3)}.`];
  }
}

/** Arrays of one shape as one, with an axis more. @param {readonly Floats[]} arrays @returns {Floats} */
function stackOf(arrays) {
  const size = arrays[0].values.length;
  const values = new Float32Array(arrays.length * size);
  arrays.forEach((each, index) => values.set(each.values, index * size));
  return { shape: [arrays.length, ...arrays[0].shape], values };
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
