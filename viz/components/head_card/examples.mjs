// Example sentences of a head.
import { element } from "../shared/elements.mjs";

/**
 * A sentence with the word that looks (`query`) and the word that it looks at most (`key`), -1 for a special token.
 * @typedef {{ address: string, words: string[], query: number, key: number, value: string }} Example
 */

/**
 * The parts of an example: query, key, and runs of other words.
 * @param {Pick<Example, "words" | "query" | "key">} example @returns {{ text: string, role: "" | "query" | "key" }[]}
 */
export function partsOf({ words, query, key }) {
  /** @type {{ text: string, role: "" | "query" | "key" }[]} */
  const parts = [];
  words.forEach((word, index) => {
    const role = index === query ? "query" : index === key ? "key" : "";
    const last = parts.at(-1);
    if (last && !last.role && !role) last.text += ` ${word}`;
    else parts.push({ text: word, role });
  });
  return parts;
}

/** These parts as elements, separated by spaces. @param {Pick<Example, "words" | "query" | "key">} example */
export function partElements(example) {
  return partsOf(example).flatMap(({ text, role }, index) => [
    index ? " " : "",
    role ? element(role === "query" ? "b" : "mark", role, text) : text,
  ]);
}
