// Renders typed texts, directly if possible: the browser requests their runs (`viz/page/direct.py`) without a rerun of
// the page, and shows them until Python has rendered the texts. A newer text supersedes older ones.
import { receive } from "../shared/store.mjs";
/** @import { Host } from "../shared/host.mjs" */
/** @import { DirectRun } from "../shared/page_selection.mjs" */

const BYTES_OF_A_LENGTH = 4;
const NOTHING_TO_DRAW = 204;
const TIMED_OUT = 408; // a slow connection
const SERVER_ERRORS = 500; // and above: the server or a proxy cannot answer now
const PATIENCE = 2000; // milliseconds for all runs of a text that stays, before Python gets it

/** @typedef {"drawn" | "not drawn" | "superseded"} Outcome */

export class DirectDrawing {
  #client = crypto.getRandomValues(new Uint32Array(4)).join("-"); // id of this page, which has one request in flight
  #aborter = new AbortController();
  /** @type {{ what: string, outcome: Promise<Outcome> } | null} */
  #request = null; // until the answer arrives
  /** @type {Promise<Outcome>} */
  #maps = Promise.resolve("not drawn");
  #isUnavailable = false;
  #isFinishing = false;
  /** @type {number | null} number of the last change of links that was requested */
  #links = null;

  /**
   * @param {Host} host whose selection has the texts
   * @param {() => void} drawn called when a text is rendered directly
   */
  constructor(host, drawn) {
    this.host = host;
    this.selection = host.selection;
    this.drawn = drawn;
  }

  /**
   * Render the texts while typing may continue: directly, else by a rerun.
   * @param {boolean} supersedes whether a rerun may cancel the one before
   */
  async draw(supersedes) {
    if (!this.#isPossible) return this.host.sendTexts(supersedes);
    const outcome = await this.#drawDirectly();
    if (this.#isFinishing) return; // whoever finishes the texts sends them
    if (outcome === "drawn") this.drawn();
    else if (outcome === "not drawn") this.host.sendTexts();
  }

  /**
   * Render texts that stay, with the maps of all heads, unless Python has them or it takes too long. Direct runs come
   * first, because a rerun of the page would delay them.
   * @returns {Promise<boolean>} whether no newer text has superseded them
   */
  async finish() {
    if (!this.host.isUnsent || !this.#isPossible) return true;
    const late = new Promise((then) => setTimeout(then, PATIENCE));
    const all = this.#drawDirectly().then((outcome) => (outcome === "drawn" ? this.#maps : outcome));
    this.#isFinishing = true;
    const outcome = await Promise.race([all, late]);
    this.#isFinishing = false;
    return outcome !== "superseded";
  }

  /** Render links that are changed again and again, before Python does. */
  async drawLinks() {
    const { unread, pending, typed } = this.selection;
    if (!this.#isPossible || typed !== null || !("cut" in pending) || unread === this.#links) return;
    this.#links = unread;
    await this.#drawDirectly();
  }

  stop() {
    this.#aborter.abort();
    this.#request = null;
  }

  get #isPossible() {
    return this.host.runs.direct !== null && this.selection.chosen !== null && !this.#isUnavailable;
  }

  /** Request the texts that Python has not read. A request in flight is not repeated. @returns {Promise<Outcome>} */
  async #drawDirectly() {
    const { direct } = this.host.runs;
    const { chosen, typed, unread, texts, pending } = this.selection;
    const number = typed ?? unread;
    if (!direct || !chosen || number === null) return "not drawn";
    const { cut } = pending;
    const query = window.location.search;
    const body = JSON.stringify({ query, texts, cut, layer: chosen.layer, client: this.#client });
    const what = `${number} ${body}`;
    if (this.#request?.what !== what) {
      this.stop();
      this.#aborter = new AbortController();
      const outcome = this.#receive(direct, body, number, this.#aborter.signal);
      this.#request = { what, outcome };
      void outcome.finally(() => {
        if (this.#request?.outcome === outcome) this.#request = null;
      });
    }
    return this.#request.outcome;
  }

  /**
   * Show the runs of an answer: first the requested layers, then the maps of all heads.
   * @param {string} address
   * @param {string} body of the request
   * @param {number} number of the change that set the texts
   * @param {AbortSignal} signal @returns {Promise<Outcome>}
   */
  async #receive(address, body, number, signal) {
    try {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(address, { method: "POST", headers, body, signal }).catch(lost);
      if (!answer || [NOTHING_TO_DRAW, TIMED_OUT].includes(answer.status) || answer.status >= SERVER_ERRORS) {
        return signal.aborted ? "superseded" : "not drawn";
      }
      if (!answer.ok || !answer.body) throw new Error(`The server answers ${answer.status}.`);
      const parts = partsIn(answer.body);
      const [header] = await take(parts, 1);
      const { texts, strips, marks, mapped, messages } = JSON.parse(new TextDecoder().decode(header));
      const layers = (await take(parts, messages)).map((message) => receive(message));
      if (signal.aborted) return "superseded";
      /** @param {string[]} maps */
      const show = (maps) => {
        const isOfLinks = this.selection.typed === null;
        if (number <= this.host.drawn || (isOfLinks && this.selection.unread === null)) return; // Python has rendered it
        const runs = /** @type {string[][]} */ (texts).map((of, index) => {
          const map = maps[mapped.indexOf(index)] ?? null;
          const run = { layers: layers[index] ?? null, map, strip: strips[index] };
          return /** @type {[string, DirectRun]} */ ([of.join(), run]);
        });
        this.selection.showRuns(new Map(runs), marks, number, isOfLinks);
      };
      show([]);
      this.#maps = take(parts, mapped.length).then(
        (maps) => {
          if (signal.aborted) return "superseded";
          if (maps.length < mapped.length) return "not drawn"; // the connection was lost, or the page has to send them
          show(maps.map((message) => receive(message)));
          return "drawn";
        },
        (error) => (signal.aborted ? "superseded" : (lost(error) ?? "not drawn")),
      );
      return "drawn";
    } catch (error) {
      if (signal.aborted) return "superseded";
      this.#isUnavailable = true; // a proxy blocks the address
      console.warn("Texts are drawn with the page from here on:", error);
      return "not drawn";
    }
  }
}

/** Null for a lost connection; other errors are thrown. @param {unknown} error @returns {null} */
function lost(error) {
  if (error instanceof TypeError) return null;
  throw error;
}

/**
 * The next parts, or as many as there are.
 * @param {AsyncIterator<Uint8Array<ArrayBuffer>>} parts @param {number} count
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
