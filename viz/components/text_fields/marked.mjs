// Splits a text into marked and unmarked parts.
/** @import { Marks } from "../shared/types.mjs" */

/**
 * A part of a text: a piece of a word that is split, the end that is cut off, or what is between.
 * @typedef {{ text: string, kind: "" | "piece" | "cut" }} Part
 */

/**
 * The parts of a text up to its last valid mark. Until the text is run, marks are valid for the words before the first
 * difference.
 * @param {string} text @param {Marks | undefined} marks @returns {Part[]}
 */
export function partsOf(text, marks) {
  if (!marks) return [];
  const { read, cut, pieces } = marks;
  const isCut = cut && text.length > read.length && text.startsWith(read);
  const isRun = isCut || text === read;
  const right = isRun ? read.length : endOfEqualWords(text, read);
  /** @type {Part[]} */
  const parts = [];
  let done = 0;
  for (const [start, end] of pieces) {
    if (end > right) break;
    parts.push({ text: text.slice(done, start), kind: "" }, { text: text.slice(start, end), kind: "piece" });
    done = end;
  }
  if (isCut) parts.push({ text: text.slice(done, right), kind: "" }, { text: text.slice(right), kind: "cut" });
  return parts.filter((part) => part.text !== "");
}

/** The end of the common words of two texts. @param {string} one @param {string} other */
function endOfEqualWords(one, other) {
  const length = Math.min(one.length, other.length);
  let equal = 0;
  let end = 0;
  while (equal < length && one[equal] === other[equal]) {
    if (/\s/.test(one[equal])) end = equal;
    equal += 1;
  }
  return end;
}
