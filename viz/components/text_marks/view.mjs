// @ts-check
// Hands what is known of the texts to their fields, and takes what is typed into them. See __init__.py.
import { knownOf } from "../shared/known_texts.mjs";
/** @import { Known } from "../shared/known_texts.mjs" */
/** @import { MountArguments, SetTriggerValue } from "../shared/types.mjs" */

/** @param {MountArguments<Known & { fields: string, alone: boolean }> & { setStateValue: SetTriggerValue }} mount */
export default function ({ data, setStateValue }) {
  /** @param {unknown} message */
  const send = (message) => setStateValue("typed", message);
  knownOf(data.fields).put(data, data.alone ? send : null);
}
