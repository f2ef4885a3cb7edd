// Receives a message and caches it for the views. See __init__.py.
import { receive } from "../../shared/store.mjs";
/** @import { MountArguments } from "../../shared/types.mjs" */

/** @param {MountArguments<Uint8Array<ArrayBuffer>>} mount */
export default function ({ data }) {
  receive(data);
}
