// Connects the page's selection to Python: receives what Python holds and has rendered, and sends changes.
import { openLinkedFold } from "../../shared/folds.mjs";
import { HOSTS, hostOf } from "../../shared/host.mjs";
import { View, mounting } from "../../shared/view.mjs";
/** @import { RunsUpdate } from "../../shared/host.mjs" */
/** @import { TextsUpdate } from "../../shared/page_selection.mjs" */
/** @import { MountArguments, Scope, Selection, SetTriggerValue } from "../../shared/types.mjs" */

/**
 * What Python sends, of the selection or after the run of the texts; see __init__.py.
 * @typedef {{ scope: Scope, answered: number | null }} Update
 * @typedef {Update & { selection: Selection, eager: boolean }} SelectionData
 * @typedef {Update & TextsUpdate & RunsUpdate & { alone: boolean }} RunsData
 */

/** Send pending selections before the user operates one of Streamlit's widgets. @param {Event} event */
function flushBefore(event) {
  const isOurs = event.composedPath().some((node) => node instanceof HTMLElement && node.classList.contains("view"));
  if (!isOurs) HOSTS.forEach((host) => host.flush());
}

/** @extends {View<SelectionData | RunsData>} */
class HostView extends View {
  /** @param {HTMLElement} root @param {SelectionData | RunsData} data */
  constructor(root, data) {
    super(root, data);
    if (!("selection" in data)) return;
    for (const type of /** @type {const} */ (["pointerdown", "focusin"])) {
      this.listen(document, type, (event) => flushBefore(event), { capture: true });
    }
    this.listen(document, "click", (event) => openLinkedFold(event));
  }

  /** @override */
  refresh() {
    const { scope, ...update } = this.data;
    /** @param {unknown} message */
    const send = (message) => this.sendToPython("selection", message);
    if ("selection" in update) hostOf(scope).receive(update, send);
    else hostOf(scope).receiveRuns(update, update.alone ? send : null);
  }
}

const mount = await mounting((root, data) => new HostView(root, /** @type {SelectionData | RunsData} */ (data)));

/**
 * Typed text is state, not a trigger: the browser sends it again after a reconnect.
 * @param {MountArguments<SelectionData | RunsData> & { setStateValue: SetTriggerValue }} mountArguments
 */
export default function (mountArguments) {
  const { data, setTriggerValue, setStateValue } = mountArguments;
  return mount({ ...mountArguments, setTriggerValue: "selection" in data ? setTriggerValue : setStateValue });
}
