// Keys that move the current token, cell, head or row, and keys that the page leaves to the browser or to a text field.
import { clamped } from "./ranges.mjs";
/** @import { Range } from "./types.mjs" */

/**
 * How far each key moves; ±Infinity means to the end.
 * @typedef {Readonly<Record<string, number>>} KeySteps
 */

/** @type {KeySteps} */
export const VERTICAL = { ArrowUp: -1, ArrowDown: 1 };

/** @type {KeySteps} */
export const HORIZONTAL = { ArrowLeft: -1, ArrowRight: 1 };

/** @type {KeySteps} */
export const ENDS = { Home: -Infinity, End: Infinity };

/** The keys that turn pages. @param {number} page how many places a page has @returns {KeySteps} */
export function pages(page) {
  return { PageUp: -page, PageDown: page };
}

/**
 * Where a key moves an index within a range, or null if the key moves nothing.
 * @param {string} key @param {number} index @param {Range} range @param {KeySteps} steps
 */
export function movedWithin(key, index, [from, to], steps) {
  return Object.hasOwn(steps, key) ? clamped(index + steps[key], from, to - 1) : null;
}

/**
 * Whether Ctrl, Meta or Alt makes the key a browser shortcut.
 * @param {Pick<KeyboardEvent, "ctrlKey" | "metaKey" | "altKey">} event
 */
export function isShortcut(event) {
  return event.ctrlKey || event.metaKey || event.altKey;
}

const FIELDS =
  "input:not([type=checkbox]), textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=spinbutton]";

/** Whether the event comes from a text field, also inside a view's shadow root. @param {Event} event */
export function isTyped(event) {
  return event.composedPath().some((node) => node instanceof Element && node.matches(FIELDS));
}
