// Answers of typed texts: what Python wrote of each view (`viz/site/charts.py`), with a text's numbers in place of the
// references. They become templates of the page, as those of the example are.
import { element } from "../../../components/shared/elements.mjs";
import { themed } from "../plots.mjs";
import { axisOf, shortened } from "./token_axis.mjs";
/** @import { Contents } from "../plots.mjs" */

/**
 * What stands in a template for a part that depends on the text: a value by its name, changed as the fields say.
 * @typedef {object} Reference
 * @property {string} $ "norms.low" is the field "low" of the value "norms"
 * @property {number} [times] @property {number} [plus] @property {boolean} [rounds] of a number, in this order
 * @property {string} [after] of a text
 * @property {string[]} [rows] a copy of a list of texts for each row, whose name follows each text
 * @property {number} [tiled] how often a list is repeated
 * @property {number} [digits] of numbers as texts
 * @property {string[]} [colours] of numbers on a scale, whose ends `span` has
 * @property {unknown[]} [span]
 */

/**
 * @typedef {{ most: number | null, contents: Contents }} Variant of a chart, for up to so many tokens
 * @typedef {object} NormsTemplate
 * @property {string} html @property {Record<string, Variant[]>} charts
 * @property {string[]} states names in a sentence
 * @property {Record<"position" | "token type", number[]>} parts norms of what is added to a word's vector
 * @typedef {{ widths: Record<string, number>, views: { norms: NormsTemplate } }} Templates
 */

/**
 * What the worker measures of a run.
 * @typedef {object} Measured
 * @property {string[]} labels of T tokens
 * @property {number[]} types of the tokens, 0 or 1
 * @property {number[]} words (T) norms of their vectors in the table of words
 * @property {number[][]} norms (L + 1, T) @property {number[][]} cosines (L, T)
 */

const LONGEST_NAME = 24; // characters of a token in a sentence

export class Answers {
  /** @type {Promise<Templates> | null} */
  #templates = null;
  /** @type {Map<string, HTMLTemplateElement>} */
  #made = new Map();

  /** @param {string} address of the templates */
  constructor(address) {
    this.address = address;
  }

  /**
   * Add the answers of a text's run to the page, in place of those of the text before.
   * @param {string} run @param {string} place @param {Measured} measured
   */
  async add(run, place, measured) {
    this.#templates ??= fetch(this.address).then((response) => response.json());
    const { widths, views } = await this.#templates;
    const made = answerOf(views.norms, measured, widths);
    made.dataset.answer = `${run}.norms`;
    this.#made.get(place)?.remove();
    this.#made.set(place, made);
    document.body.append(made);
  }
}

/** @param {NormsTemplate} template @param {Measured} measured @param {Record<string, number>} widths */
function answerOf(template, measured, widths) {
  const made = element("template");
  made.innerHTML = template.html; // from Python, without a word of the text
  const { charts, words } = normsOf(template, measured, widths);
  const texts = document.createTreeWalker(made.content, window.NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    text.data = text.data.replace(/\{(\w+)\}/g, (whole, name) => words[name] ?? whole);
  }
  for (const script of made.content.querySelectorAll("script")) {
    script.type = "application/json";
    script.textContent = JSON.stringify(charts[script.dataset.plot ?? ""]);
  }
  return made;
}

/**
 * The charts of a run's norms, and the words of the sentence about them.
 * @param {NormsTemplate} template @param {Measured} measured
 * @param {Record<string, number>} widths of characters, in em
 * @returns {{ charts: Record<string, Contents>, words: Record<string, string> }}
 */
export function normsOf({ charts, states, parts }, { labels, types, words, norms, cosines }, widths) {
  const ofParts = [words, words.map((_, position) => parts.position[position])];
  if (parts["token type"]) ofParts.push(types.map((type) => parts["token type"][type]));
  const values = { ...axisOf(labels, widths), norms: mapOf(norms), cosines: mapOf(cosines), parts: ofParts };
  const means = norms.map((row) => row.reduce((sum, norm) => sum + norm, 0) / row.length);
  const last = norms[norms.length - 1];
  const [longest, shortest, place] = [largest(last), largest(last.map((norm) => -norm)), largest(means)];
  return {
    charts: Object.fromEntries(
      Object.entries(charts).map(([name, variants]) => [name, chartOf(variants, labels.length, values)]),
    ),
    words: {
      longest: shortened(labels[longest], LONGEST_NAME),
      shortest: shortened(labels[shortest], LONGEST_NAME),
      length: written(last[longest], 1),
      least: written(last[shortest], 1),
      place: states[place],
      mean: written(means[place], 1),
    },
  };
}

/** @param {Variant[]} variants @param {number} tokens @param {object} values @returns {Contents} */
function chartOf(variants, tokens, values) {
  const { contents } = /** @type {Variant} */ (variants.find(({ most }) => most === null || tokens <= most));
  const [light, dark] = ["light", "dark"].map((theme) => filled(themed(contents, theme), values));
  const changed = /** @type {Contents["dark"]} */ (["data", "layout"].map((part) => [[part], dark[part]]));
  return { figure: light, dark: changed, config: contents.config };
}

/** A template with a text's values in place of the references. @param {any} template @param {object} values @returns {any} */
export function filled(template, values) {
  if (Array.isArray(template)) return template.map((each) => filled(each, values));
  if (typeof template !== "object" || template === null) return template;
  if ("$" in template) return resolved(template, values);
  return Object.fromEntries(Object.entries(template).map(([name, each]) => [name, filled(each, values)]));
}

/** @param {Reference} reference @param {object} values */
function resolved({ $, times = 1, plus = 0, rounds, after = "", rows, tiled, digits, colours, span }, values) {
  const found = $.split(".").reduce((/** @type {any} */ inner, name) => inner[name], values);
  if (rows) return rows.map((row) => found.map((/** @type {string} */ name) => `${name}<br>${row}`));
  if (tiled) return Array(tiled).fill(found).flat();
  if (digits !== undefined) return textsOf(found, digits);
  if (colours) {
    const [low, high] = filled(span, values);
    const last = colours.length - 1;
    return found.map((/** @type {number} */ number) => {
      const share = Math.min(Math.max((number - low) / (high - low), 0), 1);
      return colours[Math.round(share * last)];
    });
  }
  if (typeof found === "string") return found + after;
  if (typeof found !== "number") return found;
  return rounds ? Math.round(found * times + plus) : found * times + plus;
}

/** @param {any} numbers a number, or lists of numbers @param {number} digits @returns {any} */
function textsOf(numbers, digits) {
  return Array.isArray(numbers) ? numbers.map((each) => textsOf(each, digits)) : written(numbers, digits);
}

/** A number as `viz/wording/numbers.py` writes it. @param {number} number @param {number} digits */
function written(number, digits) {
  const text = number.toFixed(digits);
  return /[1-9]/.test(text) ? text.replace("-", "\u2212") : text.replace("-", "");
}

/** The numbers of a heat map and the ends of its colours. @param {number[][]} rows */
function mapOf(rows) {
  const cells = rows.flat();
  const [low, high] = [Math.min(...cells), Math.max(...cells)];
  const places = rows.flatMap((row, place) => row.map(() => place));
  return { rows, cells, places, low, middle: (low + high) / 2, high };
}

/** The place of the largest number. @param {number[]} numbers */
function largest(numbers) {
  return numbers.indexOf(Math.max(...numbers));
}
