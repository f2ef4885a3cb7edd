// Stores the user's tour, and turns Streamlit's text area into an editor that sends its text when the user pauses.
import { sharedStorage, tabStorage } from "../../shared/tab_storage.mjs";
import { Tour } from "./kept.mjs";
/** @import { MountArguments, SetTriggerValue } from "../../shared/types.mjs" */
/** @import { Sent } from "./kept.mjs" */

const AREA = "[class*='st-key-tour_text_'] textarea"; // Streamlit's class for the key of the text area
const CLOSE = "[role=dialog] [aria-label=Close]";
const PAUSE = 400; // milliseconds
const MOST_FRAMES = 120; // until Streamlit has rendered a new text

const tour = new Tour(tabStorage(), sharedStorage());
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;
let shown = "";

/** @param {EventTarget | null} target */
const isEditor = (target) => target instanceof HTMLTextAreaElement && target.matches(AREA);

/** Have Streamlit send the text, as it does on Ctrl+Enter. @param {EventTarget} area */
const send = (area) => area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }));

document.addEventListener("input", ({ target }) => {
  if (!isEditor(target)) return;
  const area = /** @type {HTMLTextAreaElement} */ (target);
  tour.store(area.value);
  clearTimeout(pause);
  pause = setTimeout(() => send(area), PAUSE);
});

document.addEventListener(
  "keydown",
  ({ key, target }) => {
    if (key !== "Escape" || !target) return;
    if (isEditor(target)) send(target); // the dialog closes, and the text area goes with it
    // Streamlit disables a button while it builds its file; the dialog then loses focus and does not receive Escape.
    const isOutside = target === document.body;
    if (isOutside) document.querySelector(CLOSE)?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  },
  true,
);

/**
 * Put the caret at a line of the text, which scrolls there, once the text area shows the text.
 * @param {string} text
 * @param {number} line counted from 0
 */
function scrollTo(text, line, frames = MOST_FRAMES) {
  const area = /** @type {HTMLTextAreaElement | null} */ (document.querySelector(AREA));
  if (area?.value !== text) {
    if (frames > 0) requestAnimationFrame(() => scrollTo(text, line, frames - 1));
    return;
  }
  const start = text.split("\n").slice(0, line).join("\n").length + Math.sign(line);
  area.blur();
  area.setSelectionRange(start, start);
  area.focus();
}

/**
 * Called again for new data and when the theme changes. The stored tour is state, not a trigger: the browser
 * sends it again after a reconnect.
 * @param {MountArguments<Sent> & { setStateValue: SetTriggerValue }} mount
 */
export default function ({ data, setStateValue }) {
  const stored = tour.receive(data);
  if (stored) setStateValue("stored", stored);
  const wanted = data.place ? [data.visit, data.revision, data.place[0]].join() : "";
  if (data.place && data.text !== null && wanted !== shown) scrollTo(data.text, data.place[1]);
  shown = wanted;
}
