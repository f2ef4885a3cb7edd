// Messages that one component received and others draw: kept on the window by id, so that a view that changes its head
// is not sent its layer again.

const STORE = Symbol.for("headlight.store");
const MOST_BYTES = 96e6;

export function storeOf(owner = window) {
  return (owner[STORE] ??= { blobs: new Map(), waiting: new Set() });
}

/** Keep a message; the oldest make room, and whoever waits for this one is told. */
export function keep(store, id, blob, size, most = MOST_BYTES) {
  store.blobs.delete(id);
  store.blobs.set(id, { blob, size });
  let total = [...store.blobs.values()].reduce((sum, kept) => sum + kept.size, 0);
  for (const [oldest, kept] of store.blobs) {
    if (total <= most || oldest === id) break;
    store.blobs.delete(oldest);
    total -= kept.size;
  }
  for (const waiter of [...store.waiting]) {
    if (waiter.id === id) {
      store.waiting.delete(waiter);
      waiter.then(blob);
    }
  }
}

/** Call `then` with the message of that id: now, or when it arrives. Returns a function that gives up waiting. */
export function withBlob(store, id, then) {
  const kept = store.blobs.get(id);
  if (kept) {
    then(kept.blob);
    return () => {};
  }
  const waiter = { id, then };
  store.waiting.add(waiter);
  return () => store.waiting.delete(waiter);
}
