// Stores the user's tours, and turns Streamlit's text area into an editor that sends its text when the user pauses.
import { sharedStorage, tabStorage } from "../../shared/tab_storage.mjs";
import { Tours } from "./kept.mjs";
/** @import { MountArguments, SetTriggerValue } from "../../shared/types.mjs" */
/** @import { Sent } from "./kept.mjs" */

const AREA = "[class*='st-key-tour_text_'] textarea"; // Streamlit's class for the key of the text area
const SAVES = /\bst-key-(tour_save(?:_slides)?)_\d+\b/u; // class of a button of the editor that saves a file
const CLOSE = "[role=dialog] [aria-label=Close]";
const PAUSE = 400; // milliseconds
const PATIENCE = 60_000; // milliseconds that a file may be asked for
const MOST_FRAMES = 120; // until Streamlit has rendered a new text

const tours = new Tours(sharedStorage() ?? tabStorage());
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;
let asked = 0; // when a file was last asked for
let shown = "";
let wasRefused = false;
/** @type {SetTriggerValue} of the last mount */
let setState = () => {};

/** Report whether the browser did not store the last change, if that is new: a report reruns the page. */
function reportRefusal() {
  if (tours.isRefused === wasRefused) return;
  wasRefused = tours.isRefused;
  setState("refused", wasRefused);
}

/** @param {EventTarget | null} target */
const isEditor = (target) => target instanceof HTMLTextAreaElement && target.matches(AREA);

/** Have Streamlit send the text, as it does on Ctrl+Enter. @param {EventTarget} area */
const send = (area) => area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }));

document.addEventListener("input", ({ target }) => {
  if (!isEditor(target)) return;
  const area = /** @type {HTMLTextAreaElement} */ (target);
  tours.store(area.value);
  clearTimeout(pause);
  pause = setTimeout(() => {
    send(area);
    reportRefusal();
  }, PAUSE);
});

// A file has what was typed before the click. Streamlit sends a field that loses the focus; the button is pressed in
// the run that answers a later request.
document.addEventListener(
  "click",
  (event) => {
    const element = event.target instanceof Element ? event.target.closest("[class*='st-key-tour_save']") : null;
    const [, key] = SAVES.exec(element?.className ?? "") ?? [];
    if (!key || !event.isTrusted) return;
    event.stopImmediatePropagation();
    asked = Date.now();
    setState("asked", asked);
    pressOnceDrawn(asked, `.st-key-${key}_${asked} button`);
  },
  true,
);

/** Press the button that a request draws, which may take a run or two. @param {number} at @param {string} selector */
function pressOnceDrawn(at, selector) {
  const button = document.querySelector(selector);
  if (button instanceof HTMLElement) button.click();
  else if (at === asked && Date.now() < at + PATIENCE) requestAnimationFrame(() => pressOnceDrawn(at, selector));
}

document.addEventListener(
  "keydown",
  ({ key, target }) => {
    if (key !== "Escape" || !target) return;
    // The dialog closes, and its fields go with it: Streamlit sends the text of one that loses the focus.
    if (isEditor(target)) send(target);
    else if (target instanceof HTMLElement && target.closest("[role=dialog]")) target.blur();
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
 * Called again for new data and when the theme changes. The stored tours are state, not a trigger: the browser
 * sends them again after a reconnect.
 * @param {MountArguments<Sent> & { setStateValue: SetTriggerValue }} mount
 */
export default function ({ data, setStateValue }) {
  setState = setStateValue;
  const stored = tours.receive(data);
  if (stored) setStateValue("stored", stored);
  reportRefusal();
  const wanted = data.place ? [data.visit, data.revision, data.place[0]].join() : "";
  if (data.place && data.text !== null && wanted !== shown) scrollTo(data.text, data.place[1]);
  shown = wanted;
}
