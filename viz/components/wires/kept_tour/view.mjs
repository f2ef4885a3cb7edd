// Stores the user's tours, and turns Streamlit's text area into an editor that sends its text when the user pauses.
import { sharedStorage, tabStorage } from "../../shared/tab_storage.mjs";
import { Tours } from "./kept.mjs";
/** @import { MountArguments, SetTriggerValue } from "../../shared/types.mjs" */
/** @import { Sent } from "./kept.mjs" */

const AREA = "[class*='st-key-tour_text_'] textarea"; // Streamlit's class for the key of the text area
const DOWNLOAD = "[role=dialog] .stDownloadButton button";
const APP = "[data-test-script-state]"; // Streamlit's element that says whether a run is in progress
const CLOSE = "[role=dialog] [aria-label=Close]";
const PAUSE = 400; // milliseconds
const TO_START = 500; // milliseconds in which a run begins
const MOST_FRAMES = 120; // until Streamlit has rendered a new text

const tours = new Tours(sharedStorage() ?? tabStorage());
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;
let isUnsent = false; // whether a run has yet to apply the text
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
  isUnsent = true;
  clearTimeout(pause);
  pause = setTimeout(() => apply(area, typed), PAUSE);
});

/** A run has applied the text. */
function typed() {
  isUnsent = false;
  reportRefusal();
}

/**
 * Have Streamlit send the text, and call back once a run has applied it; also if it was sent before.
 * @param {EventTarget} area @param {() => void} applied
 */
function apply(area, applied) {
  clearTimeout(pause);
  send(area);
  const app = document.querySelector(APP);
  const isRunning = () => app?.getAttribute("data-test-script-state") === "running";
  let hasRun = isRunning();
  const over = new AbortController();
  over.signal.addEventListener("abort", applied);
  const observer = new MutationObserver(() => {
    if (isRunning()) hasRun = true;
    else if (hasRun) over.abort();
  });
  over.signal.addEventListener("abort", () => observer.disconnect());
  if (app) observer.observe(app, { attributeFilter: ["data-test-script-state"] });
  setTimeout(() => hasRun || over.abort(), TO_START);
}

/** The button that saves a file, at an event's target. @param {EventTarget | null} target */
const downloadAt = (target) => (target instanceof Element ? target.closest(DOWNLOAD) : null);

// A run that applies the text ends a download, so that the text comes first: the button leaves it the focus, and is
// pressed again after the run.
document.addEventListener("mousedown", (event) => downloadAt(event.target) && event.preventDefault(), true);
document.addEventListener(
  "click",
  (event) => {
    const button = downloadAt(event.target);
    const area = document.querySelector(AREA);
    if (!button || !area || !isUnsent) return;
    event.stopImmediatePropagation();
    const label = button.textContent;
    apply(area, () => {
      isUnsent = false;
      const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(DOWNLOAD));
      [...buttons].find(({ textContent }) => textContent === label)?.click();
    });
  },
  true,
);

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
