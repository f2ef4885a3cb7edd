// @ts-check
// Pictures of a text that is being typed, straight from the server and not with the page. See `viz/page/direct.py`.
import { receive } from "../shared/store.mjs";
/** @import { DirectRun, Runs } from "../shared/direct_runs.mjs" */
/** @import { Marks } from "../shared/known_texts.mjs" */

const BYTES_OF_A_LENGTH = 4;
const NOTHING_TO_DRAW = 204;
const SERVER_ERRORS = 500; // and above: it, or a proxy before it, cannot answer now

/**
 * What is asked for: the page's address, and what is newer than that.
 * @typedef {{ query: string, texts: Record<string, string>, layer: number }} Asked
 */

/**
 * Ask for pictures, and keep them in the store.
 * @param {string} address
 * @param {Asked} asked
 * @param {AbortSignal} signal
 * @returns {Promise<{ runs: Runs, marks: Record<string, Marks> } | null>} null where the page is to be asked, because it
 *   has something to say or there is no answer now
 * @throws {Error} nothing is answered at that address, now or later
 */
export async function askDirectly(address, asked, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(asked), signal }).catch(lost);
  if (!answer || answer.status === NOTHING_TO_DRAW || answer.status >= SERVER_ERRORS) return null;
  if (!answer.ok) throw new Error(`The server answers ${answer.status}.`);
  const [told, ...messages] = partsOf(await answer.arrayBuffer());
  const { texts, strips, marks } = JSON.parse(new TextDecoder().decode(told));
  const runs = messages.map((bytes, index) => [texts[index].join(), { id: receive(bytes), strip: strips[index] }]);
  return { runs: new Map(/** @type {[string, DirectRun][]} */ (runs)), marks };
}

/**
 * Nothing, where the connection is lost.
 * @param {unknown} error
 */
function lost(error) {
  if (error instanceof TypeError) return null;
  throw error;
}

/**
 * The parts of an answer, each of which stands behind its length.
 * @param {ArrayBuffer} buffer
 */
export function partsOf(buffer) {
  const view = new DataView(buffer);
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  for (let start = 0; start < buffer.byteLength;) {
    const length = view.getUint32(start, true);
    start += BYTES_OF_A_LENGTH;
    parts.push(new Uint8Array(buffer, start, length));
    start += length;
  }
  return parts;
}
