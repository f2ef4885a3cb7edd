// @ts-check
// Has pictures of what is typed drawn without the page, one text after another: a newer one overtakes those before it.
import { requestDirectRun } from "./direct.mjs";
/** @import { Host } from "../shared/host.mjs" */
/** @import { DirectRequest, DirectAnswer } from "./direct.mjs" */

/** @typedef {"drawn" | "not drawn" | "superseded"} Outcome */

export class DirectDrawing {
  #client = crypto.getRandomValues(new Uint32Array(4)).join("-"); // names this page, of which one request waits at a time
  #asking = new AbortController();
  /** @type {{ what: string, outcome: Promise<Outcome> } | null} */
  #asked = null; // until it is answered
  /** @type {Promise<Outcome>} */
  #drawingMaps = Promise.resolve("not drawn");
  #isUnavailable = false;

  /** @param {Host} host whose selection has the texts */
  constructor(host) {
    this.host = host;
    this.selection = host.selection;
  }

  get isPossible() {
    return this.host.runs.direct !== null && this.selection.chosen !== null && !this.#isUnavailable;
  }

  /**
   * Have the picture of the texts drawn that Python has not read. What is asked for already is not asked for again.
   * @returns {Promise<Outcome>}
   */
  async draw() {
    const { direct } = this.host.runs;
    const { chosen, typed: number, texts } = this.selection;
    if (!direct || !chosen || number === null) return "not drawn";
    const asked = { query: window.location.search, texts, layer: chosen.layer, client: this.#client };
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
   * @param {DirectRequest} asked
   * @param {number} number of the change that the texts are
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  async #drawNow(direct, asked, number, signal) {
    try {
      const found = await requestDirectRun(direct, asked, signal);
      if (signal.aborted) return "superseded";
      if (!found) return "not drawn";
      if (this.#isNews(number)) {
        this.selection.showRuns(found.runs, found.marks, number);
        this.#drawingMaps = this.#drawMaps(found, number, signal);
      }
      return "drawn";
    } catch (error) {
      if (signal.aborted) return "superseded";
      this.#isUnavailable = true; // something before the server keeps it from answering
      console.warn("Texts are drawn with the page from here on:", error);
      return "not drawn";
    }
  }

  /**
   * Draw the maps of all heads, too, when they are there.
   * @param {DirectAnswer} found
   * @param {number} number of the change that the texts are
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  async #drawMaps({ whole, marks }, number, signal) {
    const runs = await whole;
    if (signal.aborted) return "superseded";
    if (!runs) return "not drawn";
    if (this.#isNews(number)) this.selection.showRuns(runs, marks, number);
    return "drawn";
  }

  /** Whether Python has not drawn the texts of that change yet. @param {number} number */
  #isNews(number) {
    return number > this.host.drawn;
  }
}
