// The wordpieces of a typed text, as `encoder/text/tokenizer.py` makes them.
import { rangeOf } from "./characters.mjs";
/** @import { UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { VocabularyFacts } from "../contents.mjs" */
/** @import { CharacterRange } from "./characters.mjs" */

/**
 * A tokenizer of `@huggingface/tokenizers`.
 * @typedef {{ encode: (text: string) => { ids: number[], tokens: string[] } }} Encodes
 */

/**
 * @typedef {object} TextTokens of a text or of a pair
 * @property {number[]} ids
 * @property {number[]} types 0 for the first text, 1 for the second
 * @property {UnitExtras} units its wordpieces
 * @property {(string | null)[]} words that begin with each token, as they are written; "" within a word, null for special tokens
 * @property {number[]} cut tokens of each text that the model does not read, as the texts are too long
 */

// A text in the roles of its characters, as Python writes them: "w" is a letter in a word, "d" another character in it, "c"
// a letter that is a word, "a" an apostrophe, "1" another word of one character, "m" a mark and "r" another character that
// the tokenizer removes; "[" is read as it is spelled; "]" fills the rest of what has several units of UTF-16.
const PART = /(?:[wd](?:[wdrm\]]*[wd])?|[1ca[])\]*(?:m\]*)*/g; // which the tokenizer reads alone
const WORD = new RegExp(`${PART.source}(?:(?<=[wc]\\]*)a(?=[wc])${PART.source})*`, "g");

/** A text in which every character is known to the vocabulary, or read as the model's own tokenizer reads it. @param {string} text @param {readonly CharacterRange[]} ranges */
export function readableText(text, ranges) {
  return Array.from(text.toWellFormed(), (character) => rangeOf(character, ranges)[1] ?? character).join("");
}

/**
 * The tokens of a text or of a pair, or the number of the text that has none of its own.
 * @param {Encodes} tokenizer @param {readonly CharacterRange[]} ranges of all characters
 * @param {readonly string[]} texts one or two @param {VocabularyFacts} facts
 * @returns {TextTokens | { empty: number }}
 */
export function tokensOf(tokenizer, ranges, texts, { longest, frame, literal, visible }) {
  const read = texts.map((text) => tokenizer.encode(readableText(text, ranges)));
  const empty = read.findIndex(({ ids }, index) => ids.length <= 2 || !texts[index].trim());
  if (empty >= 0) return { empty };
  const counts = read.map(({ ids }) => ids.length - 2);
  const kept = countsWithin(longest - 1 - counts.length, counts);
  const pieces = read.flatMap(({ ids, tokens }, type) => {
    const words = wordsOf(texts[type].toWellFormed(), new RegExp(`(${literal})`), ranges);
    const whole = ids.map((id, place) => {
      const isWithin = place === 0 || place === ids.length - 1 || tokens[place].startsWith("##");
      return { id, label: tokens[place], type, word: isWithin ? "" : words.shift() };
    });
    const all = [...whole.slice(0, kept[type] + 1), whole[whole.length - 1]];
    if (kept[type] < counts[type] && !whole[kept[type] + 1].word) endLastWord(all);
    return all.slice(type); // a pair begins once
  });
  const special = pieces.map(({ id }) => frame.includes(id));
  return {
    ids: pieces.map(({ id }) => id),
    types: pieces.map(({ type }) => type),
    units: {
      labels: pieces.map(({ id, label }) => visible[id] ?? label),
      special,
      positions: pieces.map((_, position) => [position]),
      b_start: texts.length > 1 ? kept[0] + 2 : null,
    },
    words: pieces.map(({ word }, position) => (special[position] ? null : (word ?? ""))),
    cut: counts.map((count, index) => count - kept[index]),
  };
}

/** Cut the last word to what its tokens say; they end with [SEP]. @param {{ label: string, word?: string }[]} tokens */
function endLastWord(tokens) {
  const first = tokens.findLast(({ word }) => word);
  if (!first?.word) return;
  const labels = tokens.slice(tokens.indexOf(first), -1).map(({ label }) => label.replace(/^##/, ""));
  first.word = Array.from(first.word)
    .slice(0, Array.from(labels.join("")).length)
    .join("");
}

/** How many tokens of one or two texts are read: the longer one is cut first. @param {number} room @param {number[]} counts */
function countsWithin(room, counts) {
  if (counts.reduce((sum, count) => sum + count) <= room) return counts;
  const shorter = counts.length > 1 && counts[1] < counts[0] ? 1 : 0;
  const least = Math.min(counts[shorter], Math.floor(room / counts.length));
  return counts.map((_, index) => (index === shorter ? least : room - least));
}

/**
 * The word that begins with each part of a text that the tokenizer splits into pieces, as it is written, or "" within a
 * word. As in `encoder/text/tokenizer.py`, a word goes on across an apostrophe between letters.
 * @param {string} text @param {RegExp} literal what is read as it is spelled @param {readonly CharacterRange[]} ranges
 */
function wordsOf(text, literal, ranges) {
  const coded = (/** @type {string} */ part) =>
    Array.from(part, (character) => rangeOf(character, ranges)[2].padEnd(character.length, "]")).join("");
  const parts = text.split(literal).map((part, index) => (index % 2 ? "[".padEnd(part.length, "]") : coded(part)));
  return [...parts.join("").matchAll(WORD)].flatMap(({ index, 0: found }) => {
    const written = Array.from(text.slice(index, index + found.length), visibleIn).join("");
    return [written, ...Array.from(found.matchAll(PART), () => "").slice(1)];
  });
}

/** A character of a word; control and format characters as their code. @param {string} character */
function visibleIn(character) {
  if (!/[\p{Cc}\p{Cf}]/u.test(character) || "\u200c\u200d".includes(character)) return character;
  return `⟨U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
