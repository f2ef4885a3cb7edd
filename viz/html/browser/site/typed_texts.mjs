// What a visitor types and selects becomes questions to the model, and the page's address.
import { selectionOf } from "../../../components/shared/page_selection.mjs";
import { NOTHING } from "../../../components/shared/selection.mjs";
import { megabytes } from "./files.mjs";
import { Inputs } from "./inputs.mjs";
import { addressOf, linkIn, linkOf, selectionIn } from "./links.mjs";
import { ModelWorker } from "./model_worker.mjs";
import { Surroundings } from "./surroundings.mjs";
import { TypedRuns } from "./typed_runs.mjs";
/** @import { SelectionChanges } from "../../../components/shared/types.mjs" */
/** @import { Link, SiteFacts, ViewName } from "../contents.mjs" */
/** @import { SavedPage } from "../saved_page.mjs" */
/** @import { Answer } from "./worker.mjs" */

const QUIET = 300; // milliseconds after the last change, before the address is written
const NO_TOKEN = { query: NOTHING, key: NOTHING, at_a: NOTHING, at_b: NOTHING }; // neither pinned nor chosen

export class TypedTexts {
  #selection = selectionOf("encoder");
  #model = new ModelWorker(this);
  #asked; // the last question's setting, or the example's
  #timer = 0;

  /** @param {SavedPage} page @param {SiteFacts} facts @param {HTMLFormElement} form */
  constructor(page, facts, form) {
    this.page = page;
    this.facts = facts;
    this.form = form;
    this.inputs = new Inputs(form, facts);
    this.inputs.refresh(page.selection);
    this.#asked = JSON.stringify(this.#setting);
    this.surroundings = new Surroundings(page, this.inputs);
    this.runs = new TypedRuns(page, this.inputs, this.surroundings, () =>
      this.#model.send({ until: facts.layers - 1 }),
    );
    form.addEventListener("focusin", ({ target }) => target instanceof HTMLInputElement && this.#start());
    form.addEventListener("input", ({ target }) => this.#input(/** @type {HTMLInputElement} */ (target).name));
    form.addEventListener("change", () => this.#update());
    form.addEventListener("click", ({ target }) => this.#press(/** @type {HTMLButtonElement} */ (target).name));
    window.addEventListener("hashchange", () => window.location.reload());
    this.#selection.subscribe(() => this.#update());
    page.onView = () => this.#follow();
    this.#openAddress();
  }

  /** @param {string} name of the field that changes */
  #input(name) {
    const { example } = this.inputs.values;
    if (name === "training") return this.inputs.refresh(this.page.selection); // it is read once it is let go
    if (name === "example") return this.#open({ ...this.#link, ...this.facts.examples[Number(example)].link });
    if (["a", "b", "mode"].includes(name)) this.#selection.change(NO_TOKEN);
    return this.#follow();
  }

  /** @param {string} name of the button */
  #press(name) {
    if (name === "copy") void this.#copy();
    if (name === "present") this.surroundings.present(true);
    if (name === "silence") this.inputs.toggle(this.page.selection);
    if (name === "clear") this.inputs.set({ silenced: "" });
    this.#update();
  }

  /** Another view is open, or the form has other values. */
  #follow() {
    this.#update();
    this.surroundings.show();
  }

  /** Ask the model what is new, load what is needed, and write the address. */
  #update() {
    this.inputs.refresh(this.page.selection);
    if (JSON.stringify(this.#setting) !== this.#asked) this.#ask();
    this.#model.send({ until: this.#until });
    if (this.page.view === "why") this.#model.send("remove");
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#record(), QUIET);
  }

  // --- the model ---

  /** What an answer depends on. */
  get #setting() {
    const { example, silenced, values } = this.inputs;
    const { at_a: a = NOTHING, at_b: b = NOTHING } = /** @type {SelectionChanges} */ (this.page.selection);
    return { ...values, silenced, at: [a, b], preferred: example?.word ?? "" };
  }

  #ask() {
    const [setting, runs] = [this.#setting, this.runs.renew()];
    this.#asked = JSON.stringify(setting);
    this.say("", "remark");
    this.#start();
    this.#model.send({ number: this.runs.number, runs, setting, layer: this.page.firstLayer });
  }

  #start() {
    this.#model.start(this.inputs.facts, this.#until);
  }

  /** The last layer that the open view needs, or the sentence about silenced heads. */
  get #until() {
    const { firstLayer, view } = this.page;
    return this.facts.seen[view].follows && !this.inputs.silenced.length ? firstLayer : this.facts.layers - 1;
  }

  /** @param {Answer} answer */
  receive(answer) {
    if ("loaded" in answer) {
      const [have, all] = [megabytes(answer.loaded), megabytes(answer.total)];
      this.say(have < all ? `Loading the model: ${have} of about ${all} MB.` : "", "progress");
    } else if (answer.number === this.runs.number) {
      if ("what" in answer) return this.runs.receive(answer);
      if ("refused" in answer) return this.say(answer.refused);
      this.form.dataset.answered = String(answer.number);
      this.say(answer.notes.join(" "));
    }
  }

  /** @param {string} words @param {"remark" | "answer" | "progress"} [place] in the status line */
  say(words, place = "answer") {
    this.form.querySelector(`.status .${place}`)?.replaceChildren(words);
  }

  // --- the address ---

  /** What the page shows. @returns {Link} */
  get #link() {
    const { inputs, page } = this;
    const why = page.view === "why" && { why_method: "leave-one-out" }; // the app's view has others
    return { ...linkOf(page.selection), ...inputs.values, ...why, model: inputs.facts.model, view: page.view };
  }

  /** @param {Link} link */
  #open(link) {
    this.inputs.set({ ...link, training: this.facts.training.findIndex(({ model }) => model === link.model) });
    this.#selection.confirm(selectionIn(link, this.page.contents.selection), Infinity);
    this.page.open(/** @type {ViewName} */ (link.view));
  }

  #openAddress() {
    const asked = linkIn(window.location, this.facts.fields);
    if (!asked) return this.surroundings.show();
    this.#open(asked.link);
    if (this.runs.number) this.runs.show();
    return this.say(asked.remark, "remark");
  }

  #record() {
    const address = addressOf(this.#link, this.facts.fields);
    window.history.replaceState(null, "", `${window.location.pathname}#${address}`);
  }

  async #copy() {
    this.#record();
    try {
      await window.navigator.clipboard.writeText(window.location.href);
      this.say("The link is copied. It opens this page with these texts and settings.");
    } catch {
      this.say("This browser does not let the page copy: the link is in the address bar.");
    }
  }
}
