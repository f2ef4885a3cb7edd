// Reads texts, and makes what the page shows of them: a record of messages, by their kinds.
import { Tokenizer } from "@huggingface/tokenizers";
import * as onnx from "onnxruntime-web/wasm";
import { isolated } from "./characters.mjs";
import { BrowserEncoder } from "./encoder.mjs";
import { once } from "./files.mjs";
import { Graphs, arrayOf, asLists } from "./graphs.mjs";
import { axisOf } from "./labels.mjs";
import { nextTask } from "./next_task.mjs";
import { layerMessage, neuronsMessage } from "./payloads.mjs";
import { lossesOf } from "./removed_words.mjs";
import { readingInWords, readingOf } from "./readings.mjs";
import { startRuntime } from "./runtime.mjs";
import { filled } from "./templates.mjs";
import { isUnsegmented, tokensOf } from "./tokens.mjs";
import { membersOf, unitsOf } from "./units.mjs";
import { sharedWord } from "./words.mjs";
/** @import { Head, Special, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { SiteFacts, Templates } from "../contents.mjs" */
/** @import { CharacterRange } from "./characters.mjs" */
/** @import { Floats, Reading } from "./encoder.mjs" */
/** @import { ModelFiles } from "./files.mjs" */
/** @import { TextTokens } from "./tokens.mjs" */

/**
 * @typedef {{ name: string, letters: string, texts: string[] }} Asked a text or pair with its letters, and its run's name
 * @typedef {{ level: string, special: Special, tags: string, silenced: readonly Head[], at: number[], preferred: string }} Setting
 * @typedef {Asked & { tokens: TextTokens, reading: Reading, profiles: Floats[], words?: Record<string, Floats> }} TextRun
 */

const NOTHING_SHOWN = "This text has special tokens only, and they are hidden: show them, or type a word.";
const UNSEGMENTED = "Without spaces between words, this page takes every token for a word.";

/** What is wrong with a text, in a sentence. */
export class Refused extends Error {}

export class TextReader {
  /** @param {SiteFacts} facts @param {ModelFiles} files */
  constructor(facts, files) {
    this.facts = facts;
    this.files = files;
    const graph = (/** @type {string} */ name) => files.read(`${facts.step}${name}.onnx`);
    this.graphs = new Graphs(onnx, graph, () => this.#started());
    this.encoder = new BrowserEncoder(this.graphs, facts, (name) => files.read(name));
  }

  #started = once(() => startRuntime(this.files, this.facts.runtime));

  tokenizer = once(async () => {
    const { tokenizer, characters } = await this.files.json("tokenizer.json");
    return { tokenizer: new Tokenizer(tokenizer, {}), characters: /** @type {CharacterRange[]} */ (characters) };
  });

  /** @returns {Promise<Templates>} */
  #templates = once(async () => this.files.json(`${this.facts.step}answers.json`));

  /** The lemma of each word of the vocabulary that has several forms. */
  #lemmas = once(async () => {
    const text = new TextDecoder().decode(await this.files.read("inflections.txt"));
    const lines = text.split("\n").map((line) => line.split(" "));
    return new Map(lines.flatMap((forms) => forms.map((form) => [form, forms[0]])));
  });

  /** Load what the first picture needs, as far as a layer. @param {number} until */
  async load(until) {
    void this.#started().catch(() => {}); // first, as it is the largest; a graph reports it
    await Promise.all([this.tokenizer(), this.graphs.load("attention"), this.encoder.load(until)]);
  }

  /**
   * Texts as tokens, of which the model has read none.
   * @throws {Refused}
   * @param {readonly Asked[]} runs @param {Setting} setting @param {string[]} notes to which remarks on the texts are added
   * @returns {Promise<TextRun[]>}
   */
  async textsOf(runs, { level, special, silenced }, notes) {
    const { tokenizer, characters } = await this.tokenizer();
    return runs.map((run) => {
      const tokens = tokensOf(tokenizer, characters, run.texts, this.facts);
      if ("empty" in tokens) throw new Refused(`Sentence ${run.letters[tokens.empty]} is empty: type a word.`);
      tokens.cut.forEach((cut, index) => {
        const end = cut > 1 ? `last ${cut} tokens are` : "last token is";
        if (cut) notes.push(`Sentence ${run.letters[index]} is too long: its ${end} cut off.`);
      });
      if (isUnsegmented(run.texts, characters)) notes.push(UNSEGMENTED);
      if (!unitsOf(tokens, level, special).labels.length) throw new Refused(NOTHING_SHOWN);
      return { ...run, tokens, reading: { ...tokens, silenced, layer: 0, states: [] }, profiles: [] };
    });
  }

  /**
   * Read a text as far as a layer.
   * @param {TextRun} text @param {number} until @param {Setting} setting
   * @param {(layer: number, messages: Record<string, unknown>) => Promise<boolean>} onLayer whether to go on
   */
  async read({ name, tokens, reading, profiles }, until, { level, special }, onLayer) {
    const [units, pieces] = [level, "wordpieces"].map((each) => unitsOf(tokens, each, special));
    await this.encoder.run(reading, until, async (layer, { query, key, weights }) => {
      const { profiles: found, ...shown } = await this.#attention(weights, tokens, units, special);
      const isSame = level === "wordpieces" || special === "show";
      const { removed } = isSame ? shown : await this.#attention(weights, tokens, pieces, special);
      profiles[layer] = found;
      const neurons = { query, key, ...(removed && { removed }) };
      return onLayer(layer, {
        layer: layerMessage(shown, units, `${name}.attention`, layer),
        neurons: neuronsMessage(neurons, tokens.units, `${name}.neurons`, layer),
      });
    });
  }

  /** Attention between units, and what queries give to hidden tokens, unless all are shown. @param {Floats} weights @param {TextTokens} tokens @param {UnitExtras} units @param {Special} special @returns {Promise<any>} */
  async #attention(weights, tokens, units, special) {
    const separators = tokens.units.special.map((each, position) => Number(each && position > 0));
    const scaled = { shape: [], values: Float32Array.of(Number(special === "renormalise")) };
    const given = {
      separators: arrayOf(Float32Array.from(separators)),
      scaled,
      ...membersOf(units, tokens.ids.length),
    };
    const { removed, ...shown } = await this.graphs.run("attention", { weights, ...given });
    return special === "show" ? shown : { ...shown, removed };
  }

  /** How a text is read. @param {TextRun} text */
  async readingOf({ name, texts, tokens }) {
    const [{ tokens: template }, { characters }] = await Promise.all([this.#templates(), this.tokenizer()]);
    const [{ html, changes, losses }, reading] = [template, readingOf(texts, tokens, characters)];
    const words = readingInWords(reading, losses);
    return { [`${name}.tokens`]: { html: html[words.unknown ? 1 : 0], charts: {}, words, reading, changes } };
  }

  /** The views of a text that are answers, and the tags of its words. @param {TextRun} text @param {Setting} setting */
  async answersOf(text, setting) {
    const { name, tokens, reading } = text;
    const [templates, { characters }] = await Promise.all([this.#templates(), this.tokenizer()]);
    const { tags } = asLists(await this.#wordsOf(text));
    const found = await this.graphs.run("norms", { states: stackOf(reading.states) });
    const norms = {
      characters,
      ...axisOf(tokens.units.labels, characters, templates.axis),
      ...asLists({ ...found, parts: /** @type {Floats} */ (reading.parts) }),
    };
    const { predictions } = templates;
    return {
      tags: tags ? filled(templates.tags, { tags: tags.at(setting.tags === "all" ? -1 : setting.tags) }) : [],
      answers: {
        [`${name}.norms`]: filled(templates.norms, norms),
        ...(predictions && { [`${name}.predictions`]: filled(predictions, await this.#predicted(reading.states)) }),
      },
    };
  }

  /** The word of the lens, and its place in each text. @param {readonly TextRun[]} texts @param {Setting} setting */
  async lensOf(texts, { at, preferred }) {
    const [{ lens }, { characters }, lemmas] = await Promise.all([this.#templates(), this.tokenizer(), this.#lemmas()]);
    const found = sharedWord(texts, { at, preferred, lemmas });
    if (!found) return { chosen: at, answers: { "word lens": lens.missing } };
    const { places, isOneForm } = found;
    const named = { characters, labels: found.labels };
    const missing = places.indexOf(-1);
    if (missing >= 0) return { chosen: places, answers: { "word lens": filled(lens.absent, { ...named, missing }) } };
    const [a, b] = await Promise.all(texts.map((text) => this.#wordsOf(text)));
    const [atA, atB] = places.map((place) => arrayOf(BigInt64Array.of(BigInt(place))));
    const read = a.read && { read_a: a.read, read_b: b.read };
    const measured = await this.graphs.run("lens", { a: a.means, b: b.means, at_a: atA, at_b: atB, ...read });
    const values = { ...named, forms: isOneForm ? 0 : 1, ...asLists(measured) };
    return { chosen: places, answers: { "word lens": filled(lens.answer, values) } };
  }

  /** The predictions for a text without each of its words. @param {TextRun} text @param {Setting} setting @param {(removed: number, words: number) => boolean} onWord whether to go on */
  async lossesOf({ name, tokens, reading }, { level, silenced }, onWord) {
    const [{ why }, { characters }] = await Promise.all([this.#templates(), this.tokenizer()]);
    if (!why) return {};
    const { labels, positions } = unitsOf(tokens, level, "hide");
    if (!labels.length || tokens.ids.length > why.most) return { [`${name}.why`]: why.missing };
    const [label, against] = (await this.#predicted(reading.states)).order;
    const shareIn = async (/** @type {Floats[]} */ states) => {
      const { probabilities } = await this.#predicted(states);
      return probabilities[label] / (probabilities[label] + probabilities[against]);
    };
    const total = await shareIn(reading.states);
    const losses = [];
    for (const unit of positions) {
      await nextTask(); // so that another question can arrive
      if (!onWord(losses.length + 1, positions.length)) return {};
      const ids = tokens.ids.map((id, position) => (unit.includes(position) ? why.mask : id));
      losses.push(total - (await shareIn(await this.#statesOf({ ...tokens, ids, silenced }))));
    }
    const values = lossesOf({ labels, losses, total, label, against }, characters, why.box);
    return { [`${name}.why`]: filled(why.answer, values) };
  }

  /** The word whose last state moves most as heads are silenced, in a sentence. @param {TextRun} text */
  async movementOf(text) {
    const { tokens, letters, reading } = text;
    const words = unitsOf(tokens, "words", "hide");
    if (!reading.silenced.length || !words.labels.length) return [];
    const before = await this.#words(tokens, await this.#statesOf({ ...tokens, silenced: [] }));
    const after = await this.#wordsOf(text);
    const { word, distance } = asLists(await this.graphs.run("moved", { before: before.means, after: after.means }));
    const letter = letters[words.b_start !== null && word >= words.b_start ? 1 : 0];
    const { characters } = await this.tokenizer();
    const named = `The final vector of “${isolated(words.labels[word], characters)}” in ${letter} changes most`;
    return [`${named}: its cosine distance to the one with all heads is ${distance.toFixed(3)}.`];
  }

  /** The hidden states of a text, (T, D) each. @param {Omit<Reading, "layer" | "states">} text */
  async #statesOf(text) {
    /** @type {Reading} */
    const reading = { ...text, layer: 0, states: [] };
    await this.encoder.run(reading, this.facts.layers - 1, async () => true);
    return reading.states;
  }

  /** @param {readonly Floats[]} states */
  async #predicted(states) {
    return asLists(await this.graphs.run("predicted", { states: stackOf(states) }));
  }

  /** What graphs compute for the words of a text that was read. @param {TextRun} text */
  async #wordsOf(text) {
    text.words ??= await this.#words(text.tokens, text.reading.states);
    return text.words;
  }

  /** @param {TextTokens} tokens @param {readonly Floats[]} states */
  #words(tokens, states) {
    const members = membersOf(unitsOf(tokens, "words", "hide"), tokens.ids.length);
    return this.graphs.run("words", { states: stackOf(states), ...members });
  }
}

/** Arrays of one shape as one, with an axis more. @param {readonly Floats[]} arrays @returns {Floats} */
function stackOf(arrays) {
  const size = arrays[0].values.length;
  const values = new Float32Array(arrays.length * size);
  arrays.forEach((each, index) => values.set(each.values, index * size));
  return { shape: [arrays.length, ...arrays[0].shape], values };
}
