// Drafts in the browser's storage for this tab.
import { forget, keep, kept } from "../shared/tab_storage.mjs";
/** @import { TabStorage } from "../shared/tab_storage.mjs" */
/** @import { Draft } from "../shared/page_selection.mjs" */

/**
 * Store a draft, or delete the stored one.
 * @param {TabStorage | null} storage
 * @param {string} key of the fields
 * @param {Draft | null} draft
 */
export function keepDraft(storage, key, draft) {
  if (draft) keep(storage, key, JSON.stringify(draft));
  else forget(storage, key);
}

/**
 * The stored draft, or null.
 * @param {TabStorage | null} storage @param {string} key
 * @param {readonly string[]} names of the fields
 * @returns {Draft | null}
 */
export function keptDraft(storage, key, names) {
  const draft = parsed(kept(storage, key) ?? "null");
  const isDraft = typeof draft?.visit === "string" && hasTexts(draft.linked, names) && hasTexts(draft.texts, names);
  return isDraft ? draft : null;
}

/** Parsed JSON; null if invalid, because other pages of this origin can write here. @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** @param {unknown} value @param {readonly string[]} names */
function hasTexts(value, names) {
  if (typeof value !== "object" || value === null) return false;
  const texts = Object.entries(value);
  return (
    texts.length === names.length && texts.every(([name, text]) => names.includes(name) && typeof text === "string")
  );
}
