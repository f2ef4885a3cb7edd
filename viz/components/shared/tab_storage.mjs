// @ts-check
// Texts in the browser's storage for this tab, where they survive that the page is loaded again, and in the one that all
// tabs of this address share.

/** @typedef {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">} TabStorage */

/** @param {string} name */
const nameOf = (name) => `headlight.${name}`;

/**
 * The storage of this tab, or null where the browser gives none.
 * @returns {TabStorage | null}
 */
export function tabStorage() {
  return allowed(() => window.sessionStorage);
}

/**
 * The storage that all tabs share and that outlives them, or null where the browser gives none.
 * @returns {TabStorage | null}
 */
export function sharedStorage() {
  return allowed(() => window.localStorage);
}

/**
 * @param {() => TabStorage} open
 * @returns {TabStorage | null}
 */
function allowed(open) {
  try {
    return open();
  } catch (error) {
    if (error instanceof DOMException) return null; // forbidden by the reader's settings
    throw error;
  }
}

/**
 * Keep a text under a name.
 * @param {TabStorage | null} storage
 * @param {string} name
 * @param {string} text
 */
export function keep(storage, name, text) {
  try {
    storage?.setItem(nameOf(name), text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    forget(storage, name); // no room for it: better none than an older one
  }
}

/**
 * Forget what was kept under a name.
 * @param {TabStorage | null} storage
 * @param {string} name
 */
export function forget(storage, name) {
  storage?.removeItem(nameOf(name));
}

/**
 * The text that was kept under a name, or null.
 * @param {TabStorage | null} storage
 * @param {string} name
 * @returns {string | null}
 */
export function kept(storage, name) {
  return storage?.getItem(nameOf(name)) ?? null;
}
