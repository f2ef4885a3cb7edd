// Messages that one component receives and others render. They are cached on the window by id, so that a change of head
// does not send the layer again.
import { messagesIn } from "./message.mjs";

const STORE = Symbol.for("headlight.store");
const MOST_BYTES = 96e6;

/**
 * @typedef {object} Store
 * @property {Map<string, { message: unknown, size: number }>} messages the oldest first
 * @property {Set<{ id: string, callback: (message: unknown) => void }>} waiting
 * @property {Set<() => void>} observers called after every message; they request none
 */

/** The store of a page, or of another owner. @param {object} owner @returns {Store} */
export function storeOf(owner = window) {
  const stores = /** @type {{ [STORE]?: Store }} */ (owner);
  return (stores[STORE] ??= { messages: new Map(), waiting: new Set(), observers: new Set() });
}

/**
 * Cache a message and pass it to every view that waits for it. The oldest messages are evicted.
 * @param {Store} store @param {string} id @param {unknown} message
 * @param {number} size of the message in bytes
 * @param {number} most bytes to cache; the newest message is always cached
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
 * Cache what Python sent, layer by layer.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {Store} store
 * @returns {string} the id of the message
 */
export function receive(bytes, store = storeOf()) {
  const { id, messages } = messagesIn(bytes);
  for (const message of messages) keepMessage(store, message.extras.id, message, bytes.byteLength / messages.length);
  return id;
}

/**
 * Call back with the message of that id: now, or when it arrives.
 * @param {Store} store @param {string} id @param {(message: unknown) => void} callback
 * @returns {() => void} cancels the wait
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
