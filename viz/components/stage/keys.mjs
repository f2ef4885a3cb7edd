// Maps keys to actions on stage.
import { isShortcut } from "../shared/keys.mjs";

/**
 * An action: enter or leave the stage, select another layer or head, step through the tour, scroll, or toggle an
 * overlay.
 * @typedef {"present" | "end" | "blank" | "pointer" | "keys" | "full screen" | "notes" | Drawer} Command
 * @typedef {"views" | "texts"} Drawer a part of the page that the stage hides until it is asked for
 * @typedef {{ layer: number } | { head: number } | { tour: number } | { scroll: number }} Move by so many places;
 *   ±Infinity scrolls to an edge
 * @typedef {Command | Move} Action
 */

/** The keys and what they do, as the help lists them. @type {readonly (readonly [keys: string, deed: string])[]} */
export const HELP = [
  ["← →", "another head"],
  ["↑ ↓", "another layer"],
  ["1 – 9", "another view of the open group"],
  ["V", "all views: arrows and Enter choose one"],
  ["T", "the sentences, to type others"],
  ["Space, Page Down", "the answer, the next stop of the lesson"],
  ["Page Up", "back in the lesson"],
  ["B", "a dark screen, and back"],
  [".", "a pointer that follows the mouse"],
  ["Shift + ↑ ↓", "scroll"],
  ["Home, End", "scroll to the top, to the bottom"],
  ["N", "a second window for you: answers, notes, the next stop, a clock"],
  ["F", "full screen"],
  ["?", "these keys"],
  ["Esc", "close what was opened; else end, as P does"],
];

/** @type {Readonly<Record<string, Action>>} */
const COMMANDS = {
  Escape: "end",
  p: "end",
  b: "blank",
  ".": "pointer",
  "?": "keys",
  f: "full screen",
  n: "notes",
  v: "views",
  t: "texts",
};

/** @type {Readonly<Record<string, Move>>} */
const MOVES = {
  ArrowUp: { layer: -1 },
  ArrowDown: { layer: 1 },
  ArrowLeft: { head: -1 },
  ArrowRight: { head: 1 },
};

/** @type {Readonly<Record<string, Move>>} */
const SCROLLS = { ArrowUp: { scroll: -1 }, ArrowDown: { scroll: 1 } };

/** @type {Readonly<Record<string, Move>>} */
const EDGES = { Home: { scroll: -Infinity }, End: { scroll: Infinity } };

/** @type {Readonly<Record<string, Move>>} */
const STEPS = { " ": { tour: 1 }, PageDown: { tour: 1 }, PageUp: { tour: -1 } };

const STREAMLITS = ["c", "r"]; // open a dialog over the picture, and rerun the page

/** @typedef {"key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat" | "defaultPrevented"} Pressed */

/**
 * The action of a key, or null.
 * @param {Pick<KeyboardEvent, Pressed>} event
 * @param {{ on: boolean, hasTour: boolean }} stage whether the stage is on, and whether a tour is open
 * @returns {Action | null}
 */
export function actionOf(event, { on, hasTour }) {
  const { key, shiftKey, repeat, defaultPrevented } = event;
  if (defaultPrevented || isShortcut(event)) return null;
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (!on) return name === "p" && !repeat ? "present" : null;
  const moves = shiftKey ? SCROLLS : MOVES;
  if (Object.hasOwn(moves, name)) return moves[name];
  if (Object.hasOwn(EDGES, name)) return EDGES[name];
  if (repeat) return null;
  if (hasTour && Object.hasOwn(STEPS, name)) return STEPS[name];
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
}

/** Whether a key is a shortcut of Streamlit's that would disturb a talk. @param {Pick<KeyboardEvent, Pressed>} event */
export function disturbs(event) {
  return !isShortcut(event) && STREAMLITS.includes(event.key.toLowerCase());
}
