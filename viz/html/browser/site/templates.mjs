// What Python wrote of each view (`viz/site/templates.py`), with a text's values in place of the references.
import { isolated } from "./characters.mjs";

/** @type {Record<string, (value: any, ...by: any[]) => any>} */
const CHANGES = {
  times: (number, factor) => number * factor,
  plus: (number, added) => number + added,
  rounded: (number) => Math.round(number),
  written: (numbers, digits) =>
    Array.isArray(numbers) ? numbers.map((each) => CHANGES.written(each, digits)) : written(numbers, digits),
  signed: (number, digits) => {
    const text = written(number, digits);
    return number > 0 && /[1-9]/.test(text) ? `+${text}` : text;
  },
  percent: (share) => `${written(100 * share, 0)} %`,
  scaled: (number, /** @type {number[]} */ shares) => shares.map((share) => share * number),
  at: (list, place) => list.at(place),
  shortened,
  isolated,
  framed: (text, before, after) => before + text + after,
  beyond: (list, /** @type {number[]} */ limits) => limits.filter((limit) => list.length > limit).length,
  reaches: (number, least) => Number(number >= least),
  rows: (/** @type {string[]} */ texts, names) =>
    names.map((/** @type {string} */ name) => texts.map((text) => `${text}<br>${name}`)),
  flat: (rows) => rows.flat(),
  places: (rows) => rows.flatMap((/** @type {number[]} */ row, /** @type {number} */ place) => row.map(() => place)),
  tiled: (list, count) => Array(count).fill(list).flat(),
  named: (/** @type {number[]} */ numbers, name, least) => numbers.map((number) => (number > least ? name : "")),
  coloured: (numbers, low, high, colours) => {
    if (Array.isArray(numbers)) return numbers.map((each) => CHANGES.coloured(each, low, high, colours));
    const share = Math.min(Math.max((numbers - low) / (high - low), 0), 1);
    return colours[Math.round(share * (colours.length - 1))];
  },
};

/**
 * Each is an array that begins with its name: ["$", "norms.0", …changes] is a value, changed in steps that are a name in
 * CHANGES and what it takes; ["$among", index, templates] is one of the templates, or several; ["$each", "words", template]
 * is a list with the template for each word.
 * @type {Record<string, (parts: any[], values: any) => any>}
 */
const REFERENCES = {
  $: ([path, ...changes], values) => {
    const found = path.split(".").reduce((/** @type {any} */ inner, /** @type {string} */ name) => inner[name], values);
    return changes.reduce((value, [change, ...by]) => CHANGES[change](value, ...filled(by, values)), found);
  },
  $among: ([index, templates], values) => {
    const chosen = filled(index, values);
    const one = (/** @type {number} */ place) => filled(templates[place], values);
    return Array.isArray(chosen) ? chosen.map(one) : one(chosen);
  },
  $each: ([name, template], values) =>
    values[name].map((/** @type {object} */ own) => filled(template, { ...values, ...own })),
};

/** @param {any} template @param {object} values @returns {any} */
export function filled(template, values) {
  if (typeof template !== "object" || template === null) return template;
  if (!Array.isArray(template)) {
    return Object.fromEntries(Object.entries(template).map(([name, each]) => [name, filled(each, values)]));
  }
  const [name, ...parts] = template;
  return Object.hasOwn(REFERENCES, name)
    ? REFERENCES[name](parts, values)
    : template.map((each) => filled(each, values));
}

/** A number as `viz/wording/numbers.py` writes it. @param {number} number @param {number} digits */
function written(number, digits) {
  const text = number.toFixed(digits);
  return /[1-9]/.test(text) ? text.replace("-", "\u2212") : text.replace("-", "");
}

/** @param {string} text @param {number} limit characters */
export function shortened(text, limit) {
  const characters = Array.from(text);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : text;
}
