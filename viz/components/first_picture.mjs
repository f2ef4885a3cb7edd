// @ts-check
// The picture that the page opens with, painted from the page's HTML while Streamlit's own code is on its way. It answers
// as every view does, and what is chosen in it is chosen on the page. `viz/page/first_picture.py` says what it draws.
import cellMap from "./cell_map/view.mjs";
import { element } from "./shared/elements.mjs";
import { selectionOf } from "./shared/page_selection.mjs";
import { PAINTED } from "./shared/selection.mjs";
import { receive } from "./shared/store.mjs";
/** @import { Selection, ViewData } from "./shared/types.mjs" */

const PATIENCE = 1000; // milliseconds for the page's own picture, when the page has been drawn without one
const DRAWN = '[data-testid="stApp"][data-test-script-state="notRunning"] [data-testid="stMain"] .stElementContainer';

/**
 * What stands in the page's HTML.
 * @typedef {object} FirstPicture
 * @property {Selection} selection
 * @property {string} layer its message, in base 64
 * @property {Record<"light" | "dark", ViewData>} views what the view is given in each theme
 */

/** Paint it, unless a link says what the page opens with; it goes when the page has its own. */
export function drawFirstPicture() {
  const place = document.getElementById("first-picture");
  if (!place || window.location.search) {
    place?.remove();
    return;
  }
  /** @type {FirstPicture} */
  const { selection, layer, views } = JSON.parse(place.textContent);
  const theme = themeOfPage();
  place.dataset.theme = theme;
  const width = parseInt(keptByStreamlit("sidebarWidth") ?? "");
  if (width) place.style.setProperty("--sidebar", `${width}px`);
  receive(Uint8Array.from(atob(layer), (letter) => letter.charCodeAt(0)));
  selectionOf("encoder").confirm(selection, null);
  const ending = whenThePageHasItsOwn(place);
  const close = mount(place, views[theme], ending);
  ending.addEventListener("abort", () => {
    close();
    place.remove();
  });
}

/**
 * @param {HTMLElement} place
 * @param {ViewData} data
 * @param {AbortSignal} ending
 */
function mount(place, data, ending) {
  const box = element("div");
  place.replaceChildren(box);
  const parentElement = box.attachShadow({ mode: "open" });
  parentElement.append(element("div", "view"));
  const draw = () => cellMap({ name: "cell_map", data, parentElement, setTriggerValue: () => {} });
  let close = draw();
  document.fonts.addEventListener("loadingdone", () => (close = draw()), { signal: ending });
  return () => close();
}

/**
 * Aborted when another view is painted, or when the page has been drawn and has no other view.
 * @param {HTMLElement} place
 */
function whenThePageHasItsOwn(place) {
  const ending = new AbortController();
  const { signal } = ending;
  /** @param {Event} event */
  const endIfOther = ({ target }) => {
    if (target instanceof Element && !place.contains(target)) ending.abort();
  };
  document.addEventListener(PAINTED, endIfOther, { signal });
  const observer = new MutationObserver(() => {
    if (!document.querySelector(DRAWN)) return;
    observer.disconnect();
    setTimeout(() => ending.abort(), PATIENCE);
  });
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["data-test-script-state"] });
  signal.addEventListener("abort", () => observer.disconnect());
  return signal;
}

/** The theme that Streamlit will choose: what was chosen in its menu, or what the browser prefers. */
function themeOfPage() {
  const chosen = keptByStreamlit(`stActiveTheme-${window.location.pathname}-v2`);
  if (chosen === '"Dark"' || chosen === '"Light"') return chosen === '"Dark"' ? "dark" : "light";
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** @param {string} name */
function keptByStreamlit(name) {
  try {
    return window.localStorage.getItem(name);
  } catch {
    return null; // forbidden by the reader's settings
  }
}
