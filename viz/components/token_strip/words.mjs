// The tokens that Python sends, and their texts. The payload is described in __init__.py.

/**
 * @typedef {object} Token
 * @property {string} label
 * @property {string} piece
 * @property {number} id
 * @property {number} type
 * @property {number} position
 * @property {number | null} word index of its word; null for special tokens
 * @property {boolean} continues whether it belongs to the same word as its predecessor
 * @property {boolean} special
 * @property {number | null} sentence 0 for A, 1 for B
 */

/**
 * @typedef {"at_a" | "at_b"} WordField
 */

/**
 * What Python sends; the last two only if a click chooses a word.
 * @typedef {object} StripData
 * @property {Token[]} tokens
 * @property {string[]} tags one for each word, or none
 * @property {string[]} words
 * @property {number} n_sentences
 * @property {number} [first] position of the first token in the text
 * @property {string} run that a tour's points name
 * @property {WordField} [choose] under which a chosen word is sent
 * @property {number | null} [chosen] the word that is marked
 */

export const LETTERS = ["A", "B"];
const LONG = 80; // tokens in three rows; a longer strip would push the picture down

/**
 * Whether a strip shows fewer rows; two strips share the room of one.
 * @param {Pick<StripData, "run"> & { tokens: { length: number } }} data
 */
export function isLong({ tokens, run }) {
  return tokens.length > (LETTERS.includes(run) ? LONG / 2 : LONG);
}

/**
 * Tokens grouped into words: one that continues its predecessor's word joins it.
 * @template {{ continues?: boolean }} Kind
 * @param {readonly Kind[]} tokens
 */
export function wordGroups(tokens) {
  /** @type {Kind[][]} */
  const groups = [];
  for (const token of tokens) {
    if (token.continues && groups.length > 0) groups[groups.length - 1].push(token);
    else groups.push([token]);
  }
  return groups;
}

/** "A" or "B" if there are two sentences, else "". @param {number | null} sentence @param {number} nSentences */
export function sentenceLetter(sentence, nSentences) {
  return sentence === null || nSentences < 2 ? "" : LETTERS[sentence];
}

const FROM_RIGHT =
  "\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}\\p{Script=Adlam}";
const STARTS_FROM_RIGHT = new RegExp(`^\\P{L}*(?=\\p{L})[${FROM_RIGHT}]`, "u");

/** The direction of a text, that of its first letter. @param {string} text */
export function directionOf(text) {
  return STARTS_FROM_RIGHT.test(text) ? "rtl" : "ltr";
}

/**
 * The tag of a word's first token; "" for the others.
 * @param {Pick<Token, "word" | "continues">} token @param {readonly string[]} tags
 */
export function tagOf({ word, continues }, tags) {
  return word === null || continues ? "" : (tags[word] ?? "");
}

/**
 * The tooltip of a token.
 * @param {Token} token @param {Pick<StripData, "words" | "n_sentences" | "first">} data
 * @returns {[term: string, value: string][]}
 */
export function facts(token, { words, n_sentences: nSentences, first = 0 }) {
  /** @type {[string, string][]} */
  const list = [
    ["piece", token.piece],
    ["position", String(first + token.position)],
    ["id", String(token.id)],
    ["token type", String(token.type)],
  ];
  if (token.special) list.push(["special token", "added by the tokenizer"]);
  if (token.word !== null) list.push(["word", words[token.word] ?? ""]);
  const letter = sentenceLetter(token.sentence, nSentences);
  if (letter) list.push(["sentence", letter]);
  return list;
}

/**
 * One line for a screen reader. It starts with the visible label, which speech input uses.
 * @param {Token} token @param {Pick<StripData, "words" | "n_sentences" | "tags" | "first">} data
 */
export function spokenName(token, data) {
  const { label, piece, id } = token;
  const seen = [label, String(id), tagOf(token, data.tags)].filter(Boolean);
  const more = facts(token, data).filter(([term]) => term !== "id" && (term !== "piece" || piece !== label));
  return [seen.join(" "), ...more.map(([term, value]) => `${term} ${value}`)].join(", ");
}
