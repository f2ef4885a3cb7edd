// @ts-check
// Whether keys pressed alone, without Ctrl or the like, do something anywhere on the page. Speech input and unsteady
// hands press keys unmeant, so that they can be switched off (WCAG 2.1.4); the browser remembers it.

const NAME = "headlight-single-keys";
const OFF = "off";

export function singleKeysAreOn() {
  try {
    return window.localStorage.getItem(NAME) !== OFF;
  } catch {
    return true; // a browser that keeps nothing
  }
}

/** @param {boolean} on */
export function switchSingleKeys(on) {
  try {
    if (on) window.localStorage.removeItem(NAME);
    else window.localStorage.setItem(NAME, OFF);
  } catch {
    return; // it stays on
  }
}

/**
 * Call back when another window or tab has switched them.
 * @param {StorageEvent} event
 */
export const isAboutSingleKeys = ({ key }) => key === NAME || key === null;
