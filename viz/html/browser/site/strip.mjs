// What the strip of a text shows, as `viz/payloads/tokens.py` makes it.
import { shortened } from "./templates.mjs";
/** @import { StripData } from "../../../components/token_strip/words.mjs" */
/** @import { TextTokens } from "./tokens.mjs" */

const LONGEST = 80; // characters of a word

/**
 * @param {Pick<TextTokens, "ids" | "types" | "units" | "words">} tokens
 * @param {string} letters of the texts: "A", "B" or "AB" @param {number} count of the page's texts
 * @param {string[]} tags of its words, or none
 * @returns {StripData}
 */
export function stripOf({ ids, types, units, words }, letters, count, tags) {
  let word = -1;
  const frame = [0, units.labels.length - 1, (units.b_start ?? 0) - 1]; // of no sentence
  const tokens = units.labels.map((label, position) => {
    if (words[position]) word += 1;
    const special = units.special[position];
    const sentence = letters === "B" ? 1 : types[position];
    const place = { word: special ? null : word, sentence: frame.includes(position) ? null : sentence };
    const piece = { label, piece: label, id: ids[position], type: types[position], position, special };
    return { ...piece, ...place, continues: words[position] === "" };
  });
  const written = words.flatMap((each) => (each ? [shortened(each, LONGEST)] : []));
  return { tokens, tags, words: written, n_sentences: count, run: letters === "AB" ? "pair" : letters, first: 0 };
}
