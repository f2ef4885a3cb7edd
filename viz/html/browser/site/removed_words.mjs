// Why this prediction? What is lost of the likeliest class without each word, with the template of
// `viz/site/removed_words.py`.
import { chartOf, written } from "./answers.mjs";
import { ems, plotlyText, shortened } from "./token_axis.mjs";
/** @import { Contents } from "../plots.mjs" */
/** @import { Filled } from "./answers.mjs" */

/**
 * @typedef {object} RemovedWordsTemplate
 * @property {string} html @property {Contents} chart
 * @property {string} missing the answer about a text without a word, or of more tokens than `most`
 * @property {number} most @property {number} mask id of the token in place of a word's
 * @property {Record<"limit" | "size" | "least" | "padding" | "gap" | "room" | "pitch" | "legend" | "few_decimals", number>} box layout of the words
 */

/**
 * @param {RemovedWordsTemplate} template
 * @param {{ labels: string[], shares: number[], rivals: string[] }} measured the probability of the first class among
 *   two: of the text, and without each word
 * @param {Record<string, number>} widths of characters, in em
 * @returns {Filled}
 */
export function removedWordsOf(template, { labels, shares: [total, ...without], rivals: [label, against] }, widths) {
  const { html, chart, box } = template;
  const values = without.map((share) => total - share);
  const high = Math.max(...values.map(Math.abs), 1e-6);
  let [top, left] = [0, 0];
  const words = labels.map((name, place) => {
    const short = shortened(name, box.limit);
    const width = Math.max(box.size * ems(short, widths), box.least) + box.padding;
    if (left > 0 && left + width > box.room) [top, left] = [top + box.pitch, 0];
    const word = { place, top, left, width, middle: left + width / 2, value: values[place] };
    left += width + box.gap;
    return { ...word, label: plotlyText(short), hover: `<b>${plotlyText(name)}</b> · ${place}<br>` };
  });
  const height = top + box.pitch + box.legend;
  const decimals = high >= box.few_decimals ? 2 : 3;
  return {
    html,
    charts: { words: chartOf(chart, { words, values, low: -high, high, decimals, height }) },
    words: { label, against, total: written(total, 2), count: String(labels.length) },
  };
}
