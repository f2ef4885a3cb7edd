// @ts-check
// Ties the page's selection to Python: hears what Python holds and has drawn, and tells it what was changed.
import { hostOf, hostsOf } from "../../shared/host.mjs";
import { View, mounting } from "../../shared/view.mjs";
/** @import { RunsTold } from "../../shared/host.mjs" */
/** @import { TextsTold } from "../../shared/page_selection.mjs" */
/** @import { MountArguments, Scope, Selection, SetTriggerValue } from "../../shared/types.mjs" */

/**
 * What Python sends, of the selection or after the run of the texts; see __init__.py.
 * @typedef {{ scope: Scope, answered: number | null }} Told
 * @typedef {Told & { selection: Selection, eager: boolean, alone?: undefined }} SelectionData
 * @typedef {Told & TextsTold & RunsTold & { alone: boolean }} RunsData
 */

/**
 * What is used of Streamlit's own comes after what was selected: Python hears of that first.
 * @param {Event} event
 */
function flushBefore(event) {
  const isOurs = event.composedPath().some((node) => node instanceof HTMLElement && node.classList.contains("view"));
  if (!isOurs) hostsOf().forEach((host) => host.flush());
}

/** @extends {View<SelectionData | RunsData>} */
class HostView extends View {
  /** @param {HTMLElement} root @param {SelectionData | RunsData} data */
  constructor(root, data) {
    super(root, data);
    if (data.alone !== undefined) return;
    for (const type of /** @type {const} */ (["pointerdown", "focusin"])) {
      this.listen(document, type, (event) => flushBefore(event), { capture: true });
    }
  }

  /** @override */
  refresh() {
    const { scope, ...told } = this.data;
    /** @param {unknown} message */
    const send = (message) => this.tell("selection", message);
    if (told.alone === undefined) hostOf(scope).receive(told, send);
    else hostOf(scope).receiveRuns(told, told.alone ? send : null);
  }
}

const mount = await mounting((root, data) => new HostView(root, /** @type {SelectionData | RunsData} */ (data)));

/**
 * What is typed is state, no trigger: the browser sends it again when it has lost the server and found it.
 * @param {MountArguments<SelectionData | RunsData> & { setStateValue: SetTriggerValue }} mountArguments
 */
export default function (mountArguments) {
  const { data, setTriggerValue, setStateValue } = mountArguments;
  return mount({ ...mountArguments, setTriggerValue: data.alone === undefined ? setTriggerValue : setStateValue });
}
