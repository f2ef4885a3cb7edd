// @ts-check
// Receives a message and keeps it for the views. See __init__.py.
import { parseMessage } from "../shared/message.mjs";
import { keepMessage, storeOf } from "../shared/store.mjs";
/** @import { MountArguments } from "../shared/types.mjs" */

/** @param {MountArguments<Uint8Array<ArrayBuffer>>} mount */
export default function ({ data }) {
  const message = parseMessage(data);
  keepMessage(storeOf(), message.extras.id, message, data.byteLength);
}
