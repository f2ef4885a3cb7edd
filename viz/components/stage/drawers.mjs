// Parts of the page that the stage hides until a key asks for them: the list of views, and the sentences.
/** @import { Drawer } from "./keys.mjs" */

const OPENED = "stageOpens"; // of the page's root, for stage.css

/** The drawer that is open, or null. @returns {Drawer | null} */
export function openedDrawer() {
  return /** @type {Drawer | undefined} */ (document.documentElement.dataset[OPENED]) ?? null;
}

/** Open a drawer, or close it if it is open; null closes any. @param {Drawer | null} drawer */
export function toggleDrawer(drawer) {
  const opened = openedDrawer();
  if (drawer === null && opened === null) return;
  if (opened === "texts") fieldOf(".st-key-inputs")?.blur();
  if (opened === "views") menuButton("[aria-expanded=true]")?.click();
  if (drawer === null || drawer === opened) {
    delete document.documentElement.dataset[OPENED];
  } else {
    document.documentElement.dataset[OPENED] = drawer;
    if (drawer === "texts") fieldOf(".st-key-inputs")?.focus();
    else menuButton("[aria-expanded=false]")?.click();
  }
  window.dispatchEvent(new Event("resize")); // the views' heights follow
}

/** @param {string} state @returns {HTMLButtonElement | null} */
function menuButton(state) {
  return document.querySelector(`.st-key-views button${state}`);
}

/**
 * The first text field of a part of the page, also within a component.
 * @param {string} place
 * @returns {HTMLElement | null}
 */
function fieldOf(place) {
  for (const part of document.querySelectorAll(`${place} *`)) {
    const field = part.matches("textarea, input") ? part : part.shadowRoot?.querySelector("textarea, input");
    if (field instanceof HTMLElement) return field;
  }
  return null;
}
