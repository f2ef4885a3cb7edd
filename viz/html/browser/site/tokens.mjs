// The wordpieces of a typed text, as `encoder/text/tokenizer.py` makes them.
/** @import { UnitExtras } from "../../../components/shared/types.mjs" */

/**
 * What Python writes of a model's vocabulary.
 * @typedef {object} VocabularyFacts
 * @property {number} longest text, in tokens
 * @property {number[]} frame ids of special tokens such as [CLS] and [SEP]
 * @property {Record<string, string>} visible labels of pieces, by their ids, that are not shown as they are spelled
 */

/**
 * What the model's own tokenizer does with each character, as runs of one kind; see `viz/site/characters.py`.
 * @typedef {"known" | "removed" | "space" | "inside" | "alone"} Kind
 * @typedef {readonly (readonly [first: number, kind: Kind])[]} Characters
 */

/**
 * A tokenizer of `@huggingface/tokenizers`.
 * @typedef {{ encode: (text: string) => { ids: number[], tokens: string[] } }} Encodes
 */

/**
 * @typedef {object} TextTokens
 * @property {number[]} ids
 * @property {UnitExtras} units
 * @property {number} cut tokens that the model does not read, as the text is too long
 */

const UNKNOWN = "\ua000"; // a letter in every edition of Unicode, and in no wordpiece
/** @type {Readonly<Record<Exclude<Kind, "known">, string>>} */
const READ_AS = { removed: "", space: " ", inside: UNKNOWN, alone: ` ${UNKNOWN} ` };

/**
 * A text in which every character is known to the vocabulary, or read as the model's own tokenizer reads it.
 * @param {string} text @param {Characters} characters
 */
export function readableText(text, characters) {
  return Array.from(text.toWellFormed(), (character) => {
    const kind = kindOf(/** @type {number} */ (character.codePointAt(0)), characters);
    if (kind !== "known") return READ_AS[kind];
    return character === "Σ" ? "σ" : character; // in lower case, browsers tell the end of a word
  }).join("");
}

/** @param {number} code @param {Characters} characters */
function kindOf(code, characters) {
  let [from, to] = [0, characters.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (characters[middle][0] <= code) from = middle;
    else to = middle;
  }
  return characters[from][1];
}

/**
 * The tokens of a text, or null if it has none of its own.
 * @param {Encodes} tokenizer @param {Characters} characters @param {string} text @param {VocabularyFacts} facts
 * @returns {TextTokens | null}
 */
export function tokensOf(tokenizer, characters, text, { longest, frame, visible }) {
  const { ids, tokens } = tokenizer.encode(readableText(text, characters));
  if (ids.length <= 2 || !text.trim()) return null;
  const cut = Math.max(ids.length - longest, 0);
  const kept = ids.map((_, place) => place).filter((place) => place < longest - 1 || place === ids.length - 1);
  return {
    ids: kept.map((place) => ids[place]),
    units: {
      labels: kept.map((place) => visible[ids[place]] ?? tokens[place]),
      special: kept.map((place) => frame.includes(ids[place])),
      positions: kept.map((_, position) => [position]),
      b_start: null,
    },
    cut,
  };
}
