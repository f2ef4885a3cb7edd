// @ts-check
// Drafts in the browser's storage for this tab, where they survive that the page is loaded again.
/** @import { Draft } from "./exchange.mjs" */

/** @typedef {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">} TabStorage */

/** @param {string} key of the fields */
const nameOf = (key) => `headlight.${key}`;

/**
 * The storage of this tab, or null where the browser gives none.
 * @returns {TabStorage | null}
 */
export function tabStorage() {
  try {
    return window.sessionStorage;
  } catch (error) {
    if (error instanceof DOMException) return null; // forbidden by the reader's settings
    throw error;
  }
}

/**
 * Keep a draft, or forget the one that was kept.
 * @param {TabStorage | null} storage
 * @param {string} key
 * @param {Draft | null} draft
 */
export function keepDraft(storage, key, draft) {
  try {
    if (draft) storage?.setItem(nameOf(key), JSON.stringify(draft));
    else storage?.removeItem(nameOf(key));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    storage?.removeItem(nameOf(key)); // no room for it: better none than an older one
  }
}

/**
 * The draft that was kept, or null.
 * @param {TabStorage | null} storage
 * @param {string} key
 * @param {readonly string[]} names of the fields
 * @returns {Draft | null}
 */
export function keptDraft(storage, key, names) {
  const kept = parsed(storage?.getItem(nameOf(key)) ?? "null");
  const isDraft = typeof kept?.visit === "string" && hasTexts(kept.linked, names) && hasTexts(kept.texts, names);
  return isDraft ? kept : null;
}

/**
 * What a text of JSON says; null where it is none, because other pages of this address can write here, too.
 * @param {string} text
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * @param {unknown} value
 * @param {readonly string[]} names
 */
function hasTexts(value, names) {
  if (typeof value !== "object" || value === null) return false;
  const texts = Object.entries(value);
  return (
    texts.length === names.length && texts.every(([name, text]) => names.includes(name) && typeof text === "string")
  );
}
