// @ts-check
// Messages that one component received and others draw. They are kept on the window by id, so that a view that shows
// another head is not sent its layer again.
import { layersIn } from "./layers.mjs";
import { parseMessage } from "./message.mjs";

const STORE = Symbol.for("headlight.store");
const MOST_BYTES = 96e6;

/**
 * @typedef {object} Store
 * @property {Map<string, { message: unknown, size: number }>} messages the oldest first
 * @property {Set<{ id: string, callback: (message: unknown) => void }>} waiting
 * @property {Set<() => void>} observers called when a message came, whichever it is; nobody is asked for one
 */

/**
 * The store of a page, or of any other object.
 * @param {object} owner
 * @returns {Store}
 */
export function storeOf(owner = window) {
  const stores = /** @type {{ [STORE]?: Store }} */ (owner);
  return (stores[STORE] ??= { messages: new Map(), waiting: new Set(), observers: new Set() });
}

/**
 * Keep a message and hand it to every view that waits for it. The oldest messages make room for it.
 * @param {Store} store
 * @param {string} id
 * @param {unknown} message
 * @param {number} size of the message in bytes
 * @param {number} most bytes to keep; the newest message is kept in any case
 */
export function keepMessage(store, id, message, size, most = MOST_BYTES) {
  const { messages, waiting } = store;
  messages.delete(id);
  messages.set(id, { message, size });
  let total = [...messages.values()].reduce((sum, kept) => sum + kept.size, 0);
  for (const [oldest, kept] of messages) {
    if (total <= most || oldest === id) break;
    messages.delete(oldest);
    total -= kept.size;
  }
  for (const waiter of [...waiting]) {
    if (waiter.id !== id) continue;
    waiting.delete(waiter);
    waiter.callback(message);
  }
  for (const callback of store.observers) callback();
}

/**
 * Keep what Python sent, a layer at a time.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Store} store
 * @returns {string} the id of the message
 */
export function receive(bytes, store = storeOf()) {
  const message = parseMessage(bytes);
  const kept = layersIn(message);
  for (const each of kept) keepMessage(store, each.extras.id, each, bytes.byteLength / kept.length);
  return message.extras.id;
}

/**
 * Call back with the message of that id: now, or when it arrives.
 * @param {Store} store
 * @param {string} id
 * @param {(message: unknown) => void} callback
 * @returns {() => void} ends the waiting
 */
export function withMessage(store, id, callback) {
  const kept = store.messages.get(id);
  if (kept) {
    callback(kept.message);
    return () => {};
  }
  const waiter = { id, callback };
  store.waiting.add(waiter);
  return () => store.waiting.delete(waiter);
}
