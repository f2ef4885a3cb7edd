// Links a saved page with the page that shows it in a frame, such as a notebook: the selection is sent both ways.
import { selectionOf } from "../../components/shared/page_selection.mjs";
/** @import { ViewName } from "./contents.mjs" */
/** @import { SavedPage, ThemeName } from "./saved_page.mjs" */
/** @import { SelectionChanges } from "../../components/shared/types.mjs" */

/** @typedef {SelectionChanges & { view: ViewName }} State @typedef {{ headlight: State & { theme?: ThemeName } }} LinkMessage */

const QUIET = 100; // milliseconds between the steps of a slider that is dragged

/** The page's selection, without a tour's highlights. @param {SavedPage} page @returns {State} */
function stateOf(page) {
  /** @type {State} */
  const state = { view: page.view, ...page.selection }; // a view may ask for another one
  delete state.points;
  return state;
}

/**
 * Send every change of the selection and of the view to the parent window, and apply what that sends.
 * @param {SavedPage} page @param {Pick<Window, "postMessage">} parent
 */
export function linkWithParent(page, parent = window.parent) {
  const selection = selectionOf("encoder");
  let sent = "";
  let timer = 0;
  function send() {
    const state = stateOf(page);
    if (sent === JSON.stringify(state)) return;
    sent = JSON.stringify(state);
    parent.postMessage({ headlight: state }, "*"); // the frame of a notebook has no origin
  }
  function sendSoon() {
    window.clearTimeout(timer);
    timer = window.setTimeout(send, selection.isLive ? QUIET : 0);
  }
  page.onView = sendSoon;
  selection.subscribe(sendSoon);
  window.addEventListener("message", (/** @type {MessageEvent<LinkMessage | undefined>} */ { source, data }) => {
    if (source !== parent || !data?.headlight) return;
    const { view, theme, ...changes } = data.headlight;
    if (theme) page.setTheme(theme);
    const chosen = { ...page.selection, ...changes };
    if ("view" in chosen) delete chosen.view;
    selection.confirm(chosen, Infinity);
    if (view !== page.view) page.open(view);
    sent = JSON.stringify(stateOf(page));
  });
  send();
}
