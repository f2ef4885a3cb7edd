// @ts-check
// What is sorted in each text's view: a view that was closed opens as it was.
/** @import { Controls } from "./scene.mjs" */

/** @type {Map<string, Controls>} */
const lastControls = new Map();

/** @param {string} text @returns {Controls} */
export function controlsOf(text) {
  return lastControls.get(text) ?? { byWeight: false, bySize: false };
}

/** @param {string} text @param {keyof Controls} control */
export function toggleControl(text, control) {
  const controls = controlsOf(text);
  lastControls.set(text, { ...controls, [control]: !controls[control] });
}
