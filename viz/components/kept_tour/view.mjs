// @ts-check
// Keeps the tour that is being made, and what is being typed into its editor. See __init__.py.
import { sharedStorage, tabStorage } from "../shared/tab_storage.mjs";
import { Keeper, fieldOf } from "./kept.mjs";
/** @import { MountArguments, SetTriggerValue } from "../shared/types.mjs" */
/** @import { Told } from "./kept.mjs" */

const keeper = new Keeper(tabStorage(), sharedStorage());

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
  const field = fieldOf(target);
  if (field !== null) keeper.note(field, target.value);
});

// Streamlit disables a button while it makes its file, which takes the focus out of the dialog, and Escape with it.
document.addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape" || target !== document.body) return;
  document.querySelector("[role=dialog] [aria-label=Close]")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
});

/**
 * Called again for new data and when the theme changes. What was kept is state, no trigger: the browser sends it again
 * when it has lost the server and found it.
 * @param {MountArguments<Told> & { setStateValue: SetTriggerValue }} mount
 */
export default function ({ data, setStateValue }) {
  const kept = keeper.receive(data);
  if (kept) setStateValue("kept", kept);
}
