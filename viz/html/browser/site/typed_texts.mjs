// The fields for two texts, and the worker that reads them. The model is loaded when somebody goes to a field.
import { button, element } from "../../../components/shared/elements.mjs";
import { keepMessage, storeOf } from "../../../components/shared/store.mjs";
import { selectionOf } from "../../../components/shared/page_selection.mjs";
import { storeMap } from "../stored.mjs";
import { megabytes } from "./files.mjs";
/** @import { Contents, RunContents, SiteFacts, TrainingStep } from "../contents.mjs" */
/** @import { SavedPage } from "../saved_page.mjs" */
/** @import { Answer, Part } from "./worker.mjs" */

const PLACES = ["A", "B"];
const OF_A_LAYER = ["heat map", "head view", "neuron view"];
const MEGABYTE = 1e6;

export class TypedTexts {
  /** @type {Promise<Worker> | null} */
  #worker = null;
  #number = 0;
  /** @type {RunContents[]} those of the last question */
  #runs = [];
  #isShown = true;
  #isRefused = false; // which stays to be read while the model is loaded
  #longest = 0; // tokens of a run
  #needed = 0; // the last layer that was asked for

  /** @param {SavedPage} page @param {Contents} contents @param {SiteFacts} facts */
  constructor(page, contents, facts) {
    this.page = page;
    this.example = contents.runs[0];
    this.facts = facts;
    this.status = element("p", "status");
    this.status.setAttribute("role", "status");
    this.fields = PLACES.map((_, index) => {
      const field = element("input");
      field.value = facts.texts[index];
      field.addEventListener("focus", () => void this.#started());
      field.addEventListener("input", () => void this.#ask());
      return field;
    });
    const labels = PLACES.map((place, index) =>
      element("label", "", `Sentence ${place}${index ? " (optional)" : ""}`, this.fields[index]),
    );
    this.form = element("form", "texts", ...labels, this.status);
    this.form.addEventListener("submit", (event) => event.preventDefault());
    selectionOf("encoder").subscribe(() => void this.#need(this.#until));
    page.onView = () => void this.#need(this.#until);
  }

  /** The last layer that the open view needs. */
  get #until() {
    return OF_A_LAYER.includes(this.page.view) ? this.page.firstLayer : this.facts.layers - 1;
  }

  /** Load the layers as far as this one. @param {number} until */
  async #need(until) {
    if (!this.#worker || until <= this.#needed) return;
    this.#needed = until;
    (await this.#worker).postMessage({ until });
  }

  /** The worker, or null if its code cannot be loaded; the next key tries again. */
  async #started() {
    this.#worker ??= this.#start();
    try {
      return await this.#worker;
    } catch {
      this.#worker = null;
      this.#say("The model cannot be loaded: the server does not answer. Type again to try again.");
      return null;
    }
  }

  /** Start the worker from a blob, so that the page's policy governs it. */
  async #start() {
    const code = await (await fetch(this.facts.worker)).blob();
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(address, { type: "module" });
    worker.addEventListener("message", ({ data }) => this.#receive(data));
    worker.addEventListener("error", () => this.#say("This browser cannot run the model."));
    this.#needed = this.#until;
    worker.postMessage({ base: document.baseURI, facts: this.facts, until: this.#needed });
    return worker;
  }

  /** Read the texts with the model at a step of its training. @param {TrainingStep} step */
  async readAt({ folder, about }) {
    (await this.#started())?.terminate();
    this.#worker = null;
    this.facts = { ...this.facts, step: folder, about };
    await this.#ask();
  }

  async #ask() {
    this.#number += 1;
    const number = this.#number;
    const typed = this.fields.map((field) => field.value);
    const texts = PLACES.map((place, index) => ({ name: `text ${number} ${place}`, place, text: typed[index] })).filter(
      ({ place, text }) => place === "A" || text.trim(),
    );
    this.#runs = texts.map(({ name, place }) => runOf(this.example, name, place, texts.length > 1));
    this.#isShown = this.#isRefused = false;
    this.#longest = 0;
    (await this.#started())?.postMessage({ number, texts });
  }

  /** @param {Answer} answer */
  #receive(answer) {
    if ("loaded" in answer) return this.#isRefused ? undefined : this.#showProgress(answer);
    if (answer.number !== this.#number) return undefined;
    this.#isRefused = "refused" in answer;
    if ("refused" in answer) {
      this.#needed = 0; // so that another click tries again
      return this.#say(answer.refused);
    }
    if ("notes" in answer) {
      this.#say(answer.notes.join(" "));
      this.form.dataset.answered = String(answer.number);
      return undefined;
    }
    return this.#store(answer);
  }

  /** @param {Part} part */
  #store({ run: name, what, message }) {
    const run = this.#runs.find((each) => each.name === name);
    if (!run) return;
    if (what === "map") {
      this.#showMap(run, message);
      return;
    }
    this.#longest = Math.max(this.#longest, message.extras.labels.length);
    const bytes = Object.values(message.tensors).reduce((sum, { values }) => sum + values.byteLength, 0);
    keepMessage(storeOf(), message.extras.id, message, bytes);
    const isSeen = what === "layer" && message.extras.layer === this.page.firstLayer;
    if (isSeen && run === this.#runs.at(-1)) this.#show();
  }

  /** Show a map, which has the layers that are loaded. @param {RunContents} run @param {Part["message"]} message */
  #showMap(run, message) {
    const count = message.tensors.profiles.shape[0];
    run.map = `${run.name}.map of ${count}`; // views read a message of a name once
    storeMap({ ...run, layers: run.layers.slice(0, count) }, message, 0);
    const left = this.page.sections.find((section) => section.run === run)?.left;
    left?.querySelector(".not-loaded")?.remove();
    this.page.refresh();
    const { layers, sizes } = this.facts;
    if (count === layers) return;
    const loaded = count > 1 ? count : 0; // of layer 0 the heads may be all there is
    const names = Array.from({ length: layers - loaded }, (_, index) => `layer-${loaded + index}.onnx`);
    const load = button(`Load the others (${megabytes(sizes, names)} MB)`, () => void this.#need(layers - 1));
    left?.append(element("p", "not-loaded", `${count} of ${layers} layers ${count > 1 ? "are" : "is"} loaded. `, load));
  }

  /** The layer that is open has been read, of every text: show it. The others arrive in their own time. */
  #show() {
    if (this.#isShown) return;
    this.#isShown = true;
    const texts = this.fields.map((field) => field.value.trim()).filter(Boolean);
    const { about } = this.facts;
    const beside = this.#runs.length > 1 && this.#longest <= this.facts.most_beside;
    this.page.replace({ headline: texts.join(" / "), sentences: [], about, runs: this.#runs, beside });
  }

  /** @param {{ loaded: number, total: number }} progress */
  #showProgress({ loaded, total }) {
    const [have, all] = [loaded, total].map((bytes) => Math.round(bytes / MEGABYTE));
    this.#say(have < all ? `Loading the model: ${have} of about ${all} MB.` : "");
  }

  /** @param {string} words */
  #say(words) {
    this.status.textContent = words;
  }
}

/**
 * The contents of a text's run.
 * @param {RunContents} example @param {string} name @param {string} place @param {boolean} isOneOfTwo
 * @returns {RunContents}
 */
function runOf(example, name, place, isOneOfTwo) {
  return {
    ...example,
    name,
    place,
    texts: [place],
    heading: isOneOfTwo ? `Sentence ${place}` : "",
    attention: `${name}.attention`,
    neurons: `${name}.neurons`,
    map: `${name}.map`,
  };
}
