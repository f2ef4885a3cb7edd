// Receives a message and keeps it for the views. See __init__.py.
import { parseBlob } from "../shared/blob.mjs";
import { keep, storeOf } from "../shared/store.mjs";

/** Called again with the same bytes on every run: those that are kept already are not read again. */
export default function ({ data }) {
  const blob = parseBlob(data);
  keep(storeOf(), blob.extras.id, blob, data.byteLength);
}
