// @ts-check
// Has pictures of what is typed drawn without the page, one text after another: a newer one overtakes those before it.
import { selectionOf } from "../shared/page_selection.mjs";
import { askDirectly } from "./direct.mjs";
/** @import { KnownTexts } from "../shared/known_texts.mjs" */
/** @import { Asked, Drawn } from "./direct.mjs" */
/** @import { Exchange } from "./exchange.mjs" */

/** @typedef {"drawn" | "not drawn" | "overtaken"} Outcome */

export class DirectDrawing {
  #client = crypto.getRandomValues(new Uint32Array(4)).join("-"); // names this page, of which one request waits at a time
  #asking = new AbortController();
  /** @type {{ what: string, outcome: Promise<Outcome> } | null} */
  #asked = null; // until it is answered
  /** @type {Promise<Outcome>} */
  #drawingMaps = Promise.resolve("not drawn");
  #isAskedInVain = false;

  /**
   * @param {Exchange} exchange which has the texts
   * @param {KnownTexts} known
   * @param {() => void} marked called when the marks of a text came with its picture
   */
  constructor(exchange, known, marked) {
    this.exchange = exchange;
    this.known = known;
    this.marked = marked;
  }

  get isPossible() {
    return this.known.now.direct !== null && selectionOf("encoder").chosen !== null && !this.#isAskedInVain;
  }

  /**
   * Have the picture of the texts drawn, of which the page is told by the next message or was not told at all. What is
   * asked for already is not asked for again.
   * @returns {Promise<Outcome>}
   */
  async draw() {
    const { direct } = this.known.now;
    const { chosen } = selectionOf("encoder");
    if (!direct || !chosen) return "not drawn";
    const number = this.exchange.next;
    const asked = {
      query: window.location.search,
      texts: this.exchange.texts,
      layer: chosen.layer,
      client: this.#client,
    };
    const what = JSON.stringify([number, asked]);
    if (this.#asked?.what !== what) {
      this.stop();
      this.#asking = new AbortController();
      const outcome = this.#drawNow(direct, asked, number, this.#asking.signal);
      this.#asked = { what, outcome };
      void outcome.finally(() => {
        if (this.#asked?.outcome === outcome) this.#asked = null;
      });
    }
    return this.#asked.outcome;
  }

  /** The same, and wait for the maps of all heads. */
  async drawWhole() {
    const outcome = await this.draw();
    return outcome === "drawn" ? this.#drawingMaps : outcome;
  }

  stop() {
    this.#asking.abort();
    this.#asked = null;
  }

  /**
   * @param {string} direct where it is asked for
   * @param {Asked} asked
   * @param {number} number of the message that tells Python of the texts
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  async #drawNow(direct, asked, number, signal) {
    try {
      const found = await askDirectly(direct, asked, signal);
      if (signal.aborted) return "overtaken";
      if (!found) return "not drawn";
      if (this.#isNews(number)) {
        selectionOf("encoder").showRuns(found.runs, number);
        this.known.putMarks(found.marks);
        this.marked();
        this.#drawingMaps = this.#drawMaps(found.whole, number, signal);
      }
      return "drawn";
    } catch (error) {
      if (signal.aborted) return "overtaken";
      this.#isAskedInVain = true; // something before the server keeps it from answering
      console.warn("Texts are drawn with the page from here on:", error);
      return "not drawn";
    }
  }

  /**
   * Draw the maps of all heads, too, when they are there.
   * @param {Drawn["whole"]} whole
   * @param {number} number of the message that tells Python of the texts
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  async #drawMaps(whole, number, signal) {
    const runs = await whole;
    if (signal.aborted) return "overtaken";
    if (!runs) return "not drawn";
    if (this.#isNews(number)) selectionOf("encoder").showRuns(runs, number);
    return "drawn";
  }

  /** Whether Python has not told of the texts of that message yet. @param {number} number */
  #isNews(number) {
    return number > (this.known.now.answered ?? -Infinity);
  }
}
