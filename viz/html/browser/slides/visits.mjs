// The place in a talk (the stop, counted from 1, and whether its question is answered), and the keys that change it.
import { nextVisit } from "../../../components/stage/tour.mjs";
import { isShortcut } from "../../../components/shared/keys.mjs";
/** @import { Visit } from "../../../components/stage/tour.mjs" */

const ANSWERED = "a"; // behind the number of a stop in the address

/** @typedef {"notes" | "theme" | "full screen" | "dark" | "pointer"} Deed */
/** @typedef {{ by: number } | { to: number } | Deed} Action a `to` beyond the last stop means the last one */

/** @type {Readonly<Record<string, Action>>} */
const KEYS = {
  ArrowRight: { by: 1 },
  ArrowLeft: { by: -1 },
  " ": { by: 1 },
  PageDown: { by: 1 },
  PageUp: { by: -1 },
  Home: { to: 1 },
  End: { to: Infinity },
  n: "notes",
  t: "theme",
  f: "full screen",
  b: "dark",
  ".": "pointer",
};

/**
 * The action of a key, or null.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">} event @returns {Action | null}
 */
export function actionOf(event) {
  if (isShortcut(event)) return null;
  if (event.key === " " && event.shiftKey) return { by: -1 };
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.hasOwn(KEYS, name) ? KEYS[name] : null;
}

/** Whether clickers send the key, which turns slides wherever the focus is. @param {string} key */
export const isOfClicker = (key) => key === "PageDown" || key === "PageUp";

/**
 * The visit after an action, or null.
 * @param {readonly { asks: boolean }[]} slides @param {Visit} visit @param {{ by: number } | { to: number }} action
 * @returns {Visit | null}
 */
export function visitAfter(slides, visit, action) {
  if ("to" in action) return arrival(slides, action.to);
  const stops = slides.map(({ asks }) => ({ title: "", question: asks ? "?" : "", answer: "", notes: "" }));
  return nextVisit(stops, visit, action.by);
}

/**
 * The visit on arrival at a stop: at its question, if it has one.
 * @param {readonly { asks: boolean }[]} slides
 * @param {number} number of the stop, or of the nearest
 * @returns {Visit}
 */
function arrival(slides, number) {
  const at = Math.min(Math.max(number, 1), slides.length);
  return { at, answered: !slides[at - 1].asks };
}

/**
 * The visit in an address: "#3" is the third stop, "#3a" with its answer. Without one it is the first stop.
 * @param {string} hash @param {readonly { asks: boolean }[]} slides @returns {Visit}
 */
export function visitIn(hash, slides) {
  const [, number = "1", answered = ""] = /^#([0-9]{1,4})(a?)$/.exec(hash) ?? [];
  const visit = arrival(slides, Number(number));
  return { at: visit.at, answered: visit.answered || answered === ANSWERED };
}

/** What an address has for a visit. @param {Visit} visit @param {readonly { asks: boolean }[]} slides */
export function hashOf({ at, answered }, slides) {
  return `#${at}${answered && slides[at - 1].asks ? ANSWERED : ""}`;
}
