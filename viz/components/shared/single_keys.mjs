// Single keys (no Ctrl, Alt or Meta) that work anywhere on the page, and the switch that turns them off. Speech input
// and tremor press keys by accident (WCAG 2.1.4). The browser stores the setting.
import { isShortcut } from "./keys.mjs";

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

/** Call back when another window or tab has switched them. @param {StorageEvent} event */
export const isAboutSingleKeys = ({ key }) => key === NAME || key === null;

/** @typedef {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "defaultPrevented">} Pressed */

/** Whether a key is pressed alone, once, and nothing else has handled it. @param {Pressed} event */
function isSingle(event) {
  return !event.repeat && !event.defaultPrevented && !isShortcut(event);
}

/** Which option a key chooses, counted from 0, or null. @param {Pressed} event */
export function optionOf(event) {
  return isSingle(event) && /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : null;
}

/** Whether a key asks what the keys do. @param {Pressed} event */
export function isQuestionMark(event) {
  return isSingle(event) && event.key === "?";
}
