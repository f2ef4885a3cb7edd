// Why this prediction? What is lost of the likeliest class without each word, with the template of
// `viz/site/removed_words.py`.
import { chartOf, written } from "./answers.mjs";
import { ems, plotlyText, shortened } from "./token_axis.mjs";
/** @import { Contents } from "../plots.mjs" */
/** @import { Filled } from "./answers.mjs" */

/**
 * @typedef {object} RemovedWordsTemplate
 * @property {string} html @property {Contents} chart
 * @property {Record<"long" | "empty", string>} missing answers about texts that are not explained
 * @property {number} most tokens of a text
 * @property {number} mask id of the token that replaces a word's
 * @property {Record<"limit" | "size" | "least" | "padding" | "gap" | "room" | "pitch" | "legend" | "few_decimals", number>} box layout of the words
 */

/** The likeliest two classes. @param {number[]} probabilities */
export function rivalsIn(probabilities) {
  const [label, against] = [...probabilities.keys()].sort((one, other) => probabilities[other] - probabilities[one]);
  return { label, against };
}

/** The probability of a class among two. @param {number[]} probabilities @param {ReturnType<typeof rivalsIn>} rivals */
export function shareOf(probabilities, { label, against }) {
  return probabilities[label] / (probabilities[label] + probabilities[against]);
}

/**
 * @param {RemovedWordsTemplate} template
 * @param {{ labels: string[], total: number, without: number[], rivals: string[] }} measured the probability of the
 *   first class among two, and what it is without each word
 * @param {Record<string, number>} widths of characters, in em
 * @returns {Filled}
 */
export function removedWordsOf({ html, chart, box }, { labels, total, without, rivals: [label, against] }, widths) {
  const values = without.map((share) => total - share);
  const high = Math.max(...values.map(Math.abs), 1e-6);
  let [top, left] = [0, 0];
  const words = labels.map((each, place) => {
    const short = shortened(each, box.limit);
    const width = Math.max(box.size * ems(short, widths), box.least) + box.padding;
    if (left > 0 && left + width > box.room) [top, left] = [top + box.pitch, 0];
    const start = left;
    left += width + box.gap;
    const hover = `<b>${plotlyText(each)}</b> · ${place}<br>`;
    const text = { label: plotlyText(short), hover, value: values[place] };
    return { ...text, place, top, left: start, middle: start + width / 2, width };
  });
  const height = top + box.pitch + box.legend;
  const decimals = high >= box.few_decimals ? 2 : 3;
  return {
    html,
    charts: { words: chartOf(chart, { words, values, low: -high, high, decimals, height }) },
    words: { label, against, total: written(total, 2), count: String(labels.length) },
  };
}
