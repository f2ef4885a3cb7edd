// @ts-check
// Renders typed texts without a rerun of the page. A newer text supersedes older ones.
import { requestDirectRun } from "./direct.mjs";
/** @import { Host } from "../shared/host.mjs" */
/** @import { DirectRequest, DirectAnswer } from "./direct.mjs" */

/** @typedef {"drawn" | "not drawn" | "superseded"} Outcome */

export class DirectDrawing {
  #client = crypto.getRandomValues(new Uint32Array(4)).join("-"); // id of this page, which has one request in flight
  #aborter = new AbortController();
  /** @type {{ what: string, outcome: Promise<Outcome> } | null} */
  #request = null; // until the answer arrives
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

  /** Render the texts that Python has not read. A request in flight is not repeated. @returns {Promise<Outcome>} */
  async draw() {
    const { direct } = this.host.runs;
    const { chosen, typed: number, texts } = this.selection;
    if (!direct || !chosen || number === null) return "not drawn";
    const request = { query: window.location.search, texts, layer: chosen.layer, client: this.#client };
    const what = JSON.stringify([number, request]);
    if (this.#request?.what !== what) {
      this.stop();
      this.#aborter = new AbortController();
      const outcome = this.#drawNow(direct, request, number, this.#aborter.signal);
      this.#request = { what, outcome };
      void outcome.finally(() => {
        if (this.#request?.outcome === outcome) this.#request = null;
      });
    }
    return this.#request.outcome;
  }

  /** Render the texts, and wait for the maps of all heads. */
  async drawWhole() {
    const outcome = await this.draw();
    return outcome === "drawn" ? this.#drawingMaps : outcome;
  }

  stop() {
    this.#aborter.abort();
    this.#request = null;
  }

  /**
   * @param {string} direct URL of the request
   * @param {DirectRequest} request
   * @param {number} number of the change that set the texts
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  async #drawNow(direct, request, number, signal) {
    try {
      const found = await requestDirectRun(direct, request, signal);
      if (signal.aborted) return "superseded";
      if (!found) return "not drawn";
      if (this.#isNews(number)) {
        this.selection.showRuns(found.runs, found.marks, number);
        this.#drawingMaps = this.#drawMaps(found, number, signal);
      }
      return "drawn";
    } catch (error) {
      if (signal.aborted) return "superseded";
      this.#isUnavailable = true; // a proxy blocks the address
      console.warn("Texts are drawn with the page from here on:", error);
      return "not drawn";
    }
  }

  /**
   * Show the maps of all heads when they arrive.
   * @param {DirectAnswer} found
   * @param {number} number of the change that set the texts
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

  /** Whether Python has yet to render the texts of a change. @param {number} number */
  #isNews(number) {
    return number > this.host.drawn;
  }
}
