// @ts-check
// Hands what is known of the texts to their fields. See __init__.py.
import { knownOf } from "../shared/known_texts.mjs";
/** @import { Known } from "../shared/known_texts.mjs" */
/** @import { MountArguments } from "../shared/types.mjs" */

/** @param {MountArguments<Known & { fields: string }>} mount */
export default function ({ data }) {
  knownOf(data.fields).put(data);
}
