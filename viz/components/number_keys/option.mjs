// @ts-check
// Which option of a choice a key stands for.
import { isShortcut } from "../shared/keys.mjs";

/**
 * Which option a key chooses, counted from 0, or null.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "defaultPrevented">} event
 */
export function optionOf(event) {
  if (event.repeat || event.defaultPrevented || isShortcut(event)) return null;
  return /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : null;
}
