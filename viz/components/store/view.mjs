// @ts-check
// Receives a message and keeps it for the views. See __init__.py.
import { layersIn } from "../shared/layers.mjs";
import { parseMessage } from "../shared/message.mjs";
import { keepMessage, storeOf } from "../shared/store.mjs";
/** @import { MountArguments } from "../shared/types.mjs" */

/** @param {MountArguments<Uint8Array<ArrayBuffer>>} mount */
export default function ({ data }) {
  const message = parseMessage(data);
  const kept = layersIn(message);
  for (const each of kept) keepMessage(storeOf(), each.extras.id, each, data.byteLength / kept.length);
}
