// How a typed text is read: each character, the wordpieces that hold it, and its word, as `encoder/text/readings.py` and
// `viz/wording/readings.py` say.
import { rangeOf } from "./characters.mjs";
/** @import { CharacterRange } from "./characters.mjs" */
/** @import { TextTokens } from "./tokens.mjs" */

/**
 * @typedef {{ typed: string, read: string, change: string }} ReadCharacter
 * @typedef {{ label: string, id: number, kind: "piece" | "unknown" | "special", span: readonly [number, number], names: readonly string[] }} Piece
 *   with its characters, and the words that begin with it
 * @typedef {{ names: readonly string[], characters: ReadCharacter[], pieces: Piece[] }} ReadWord
 * @typedef {{ texts: ReadWord[][], counts: Record<string, number> }} Reading
 */

const UNKNOWN = "[UNK]";
const SKIN_TONE = /^[\u{1f3fb}-\u{1f3ff}]/u;

/**
 * The words of each text; special tokens before B belong to A.
 * @param {readonly string[]} texts one or two @param {TextTokens} tokens @param {readonly CharacterRange[]} ranges
 * @returns {Reading}
 */
export function readingOf(texts, { ids, units, spans, names, cut }, ranges) {
  const all = ids.map((id, place) => {
    const label = units.labels[place];
    const kind = units.special[place] ? "special" : label === UNKNOWN ? "unknown" : "piece";
    return /** @type {Piece} */ ({ label, id, kind, span: spans[place], names: names[place] });
  });
  const start = units.b_start ?? all.length;
  const found = [all.slice(0, start), all.slice(start)].slice(0, texts.length).map((pieces, index) => {
    const framing = (/** @type {Piece[]} */ some) =>
      some.map((piece) => ({ names: [], characters: [], pieces: [piece] }));
    const first = index ? 0 : 1;
    const typed = wordsOf(charactersOf(texts[index].toWellFormed(), ranges), pieces.slice(first, -1), cut[index] > 0);
    return [...framing(pieces.slice(0, first)), ...typed, ...framing(pieces.slice(-1))];
  });
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { change } of found.flat().flatMap((word) => word.characters)) counts[change] = (counts[change] ?? 0) + 1;
  return { texts: found, counts };
}

/** @typedef {{ typed: string, read: string, start: number, end: number }} Typed a character as users see it, and its place */

/** @param {string} text @param {readonly CharacterRange[]} ranges */
function charactersOf(text, ranges) {
  /** @type {Typed[]} */
  const found = [];
  let [end, before] = [0, " "];
  for (const character of text) {
    const [, , role, , , part] = rangeOf(character, ranges);
    const read = part === "r" ? "" : bare(character).toLowerCase();
    const joins = before === "\u200d" || SKIN_TONE.test(character) || "mj".includes(role);
    end += character.length;
    const last = found[found.length - 1];
    if (last?.end === end - character.length && joins) {
      found[found.length - 1] = { ...last, typed: last.typed + character, read: last.read + read, end };
    } else if (role !== "s") found.push({ typed: character, read, start: end - character.length, end });
    before = character;
  }
  return found;
}

/** The words of a text's tokens, and between them what none holds. @param {Typed[]} typed @param {readonly Piece[]} pieces @param {boolean} isCut */
function wordsOf(typed, pieces, isCut) {
  /** @type {ReadWord[]} */
  const words = [];
  let at = isCut ? typed.findIndex(({ start }) => start >= pieces[0].span[0]) : 0;
  const take = (/** @type {number} */ until, /** @type {readonly Piece[]} */ held) => {
    const first = at;
    while (at < typed.length && (held.length ? typed[at].start : typed[at].end - 1) < until) at += 1;
    return typed.slice(first, at).map(({ typed: text, read, start, end }) => {
      const of = held.filter(({ span }) => span[0] < end && start < span[1]);
      const isSpelled = of.some(({ label, kind }) => kind !== "unknown" && /^\[[A-Z]+\]$/.test(label));
      return characterOf(
        text,
        of.length ? (isSpelled ? text : read) : "",
        of.some(({ kind }) => kind === "unknown"),
      );
    });
  };
  pieces.forEach((piece, index) => {
    if (index && !piece.names.length && piece.kind !== "special") return;
    const next = pieces.findIndex(({ names, kind }, other) => other > index && (names.length || kind === "special"));
    const held = pieces.slice(index, next < 0 ? pieces.length : next);
    const lost = take(Math.min(...held.map(({ span }) => span[0])), []);
    if (lost.length) words.push({ names: [], characters: lost, pieces: [] });
    words.push({
      names: piece.names,
      characters: take(Math.max(...held.map(({ span }) => span[1])), held),
      pieces: held,
    });
  });
  const lost = isCut ? [] : take(Infinity, []);
  return lost.length ? [...words, { names: [], characters: lost, pieces: [] }] : words;
}

/** @param {string} typed @param {string} read @param {boolean} isUnknown @returns {ReadCharacter} */
function characterOf(typed, read, isUnknown) {
  if (!read || isUnknown) return { typed, read, change: read ? "unknown" : "lost" };
  const [composed, as, lower] = [read, typed, typed.toLowerCase()].map((text) => text.normalize("NFC"));
  if (composed === as || composed === lower) return { typed, read, change: composed === as ? "kept" : "lowered" };
  const isBare = [bare(typed), bare(typed).toLowerCase()].includes(bare(read));
  return { typed, read, change: isBare ? "stripped" : "replaced" };
}

/** Without the marks that BERT strips. @param {string} text */
function bare(text) {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "");
}

/**
 * The sentences about a text; the second is "" if all words are known.
 * @param {Reading} reading @param {Record<string, [one: string, several: string]>} losses what happens to characters
 */
export function readingInWords({ texts, counts }, losses) {
  const words = texts.flat();
  const sum = (/** @type {ReadWord[]} */ of) => of.reduce((count, { names }) => count + names.length, 0);
  const pieces = words.flatMap((word) => word.pieces).filter(({ kind }) => kind !== "special").length;
  const lost = Object.keys(losses).filter((change) => counts[change]);
  const said = lost.map((change, index) => {
    const number = counts[change];
    return `${index ? number.toLocaleString("en") : counted(number, "character")} ${losses[change][number === 1 ? 0 : 1]}`;
  });
  const losing = [said.slice(0, -1).join(", "), ...said.slice(-1)].filter(Boolean).join(" and ");
  const total = sum(words);
  const known = sum(words.filter((word) => word.pieces.every(({ kind }) => kind !== "unknown")));
  const rest = known
    ? `it reads ${UNKNOWN} for the other${total - known === 1 ? "" : "s"}`
    : `what it says is its answer to ${UNKNOWN}`;
  return {
    said: `The model reads ${counted(total, "word")} as ${counted(pieces, "piece")}; ${losing || "no character is lost"}.`,
    unknown: known < total ? `The model knows ${known} of ${total} words: ${rest}.` : "",
  };
}

/** @param {number} number @param {string} noun */
function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
