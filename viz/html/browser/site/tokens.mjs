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
 * @property {(readonly [number, number])[]} spans its characters in its text, of which special tokens have none
 * @property {string[][]} names of all words that begin with each token: several if it holds them
 * @property {number[]} cut tokens of each text that the model does not read, as the texts are too long
 */

// A text as its characters are read, one letter each: "i" within a part, "1" alone, "r" not at all, "[" as it is spelled;
// "]" fills what has several units of UTF-16.
const PART = /i(?:[ir\]]*i)?\]*|[1[]\]*/g; // which the tokenizer reads alone
// A text in the roles of its characters, as `encoder/text/words.py` has them.
const IN_WORD = /[lwm](?:[lwmjf\]]*[lwmj])?\]*/.source;
const APOSTROPHE = /(?<=[lmj]\]*)a(?=l)/.source;
const RUN = /c(?:[cmjf\]]*[cmj])?\]*|t(?:[tmjf\]]*[tmj])?\]*|u(?:[umjf\]]*[umj])?\]*/.source; // in a script without spaces
const WORD = new RegExp(`${IN_WORD}(?:${APOSTROPHE}${IN_WORD})*|[pa]\\]*(?:[mj]\\]*)*|\\[\\]*|${RUN}`, "g");

/** A text in which every character is known to the vocabulary, or read as the model's own tokenizer reads it. @param {string} text @param {readonly CharacterRange[]} ranges */
export function readableText(text, ranges) {
  return Array.from(text.toWellFormed(), (character) => rangeOf(character, ranges)[1] ?? character).join("");
}

/** Whether some characters are of scripts without spaces, which nothing segments here. @param {readonly string[]} texts @param {readonly CharacterRange[]} ranges */
export function isUnsegmented(texts, ranges) {
  return Array.from(texts.join("")).some((character) => "ctu".includes(rangeOf(character, ranges)[2]));
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
    const words = wordsOf(
      texts[type].toWellFormed(),
      tokens.slice(1, -1),
      kept[type],
      new RegExp(`(${literal})`),
      ranges,
    );
    const whole = ids.map((id, place) => ({ id, label: tokens[place], type, ...words[place - 1] }));
    return [...whole.slice(0, kept[type] + 1), whole[whole.length - 1]].slice(type); // a pair begins once
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
    spans: pieces.map(({ span }) => span ?? [0, 0]),
    names: pieces.map(({ names }, position) => (special[position] ? [] : (names ?? []))),
    cut: counts.map((count, index) => count - kept[index]),
  };
}

/** How many tokens of one or two texts are read: the longer one is cut first. @param {number} room @param {number[]} counts */
function countsWithin(room, counts) {
  if (counts.reduce((sum, count) => sum + count) <= room) return counts;
  const shorter = counts.length > 1 && counts[1] < counts[0] ? 1 : 0;
  const least = Math.min(counts[shorter], Math.floor(room / counts.length));
  return counts.map((_, index) => (index === shorter ? least : room - least));
}

/**
 * For each token that is read its characters, and the words that begin with it, as they are written. As in
 * `encoder/text/pieces.py`, a token belongs to the word that has most of its characters; in scripts without spaces, which
 * nothing segments here, each is a word.
 * @param {string} text @param {readonly string[]} tokens @param {number} count of those that are read
 * @param {RegExp} literal what is read as it is spelled @param {readonly CharacterRange[]} ranges
 */
function wordsOf(text, tokens, count, literal, ranges) {
  const coded = (/** @type {2 | 5} */ field) => {
    const letter = (/** @type {string} */ one) => rangeOf(one, ranges)[field].padEnd(one.length, "]");
    const parts = text
      .split(literal)
      .map((part, index) => (index % 2 ? ["[".padEnd(part.length, "]")] : Array.from(part, letter)));
    return parts.flat().join("");
  };
  const roles = coded(2);
  const read = coded(5);
  const whole = spansOf(text, tokens, read).map(([start, end], token, all) => {
    const marks = read[start] === "[" ? null : /^(?:[mj]\]*)*/.exec(roles.slice(end, all[token + 1]?.[0]));
    return [start, end + (marks?.[0].length ?? 0)];
  });
  const spans = whole.slice(0, count);
  const end = count < whole.length ? (spans.at(-1)?.[1] ?? 0) : roles.length;
  const starts = new Set(spans.map(([start]) => start));
  const isCut = (/** @type {number} */ place) => starts.has(place) && !"mjf]".includes(roles[place]);
  const words = /** @type {string[]} */ ([]);
  const owners = /** @type {number[]} */ ([]);
  for (const { index, 0: found } of roles.slice(0, end).matchAll(WORD)) {
    for (let place = index; place < index + found.length; place += 1) {
      if (place === index || ("ctu".includes(found[0]) && isCut(place))) words.push("");
      words[words.length - 1] += text[place];
      if (roles[place] !== "]") owners[place] = words.length - 1;
    }
  }
  const found = spans.map(([start, after]) => mostFrequent(owners.slice(start, after)));
  return found.map((_, token) => {
    const [last, owner] = [token, token + 1].map((until) => Math.max(-1, ...found.slice(0, until)));
    const holdsSeveral = tokens[token] === "[UNK]" && count === whole.length;
    const next = holdsSeveral ? (found.find((other) => other > owner) ?? words.length) : owner + 1;
    const names = owner > last ? words.slice(owner, next) : [];
    const [start, after] = spans[token];
    return { word: Array.from(names[0] ?? "", visibleIn).join(""), names, span: /** @type {const} */ ([start, after]) };
  });
}

/** The number that occurs most often, of several the first; -1 for none. @param {readonly number[]} numbers */
function mostFrequent(numbers) {
  const counts = /** @type {Map<number, number>} */ (new Map());
  numbers.forEach((number) => counts.set(number, (counts.get(number) ?? 0) + 1));
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [-1, 0])[0];
}

/**
 * The characters of each token. Several of one part have known letters only, of which each is one or several letters.
 * @param {string} text @param {readonly string[]} tokens @param {string} coded as its characters are read
 */
function spansOf(text, tokens, coded) {
  const parts = coded.matchAll(PART);
  let [place, end] = [0, 0];
  return tokens.map((token, index) => {
    if (!token.startsWith("##")) {
      const part = parts.next().value;
      place = part?.index ?? 0;
      end = place + (part?.[0].length ?? 0);
    }
    while (place < end && "r]".includes(coded[place])) place += 1;
    const start = place;
    if (!tokens[index + 1]?.startsWith("##")) return [start, end];
    for (let letters = Array.from(token.replace(/^##/, "")).length; letters > 0 && place < end;) {
      const [character] = text.slice(place);
      if (coded[place] === "i") letters -= Array.from(character.normalize("NFD").replace(/\p{Mn}/gu, "")).length;
      place += character.length;
    }
    return [start, place];
  });
}

/** A character of a word; control and format characters as their code. @param {string} character */
export function visibleIn(character) {
  if (!/[\p{Cc}\p{Cf}]/u.test(character) || "\u200c\u200d".includes(character)) return character;
  return `⟨U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
