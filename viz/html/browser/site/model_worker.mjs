// The worker that runs the model, once it is started.
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { Answer, Question } from "./worker.mjs" */

export class ModelWorker {
  #worker = Promise.resolve(/** @type {Worker | null} */ (null));
  #name = ""; // of the model that it runs

  /** @param {{ receive: (answer: Answer) => void, say: (problem: string) => void }} user */
  constructor(user) {
    this.user = user;
  }

  /** Start the worker, in place of another model's. @param {SiteFacts} facts @param {number} until the last layer that is needed */
  start(facts, until) {
    if (facts.model === this.#name) return;
    this.#name = facts.model;
    void this.#worker.then((worker) => worker?.terminate());
    this.#worker = this.#started(facts, until);
  }

  /** @param {Question | { until: number } | "remove"} message for the worker, if it is started */
  send(message) {
    void this.#worker.then((worker) => worker?.postMessage(message));
  }

  /** @param {SiteFacts} facts @param {number} until */
  async #started(facts, until) {
    try {
      const code = await (await fetch(facts.worker)).blob();
      const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" })); // under the page's policy
      const worker = new Worker(address, { type: "module" });
      worker.addEventListener("message", ({ data }) => this.user.receive(data));
      worker.addEventListener("error", () => this.user.say("This browser cannot run the model."));
      worker.postMessage({ base: document.baseURI, facts, until });
      return worker;
    } catch {
      if (this.#name === facts.model) this.#name = ""; // so that the next key tries again
      this.user.say("The model cannot be loaded: the server does not answer. Type again to try again.");
      return null;
    }
  }
}
