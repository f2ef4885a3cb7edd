// The form for texts and settings, and the worker that reads them. The model is loaded when the user focuses a field.
import { button, element } from "../../../components/shared/elements.mjs";
import { selectionOf } from "../../../components/shared/page_selection.mjs";
import { NOTHING, headInWords } from "../../../components/shared/selection.mjs";
import { keepMessage, storeOf } from "../../../components/shared/store.mjs";
import { storeMap } from "../stored.mjs";
import { addAnswer, removeAnswers } from "./answers.mjs";
import { megabytes } from "./files.mjs";
import { Card } from "./head_card.mjs";
import { Inputs, headsIn } from "./inputs.mjs";
import { addressOf, linkIn, selectionIn } from "./links.mjs";
import { Presenting } from "./presenting.mjs";
import { Strips } from "./strips.mjs";
/** @import { SelectionChanges } from "../../../components/shared/types.mjs" */
/** @import { Contents, RunContents, SiteFacts } from "../contents.mjs" */
/** @import { Link } from "./links.mjs" */
/** @import { SavedPage } from "../saved_page.mjs" */
/** @import { Answer, Part } from "./worker.mjs" */

const OF_A_LAYER = ["heat map", "head view", "neuron view"];
const NOWHERE = JSON.stringify([NOTHING, NOTHING]); // no word is chosen
const QUIET = 300; // milliseconds after the last event, before the address is written

export class TypedTexts {
  /** @type {Promise<Worker> | null} */
  #worker = null;
  #number = 0;
  /** @type {RunContents[]} those of the last question */
  #runs = [];
  #shown = 0; // the number of the question whose runs are shown
  #isRefused = false; // which stays to be read while the model is loaded
  #longest = 0; // tokens of a run
  #said = "";
  #needed = 0; // the last layer that was asked for
  #read = ""; // the texts that are shown
  #remark = ""; // about the link that opened the page
  #timer = 0;
  #at = NOWHERE; // the words that were chosen for the lens
  #strips = new Strips();
  #card = new Card();
  #selection = selectionOf("encoder");

  /** @param {SavedPage} page @param {Contents} contents @param {SiteFacts} facts @param {HTMLFormElement} form */
  constructor(page, contents, facts, form) {
    this.page = page;
    this.example = contents.runs[0];
    this.facts = facts;
    this.form = form;
    this.status = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
    this.strips = facts.strips;
    this.chosen = facts.chosen;
    page.runs?.before(this.#strips.root);
    const presenting = new Presenting(page, facts);
    this.inputs = new Inputs(form, facts, {
      start: () => void this.#started(),
      change: () => {
        this.#remark = "";
        this.#selection.change({ at_a: NOTHING, at_b: NOTHING });
        void this.#ask();
        void this.#need();
      },
      train: () => {
        this.#train();
        void this.#ask();
      },
      open: ({ layer, head, view }) => {
        this.#selection.change({ layer, head, heads: "" });
        if (view) this.page.open(view);
      },
      copy: () => void this.#copy(),
      present: () => presenting.toggle(true),
    });
    this.#selection.subscribe(() => {
      void this.#need();
      this.#follow();
    });
    page.onView = () => {
      void this.#need();
      this.#showStrips();
      this.#showCard();
      presenting.show();
      if (page.view === "why") void this.#worker?.then((worker) => worker.postMessage("remove")).catch(() => {});
    };
    this.#read = JSON.stringify(this.inputs.runs);
    this.#showStrips();
    this.#showCard();
    const link = linkIn(window.location, facts.fields);
    if (link) this.#open(link);
    for (const kind of ["click", "input", "keyup"]) document.addEventListener(kind, () => this.#recordLater());
    window.addEventListener("hashchange", () => window.location.reload());
  }

  /** Show what a link asks for; the example is shown already. @param {Link} link */
  #open(link) {
    const { facts, inputs, page } = this;
    const before = JSON.stringify(inputs.values);
    const step = facts.training.findIndex(({ model }) => model === link.model);
    inputs.set(step < 0 ? link : { ...link, training: step });
    this.#train();
    this.#read = JSON.stringify(inputs.runs);
    const selection = selectionIn(link);
    this.#at = wordsIn(selection);
    this.#selection.confirm(selection, null);
    const missing = facts.supported.filter(({ name, values }) => !values.includes(link[name]));
    const view = page.contents.views.find(({ name }) => name === link.view);
    if (view && !missing.length) page.open(view.name);
    const named = missing.map(({ name, title }) => `the ${title} “${link[name]}”`).join(" and ");
    if (named) this.#remark = `The link asks for ${named}, which this page does not have: it shows the heat map.`;
    this.#say("");
    if (before === JSON.stringify(inputs.values) && this.#at === NOWHERE) return;
    void this.#ask();
    this.#show();
    this.#shown = 0; // its numbers follow
  }

  /** Another word was chosen for the lens: ask for it. */
  #follow() {
    const at = wordsIn(this.#selection.chosen ?? {});
    if (at === this.#at) return;
    this.#at = at;
    void this.#ask();
  }

  /** The atlas is of the last step of a training. */
  #showCard() {
    this.#card.show(this.page, this.facts.step ? null : this.facts.cards);
  }

  #showStrips() {
    const tagged = this.inputs.values.tags !== "off";
    this.#strips.show(this.strips, { tagged, chosen: this.page.view === "word lens" ? this.chosen : null });
  }

  /** The last layer that the open view needs, or what is said of silenced heads. */
  get #until() {
    return OF_A_LAYER.includes(this.page.view) && !this.inputs.silenced.length
      ? this.page.firstLayer
      : this.facts.layers - 1;
  }

  /** Load the layers as far as this one. */
  async #need(until = this.#until) {
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

  /** Take the model at the chosen step of its training. */
  #train() {
    void this.#worker?.then((worker) => worker.terminate()).catch(() => {}); // `#started` reports it
    this.#worker = null;
    this.facts = { ...this.facts, ...this.inputs.step };
  }

  async #ask() {
    this.#number += 1;
    const number = this.#number;
    const { example, runs, silenced, values } = this.inputs;
    const asked = runs.map((run) => ({ ...run, name: `text ${number} ${run.place}` }));
    for (const { name } of this.#runs) removeAnswers(name);
    this.#runs = asked.map(({ name, place, letters }) => ({
      ...this.example,
      name,
      place,
      texts: [...letters],
      heading: runs.length > 1 ? `Sentence ${letters}` : "",
      attention: `${name}.attention`,
      neurons: `${name}.neurons`,
      map: `${name}.map`,
      pair: place === "pair",
      special: values.special,
    }));
    this.#isRefused = false;
    this.#longest = 0;
    const removes = this.page.view === "why";
    const lens = { at: JSON.parse(this.#at), preferred: example?.word ?? "" };
    const setting = { level: values.level, special: values.special, silenced: headsIn(silenced), ...lens };
    (await this.#started())?.postMessage({ number, runs: asked, setting, layer: this.page.firstLayer, removes });
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
    if (what === "answers") {
      for (const [answer, filled] of Object.entries(message)) addAnswer(answer, filled);
      this.page.showAnswers();
      return;
    }
    if (what === "map") {
      this.#showMap(run, message);
      return;
    }
    if (what === "strip" || what === "chosen") {
      if (what === "strip") run.strip = message;
      else this.chosen = message;
      if (this.#selection.chosen) this.#selection.confirm(this.#selection.chosen, Infinity); // the strips follow `chosen`
      const strips = this.#runs.flatMap((each) => each.strip ?? []);
      if (strips.length === this.#runs.length) this.strips = strips;
      this.#showStrips();
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
    const others = Array.from({ length: layers - loaded }, (_, index) => sizes[`layer-${loaded + index}.onnx`]);
    const load = button(`Load the others (${megabytes(...others)} MB)`, () => void this.#need(layers - 1));
    left?.append(element("p", "not-loaded", `${count} of ${layers} layers ${count > 1 ? "are" : "is"} loaded. `, load));
  }

  /** The layer that is open has been read, of every text: show it. The others arrive in their own time. */
  #show() {
    if (this.#shown === this.#number) return;
    this.#shown = this.#number;
    const { example, runs, silenced, values } = this.inputs;
    const off = headsIn(silenced).map(headInWords).join("; ");
    const says = !off && example?.mode === values.mode ? example : null; // of the example's own numbers
    const texts = runs.flatMap((run) => run.texts);
    const read = JSON.stringify(runs);
    const contents = {
      headline: says?.question || texts.map((text) => text.trim()).join(" / "),
      sentences: says?.look_for ? [says.look_for] : [],
      about: [
        ...this.facts.about,
        ...(off ? [`Switched off in this run: ${off}. Attention can differ in later layers only.`] : []),
      ],
      runs: this.#runs,
      beside: this.#runs.length > 1 && this.#longest <= this.facts.most_beside,
      setting: values.special === "hide" ? "hide" : this.#runs[0].place,
    };
    this.page.replace(contents, { keepsPins: read === this.#read });
    this.#showCard();
    this.#read = read;
  }

  #recordLater() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#record(), QUIET);
  }

  /** Write what is shown into the address. */
  #record() {
    const { inputs, facts, page } = this;
    const selection = this.#selection.chosen ?? page.contents.selection;
    const settings = { ...inputs.values, model: facts.model, view: page.view };
    const asked = page.view === "why" ? { ...settings, why_method: "leave-one-out" } : settings; // the app's view has others
    const address = addressOf(asked, selection, facts.fields);
    window.history.replaceState(null, "", `${window.location.pathname}#${address}`);
  }

  async #copy() {
    this.#record();
    try {
      await window.navigator.clipboard.writeText(window.location.href);
      this.#say("The link is copied. It opens this page with these texts and settings.");
    } catch {
      this.#say("This browser does not let the page copy: the link is in the address bar.");
    }
  }

  /** @param {{ loaded: number, total: number }} progress */
  #showProgress({ loaded, total }) {
    const [have, all] = [megabytes(loaded), megabytes(total)];
    this.status.textContent = have < all ? `Loading the model: ${have} of about ${all} MB.` : this.#said;
  }

  /** @param {string} words */
  #say(words) {
    this.#said = [this.#remark, words].filter(Boolean).join(" ");
    this.status.textContent = this.#said;
  }
}

/** The words that are chosen for the lens in A and in B, as JSON. @param {SelectionChanges} selection */
function wordsIn({ at_a: a = NOTHING, at_b: b = NOTHING }) {
  return JSON.stringify([a, b]);
}
