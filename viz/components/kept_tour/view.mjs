// @ts-check
// Keeps the tour that is being made. See __init__.py.
import { tabStorage } from "../shared/tab_storage.mjs";
import { Keeper } from "./kept.mjs";
/** @import { MountArguments, SetTriggerValue } from "../shared/types.mjs" */
/** @import { Told } from "./kept.mjs" */

const keeper = new Keeper(tabStorage());

/**
 * Called again for new data and when the theme changes. What was kept is state, no trigger: the browser sends it again
 * when it has lost the server and found it.
 * @param {MountArguments<Told> & { setStateValue: SetTriggerValue }} mount
 */
export default function ({ data, setStateValue }) {
  const kept = keeper.receive(data);
  if (kept) setStateValue("kept", kept);
}
