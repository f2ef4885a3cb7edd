// Answers of typed texts: what Python wrote of each view (`viz/site/templates.py`), with a text's numbers in place of
// the references. They become templates of the page, as those of the example are.
import { element } from "../../../components/shared/elements.mjs";
import { themed } from "../plots.mjs";
import { normsIn, predictedBy } from "./measures.mjs";
import { axisOf, shortened } from "./token_axis.mjs";
/** @import { Contents } from "../plots.mjs" */
/** @import { RemovedWordsTemplate } from "./removed_words.mjs" */
/** @import { ReadingHead, TextStates, sharedWord } from "./measures.mjs" */

/**
 * What stands in a template for a part that depends on the text: "norms.low" is the field "low" of the value "norms".
 * It is changed in steps, each with its name in CHANGES and what it takes. { each: "words", as: a template } is a list with
 * the template for each word.
 * @typedef {{ $: string, to?: [change: string, ...by: unknown[]][] }} Reference
 */

/** @typedef {ReturnType<typeof predictedBy>} Predicted */

/**
 * @typedef {{ most: number | null, contents: Contents }} Variant of a chart, for up to so many tokens
 * @typedef {{ html: string, charts: Record<string, Contents>, words: Record<string, string> }} Filled
 * @typedef {object} NormsTemplate
 * @property {string} html @property {Record<string, Variant[]>} charts
 * @property {string[]} states names in a sentence
 * @property {Record<"position" | "token type", number[]>} parts norms of what is added to a word's vector
 * @typedef {{ html: string, labels: string[], charts: Record<string, Contents> }} PredictionsTemplate
 * @typedef {object} WordTemplate
 * @property {string[]} html @property {Contents[]} parting by the layer from which on the uses diverge; last, if they do not
 * @property {string[]} said what the word is read as, or two words
 * @property {string} missing the answer if no word is shared @property {string} absent if the chosen one is not
 * @property {Contents[]} belief of A and of B
 * @property {number[]} thresholds (L + 1) below which the uses diverge
 * @property {number} lowest of the cosines that the chart always shows
 * @property {string[]} states @property {string[]} tags names in a sentence @property {string[]} codes of the tags
 * @property {number} colours classes with a colour of their own
 * @property {string} otherwise the heading if both uses are of one class
 * @typedef {{ widths: Record<string, number>, views: { norms: NormsTemplate, predictions: PredictionsTemplate, why: RemovedWordsTemplate, "word lens": WordTemplate } }} Templates
 */

const LONGEST_NAME = 24; // characters of a token in a sentence

/**
 * The answers about one run, by the names of their templates.
 * @param {Templates} templates @param {TextStates} text @param {ReadingHead | null} head @param {string} run
 * @returns {Record<string, Filled>}
 */
export function answersOf({ widths, views }, text, head, run) {
  return {
    [`${run}.norms`]: normsOf(views.norms, normsIn(text), widths),
    ...(head && { [`${run}.predictions`]: predictionsOf(views.predictions, predictedBy(head, text.states)) }),
  };
}

/** Remove the answers of a run from the page. @param {string} run */
export function removeAnswers(run) {
  for (const each of document.querySelectorAll(`template[data-answer^="${CSS.escape(`${run}.`)}"]`)) each.remove();
}

/** Add an answer to the page, in place of the one of its name. @param {string} name @param {Filled} filled */
export function addAnswer(name, { html, charts, words }) {
  const made = element("template");
  made.dataset.answer = name;
  made.innerHTML = html; // from Python, without a word of the text
  const texts = document.createTreeWalker(made.content, window.NodeFilter.SHOW_TEXT);
  const withWords = (/** @type {string} */ text) => text.replace(/\{(\w+)\}/g, (whole, word) => words[word] ?? whole);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    text.data = withWords(text.data);
  }
  for (const figure of made.content.querySelectorAll("figure")) figure.ariaLabel = withWords(figure.ariaLabel ?? "");
  for (const script of made.content.querySelectorAll("script")) {
    script.type = "application/json";
    script.textContent = JSON.stringify(charts[script.dataset.plot ?? ""]);
  }
  document.querySelector(`template[data-answer="${CSS.escape(name)}"]`)?.remove();
  document.body.append(made);
}

/**
 * @param {NormsTemplate} template @param {ReturnType<typeof normsIn>} measured
 * @param {Record<string, number>} widths of characters, in em
 * @returns {Filled}
 */
export function normsOf({ html, charts, states, parts }, { labels, types, words, norms, cosines }, widths) {
  const ofParts = [words, words.map((_, position) => parts.position[position])];
  if (parts["token type"]) ofParts.push(types.map((type) => parts["token type"][type]));
  const values = { ...axisOf(labels, widths), norms: mapOf(norms), cosines: mapOf(cosines), parts: ofParts };
  const means = norms.map((row) => row.reduce((sum, norm) => sum + norm, 0) / row.length);
  const last = norms[norms.length - 1];
  const [longest, shortest, place] = [largest(last), largest(last.map((norm) => -norm)), largest(means)];
  const fits = (/** @type {Variant} */ { most }) => most === null || labels.length <= most;
  return {
    html,
    charts: Object.fromEntries(
      Object.entries(charts).map(([name, variants]) => {
        const { contents } = /** @type {Variant} */ (variants.find(fits));
        return [name, chartOf(contents, values)];
      }),
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

/** @param {PredictionsTemplate} template @param {Predicted} predicted @returns {Filled} */
export function predictionsOf({ html, labels, charts }, predicted) {
  const { probabilities, score } = predicted;
  const likeliest = largest(probabilities);
  return {
    html,
    charts: Object.fromEntries(Object.entries(charts).map(([name, contents]) => [name, chartOf(contents, predicted)])),
    words: { label: labels[likeliest], share: percent(probabilities[likeliest]), score: written(score, 3) },
  };
}

/** @param {WordTemplate} template @param {ReturnType<typeof sharedWord>} found @returns {Filled} */
export function wordOf(template, found) {
  if (!found) return { html: template.missing, charts: {}, words: {} };
  const { words, absentIn, cosines, classes } = found;
  const isOne = words[0].toLowerCase() === words[1].toLowerCase();
  const [wordA, wordB] = words.map((each) => shortened(each, LONGEST_NAME));
  if (absentIn) return { html: template.absent, charts: {}, words: { word: wordA, letter: absentIn } };
  const diverged = Math.max(
    cosines.findLastIndex((cosine, state) => cosine >= template.thresholds[state]),
    0,
  );
  const deepest = largest(cosines.map((cosine) => -cosine));
  const least = Math.min(template.lowest, cosines[deepest]);
  const room = Math.max(1 - least, 0.01);
  const parting = chartOf(template.parting[diverged], { cosines, range: [least - 0.1 * room, 1 + 0.12 * room] });
  const read = classes && readingsOf(template, classes);
  return {
    html: template.html[diverged].replace("{said}", template.said[isOne ? 0 : 1]),
    charts: { parting, ...read?.charts },
    words: {
      ...{ wordA, wordB },
      last: written(cosines[cosines.length - 1], 2),
      lowest: written(cosines[deepest], 2),
      place: template.states[deepest],
      ...read?.words,
    },
  };
}

/**
 * What the probes say of the word in A and in B.
 * @param {WordTemplate} template @param {Record<"A" | "B", number[][]>} classes (L + 1, C) probabilities
 */
function readingsOf({ tags, colours, belief, otherwise }, { A, B }) {
  const highest = tags.map((_, tag) => Math.max(...[...A, ...B].map((row) => row[tag])));
  const order = tags.map((_, tag) => tag).sort((one, other) => highest[other] - highest[one]);
  const shown = order.slice(0, colours);
  const [chartA, chartB] = [A, B].map((rows, index) => {
    const rest = rows.map((row) => Math.max(1 - shown.reduce((sum, tag) => sum + row[tag], 0), 0));
    const values = [...tags.map((_, tag) => rows.map((row) => row[tag])), rest];
    return chartOf(belief[index], { values }, [...shown, tags.length]);
  });
  const [lastA, lastB] = [A, B].map((rows) => rows[rows.length - 1]);
  const [tagA, tagB] = [lastA, lastB].map((row) => tags[largest(row)]);
  const kinds = [tagA, tagB].map((tag) => tag.slice(tag.indexOf(" ") + 1)).join(" or ");
  const question = tagA === tagB ? otherwise : `${kinds[0].toUpperCase()}${kinds.slice(1)}?`;
  const [shareA, shareB] = [lastA, lastB].map((row) => percent(Math.max(...row)));
  return { charts: { "belief-A": chartA, "belief-B": chartB }, words: { tagA, shareA, tagB, shareB, question } };
}

/**
 * A chart with a text's values.
 * @param {Contents} contents @param {object} values @param {number[]} [traces] those that are shown
 * @returns {Contents}
 */
export function chartOf(contents, values, traces) {
  const [light, dark] = ["light", "dark"].map((theme) => {
    const { data, layout } = filled(themed(contents, theme), values);
    return { data: traces?.map((index) => data[index]) ?? data, layout };
  });
  const changed = /** @type {Contents["dark"]} */ (Object.entries(dark).map(([part, value]) => [[part], value]));
  return { figure: light, dark: changed, config: contents.config };
}

/** A template with a text's values in place of the references. @param {any} template @param {object} values @returns {any} */
export function filled(template, values) {
  if (Array.isArray(template)) return template.map((each) => filled(each, values));
  if (typeof template !== "object" || template === null) return template;
  if ("$" in template) return resolved(template, values);
  if ("each" in template) {
    const each = /** @type {Record<string, object[]>} */ (values)[template.each];
    return each.map((own) => filled(template.as, { ...values, ...own }));
  }
  return Object.fromEntries(Object.entries(template).map(([name, each]) => [name, filled(each, values)]));
}

/** @type {Record<string, (value: any, ...by: any[]) => any>} */
const CHANGES = {
  times: (number, factor) => number * factor,
  plus: (number, added) => number + added,
  rounded: (number) => Math.round(number),
  written: (numbers, digits) =>
    Array.isArray(numbers) ? numbers.map((each) => CHANGES.written(each, digits)) : written(numbers, digits),
  signed: (number, digits) => {
    const text = written(number, digits);
    return number > 0 && /[1-9]/.test(text) ? `+${text}` : text;
  },
  scaled: (number, /** @type {number[]} */ shares) => shares.map((share) => share * number),
  at: (list, place) => list[place],
  framed: (text, before, after) => before + text + after,
  rows: (/** @type {string[]} */ texts, names) =>
    names.map((/** @type {string} */ name) => texts.map((text) => `${text}<br>${name}`)),
  tiled: (list, count) => Array(count).fill(list).flat(),
  named: (/** @type {number[]} */ numbers, name, least) => numbers.map((number) => (number > least ? name : "")),
  coloured: (/** @type {number[]} */ numbers, low, high, colours) =>
    numbers.map((number) => {
      const share = Math.min(Math.max((number - low) / (high - low), 0), 1);
      return colours[Math.round(share * (colours.length - 1))];
    }),
};

/** @param {Reference} reference @param {object} values */
function resolved({ $, to = [] }, values) {
  const found = $.split(".").reduce((/** @type {any} */ inner, field) => inner[field], values);
  return to.reduce((value, [change, ...by]) => CHANGES[change](value, ...filled(by, values)), found);
}

/** A number as `viz/wording/numbers.py` writes it. @param {number} number @param {number} digits */
export function written(number, digits) {
  const text = number.toFixed(digits);
  return /[1-9]/.test(text) ? text.replace("-", "\u2212") : text.replace("-", "");
}

/** @param {number} share */
function percent(share) {
  return `${written(100 * share, 0)} %`;
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
