// @ts-check
// Requests runs of a text while it is typed, without a rerun of the page. See `viz/page/direct.py`.
import { receive } from "../shared/store.mjs";
/** @import { DirectRun, Runs } from "../shared/page_selection.mjs" */
/** @import { Marks } from "../shared/types.mjs" */

const BYTES_OF_A_LENGTH = 4;
const NOTHING_TO_DRAW = 204;
const TIMED_OUT = 408; // a slow connection
const SERVER_ERRORS = 500; // and above: the server or a proxy cannot answer now

/**
 * The request: the page's address, newer texts and layer, and the id of the page.
 * @typedef {{ query: string, texts: Record<string, string>, layer: number, client: string }} DirectRequest
 */

/**
 * The answer: first the requested layers, then the maps of all heads.
 * @typedef {object} DirectAnswer
 * @property {Runs} runs without maps
 * @property {Record<string, Marks>} marks
 * @property {Promise<Runs | null>} whole the runs with their maps; null if the page has to send them, or the
 *   connection was lost
 */

/**
 * Request runs, and cache their messages in the store.
 * @param {string} address
 * @param {DirectRequest} request
 * @param {AbortSignal} signal
 * @returns {Promise<DirectAnswer | null>} null if the page has to rerun, or there is no
 *   answer now
 * @throws {Error} the address will never answer
 */
export async function requestDirectRun(address, request, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(request), signal }).catch(lost);
  if (!answer || [NOTHING_TO_DRAW, TIMED_OUT].includes(answer.status) || answer.status >= SERVER_ERRORS) return null;
  if (!answer.ok || !answer.body) throw new Error(`The server answers ${answer.status}.`);
  const parts = partsIn(answer.body);
  const [header] = await take(parts, 1);
  const { texts, strips, marks, messages } = JSON.parse(new TextDecoder().decode(header));
  const layers = (await take(parts, messages)).map((message) => receive(message));
  /** @param {string[]} maps */
  const runsWith = (maps) =>
    new Map(
      /** @type {string[][]} */ (texts).map((of, index) => {
        const run = { layers: layers[index] ?? null, map: maps[index] ?? null, strip: strips[index] };
        return /** @type {[string, DirectRun]} */ ([of.join(), run]);
      }),
    );
  const whole = take(parts, texts.length).then(
    (maps) => (maps.length < texts.length ? null : runsWith(maps.map((message) => receive(message)))),
    (error) => (signal.aborted ? null : lost(error)),
  );
  return { runs: runsWith([]), marks, whole };
}

/** Null for a lost connection; other errors are thrown. @param {unknown} error */
function lost(error) {
  if (error instanceof TypeError) return null;
  throw error;
}

/**
 * The next parts, or as many as there are.
 * @param {AsyncIterator<Uint8Array<ArrayBuffer>>} parts
 * @param {number} count
 */
async function take(parts, count) {
  const taken = [];
  while (taken.length < count) {
    const { value, done } = await parts.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** The parts of an answer as they arrive, each preceded by its length. @param {ReadableStream<Uint8Array>} stream */
export async function* partsIn(stream) {
  const reader = stream.getReader();
  /** @type {Uint8Array} */
  let rest = new Uint8Array(); // unread bytes

  /** @param {number} count */
  async function bytes(count) {
    const wanted = new Uint8Array(count);
    for (let filled = 0; ;) {
      const next = rest.subarray(0, count - filled);
      wanted.set(next, filled);
      filled += next.length;
      rest = rest.subarray(next.length);
      if (filled === count) return wanted;
      const { value, done } = await reader.read();
      if (done) return null;
      rest = value;
    }
  }

  for (;;) {
    const length = await bytes(BYTES_OF_A_LENGTH);
    const part = length && (await bytes(new DataView(length.buffer).getUint32(0, true)));
    if (!part) return;
    yield part;
  }
}
