// Results of a search of the corpus: links, lines and a CSV file.

/**
 * From `viz.payloads.found_sentences`: the first of `n` results, among `words` words that match.
 * @typedef {object} Found
 * @property {Search} search that this answers
 * @property {number} n
 * @property {number} words
 * @property {number[][]} rows sentence, word that looks, word that is looked at, their first tokens, weight in hundredths
 * @property {string[]} sentences with BETWEEN between two words
 * @property {string[]} names of the sentences
 * @property {Record<string, string>} address common part of the links
 * @property {string[]} suggestions for the word that looks
 * @property {string} credit who made the sentences, and their licence
 *
 * @typedef {{ looks: string, looked_at: string, least: number }} Search
 * @typedef {{ text: string, role: "" | "query" | "key" }} Part
 */

const BETWEEN = "\u001f"; // as in encoder/atlas/names.py
const WORDS_BEFORE = 4; // of the sentence, before the first of the two words

/** The link that opens a sentence with both words pinned. @param {Found} found @param {readonly number[]} row */
export function addressOf({ sentences, address }, [sentence, , , query, key]) {
  const text = sentences[sentence].replaceAll(BETWEEN, " ");
  return `?${new URLSearchParams({ ...address, a: text, b: "", query: String(query), key: String(key) })}`;
}

/** @param {Found} found @param {number} sentence */
export function wordsOf({ sentences }, sentence) {
  return sentences[sentence].split(BETWEEN);
}

/**
 * A sentence from a few words before the first of its two words, so that one line shows both.
 * @param {readonly string[]} words @param {number} query @param {number} key
 * @returns {{ words: string[], query: number, key: number }}
 */
export function lineOf(words, query, key) {
  const first = Math.max(Math.min(query, key) - WORDS_BEFORE, 0);
  if (!first) return { words: [...words], query, key };
  return { words: ["…", ...words.slice(first)], query: query - first + 1, key: key - first + 1 };
}

/** The number of results in one sentence. @param {Found} found */
export function summaryOf({ n, words, rows, search: { looks, looked_at: lookedAt, least } }) {
  const [what, to] = [looks.trim(), lookedAt.trim()];
  if (!words) return `No word of the corpus is “${what}”.`;
  const isRelation = what.startsWith("→") || what.endsWith("→");
  const where = isRelation ? `the right word${to ? `, “${to}”` : ""}` : to ? `“${to}”` : "another word";
  const found = `${n.toLocaleString("en")} of ${words.toLocaleString("en")} words`;
  const shown = rows.length < n ? ` The hardest ${rows.length.toLocaleString("en")} are listed.` : "";
  return `${found}${what ? ` “${what}”` : ""} look most at ${where}, by ${least.toFixed(2)} or more.${shown}`;
}

/** The results as a CSV file; words count from 1. @param {Found} found */
export function csvOf(found) {
  const lines = found.rows.map(([index, query, key, , , weight]) => {
    const words = wordsOf(found, index);
    const cells = [
      found.names[index],
      query + 1,
      words[query],
      key + 1,
      words[key],
      (weight / 100).toFixed(2),
      words.join(" "),
      found.credit,
    ];
    return cells.map(cellOf).join(",");
  });
  return ["sentence,place,looks,place looked at,looks at,weight,text,credit", ...lines, ""].join("\r\n");
}

/** A CSV cell; an apostrophe keeps a spreadsheet from reading a text as a formula. @param {string | number} value */
function cellOf(value) {
  const text =
    /^(?:[\t\r\n]|\s*[=+\-@])/.test(String(value).normalize("NFKC")) && typeof value === "string"
      ? `'${value}`
      : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The rows in view of a list of equal heights, and a few around them.
 * @param {{ scrollTop: number, clientHeight: number }} scroller
 * @param {number} height of a row
 * @param {number} count
 * @returns {[number, number]} the first row, and the end
 */
export function rowsSeen({ scrollTop, clientHeight }, height, count) {
  const first = Math.min(Math.max(Math.floor(scrollTop / height) - 4, 0), Math.max(count - 1, 0));
  return [first, Math.min(Math.ceil((scrollTop + clientHeight) / height) + 4, count)];
}
