// The stage's title line and the speaker's clocks.
import { MEAN } from "../shared/selection.mjs";
/** @import { Selection } from "../shared/types.mjs" */

/**
 * The part of the line that does not depend on the selection: the model, and a few words about the view.
 * @typedef {object} Seen
 * @property {string} model
 * @property {string} shows
 * @property {boolean} follows whether the picture follows layer and head
 * @property {boolean} shows_heads whether it draws the selection's heads together
 * @property {{ name: string, heads: boolean, from_input: boolean } | null} [quantity] what it draws instead of weights
 */

/**
 * "all-MiniLM-L6-v2 · layer 3 · head 7 · row looks at column".
 * @param {Seen} seen
 * @param {Selection | null} selection null before Python has sent it
 */
export function lineOf({ model, shows, follows, shows_heads: showsHeads, quantity }, selection) {
  const place = follows && selection ? placeOf(selection, showsHeads, quantity) : [];
  return [model, quantity?.name, ...place, shows].filter(Boolean).join(" · ");
}

/** @param {Selection} selection @param {boolean} showsHeads @param {Seen["quantity"]} quantity */
function placeOf({ layer, head, heads, sentences }, showsHeads, quantity) {
  const one = head === MEAN ? (quantity ? "heads together" : "mean over heads") : `head ${head}`;
  const named = quantity && !quantity.heads ? "" : (showsHeads && headsOf(heads)) || one;
  const [from, to] = sentences.split("→");
  return [
    quantity?.from_input ? `from the input to layer ${layer}` : `layer ${layer}`,
    named,
    to ? `from ${from} to ${to} only` : "",
  ];
}

/** Several heads in words; "" if the view shows the selected head. @param {string} heads */
function headsOf(heads) {
  if (heads === "") return "";
  if (heads === "all" || heads === "none") return heads === "all" ? "all heads" : "no head";
  const numbers = heads.split(".");
  return numbers.length > 1 ? `heads ${numbers.join(", ")}` : `head ${heads}`;
}

/** @param {number} number */
const twoDigits = (number) => String(number).padStart(2, "0");

/** The time of day, "9:05". @param {Date} date */
export function clockOf(date) {
  return `${date.getHours()}:${twoDigits(date.getMinutes())}`;
}

/** How long a talk has taken, "12:03" or "1:02:03". @param {number} milliseconds */
export function elapsedOf(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${twoDigits(minutes)}:${twoDigits(seconds % 60)}`;
  return hours ? `${hours}:${rest}` : rest;
}
