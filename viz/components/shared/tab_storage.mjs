// Texts in sessionStorage, which survives a reload of this tab, and in localStorage, which all tabs share.

/** @typedef {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">} TabStorage */

/** @param {string} name */
const nameOf = (name) => `headlight.${name}`;

/** The storage of this tab, or null if the browser denies it. @returns {TabStorage | null} */
export function tabStorage() {
  return allowed(() => window.sessionStorage);
}

/**
 * The storage that all tabs share and that outlives them, or null if the browser denies it.
 * @returns {TabStorage | null}
 */
export function sharedStorage() {
  return allowed(() => window.localStorage);
}

/** @param {() => TabStorage} open @returns {TabStorage | null} */
function allowed(open) {
  try {
    return open();
  } catch (error) {
    if (error instanceof DOMException) return null; // blocked by the user's settings
    throw error;
  }
}

/** Store a text under a name. @param {TabStorage | null} storage @param {string} name @param {string} text */
export function keep(storage, name, text) {
  try {
    storage?.setItem(nameOf(name), text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    forget(storage, name); // quota exceeded: no text is better than an outdated one
  }
}

/** Delete the text stored under a name. @param {TabStorage | null} storage @param {string} name */
export function forget(storage, name) {
  storage?.removeItem(nameOf(name));
}

/**
 * The text stored under a name, or null.
 * @param {TabStorage | null} storage @param {string} name @returns {string | null}
 */
export function kept(storage, name) {
  return storage?.getItem(nameOf(name)) ?? null;
}
