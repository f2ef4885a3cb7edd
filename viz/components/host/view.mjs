// @ts-check
// Ties the page's selection to Python: the one component that hears what Python holds, and tells it what was changed.
import { Host } from "../shared/host.mjs";
import { selectionOf } from "../shared/page_selection.mjs";
import { storeOf } from "../shared/store.mjs";
import { View, mounting } from "../shared/view.mjs";
/** @import { Timer } from "../shared/host.mjs" */
/** @import { MountArguments, Scope, Selection } from "../shared/types.mjs" */

/**
 * What Python sends; see __init__.py.
 * @typedef {{ scope: Scope, selection: Selection, answered: number | null, eager: boolean }} HostData
 */

/** @returns {Timer} */
function timerOf() {
  let running = 0;
  const clear = () => window.clearTimeout(running);
  return {
    clear,
    set: (milliseconds, callback) => {
      clear();
      running = window.setTimeout(callback, milliseconds);
    },
  };
}

/**
 * The host of each selection, which outlives the component: a change may be on its way when the page shows another view.
 * @type {Map<Scope, Host>}
 */
const hosts = new Map();

/** @param {Scope} scope */
function hostOf(scope) {
  const isWaiting = () => storeOf().waiting.size > 0;
  const host = hosts.get(scope) ?? new Host({ scope, selection: selectionOf(scope), isWaiting, timer: timerOf() });
  hosts.set(scope, host);
  return host;
}

/**
 * What is used of Streamlit's own comes after what was selected: Python hears of that first.
 * @param {Event} event
 */
function flushBefore(event) {
  const isOurs = event.composedPath().some((node) => node instanceof HTMLElement && node.classList.contains("view"));
  if (!isOurs) hosts.forEach((host) => host.flush());
}

/** @extends {View<HostData>} */
class HostView extends View {
  /** @param {HTMLElement} root @param {HostData} data */
  constructor(root, data) {
    super(root, data);
    for (const type of /** @type {const} */ (["pointerdown", "focusin"])) {
      this.listen(document, type, (event) => flushBefore(event), { capture: true });
    }
  }

  /** @override */
  refresh() {
    const { scope, ...told } = this.data;
    hostOf(scope).receive(told, (message) => this.tell("selection", message));
  }
}

export default await mounting((root, data) => new HostView(root, /** @type {HostData} */ (data)));
