// The runs of the last question: what the model sends of them moves to the store, and the page shows them.
import { button, element } from "../../../components/shared/elements.mjs";
import { layerId } from "../../../components/shared/message.mjs";
import { selectionOf } from "../../../components/shared/page_selection.mjs";
import { headInWords } from "../../../components/shared/selection.mjs";
import { keepMessage, storeOf, withMessage } from "../../../components/shared/store.mjs";
import { storeMap } from "../stored.mjs";
import { addAnswer } from "./answers.mjs";
/** @import { Message, Tensor } from "../../../components/shared/types.mjs" */
/** @import { RunContents } from "../contents.mjs" */
/** @import { SavedPage } from "../saved_page.mjs" */
/** @import { Inputs } from "./inputs.mjs" */
/** @import { Surroundings } from "./surroundings.mjs" */
/** @import { Part } from "./worker.mjs" */

export class TypedRuns {
  number = 0; // of the question
  /** @type {RunContents[]} */
  #runs = [];
  #longest = 0; // tokens of a run
  #ignore = () => {}; // the layer that was awaited

  /** @param {SavedPage} page @param {Inputs} inputs @param {Surroundings} surroundings @param {() => void} loadAll */
  constructor(page, inputs, surroundings, loadAll) {
    this.page = page;
    this.inputs = inputs;
    this.surroundings = surroundings;
    this.loadAll = loadAll;
  }

  /** The texts of another question with the names of their runs, which are shown once the open layer has been read. */
  renew() {
    this.number += 1;
    this.#longest = 0;
    this.#ignore();
    const { facts, runs, values } = this.inputs;
    const named = runs.map((run) => ({ ...run, name: `text ${this.number} ${run.place}` }));
    this.#runs = named.map(({ name, place }) => {
      const ids = { attention: `${name}.attention`, neurons: `${name}.neurons`, map: `${name}.map` };
      const { heading, ...shown } = facts.runs[place];
      return { ...shown, ...ids, name, heading: runs.length > 1 ? heading : "", special: values.special };
    });
    const { attention } = this.#runs[this.#runs.length - 1];
    this.#ignore = withMessage(storeOf(), layerId(attention, this.page.firstLayer), () => this.show());
    return named;
  }

  /** @param {Part} part */
  receive({ run: name, what, message }) {
    this.#receivers[what](/** @type {RunContents} */ (this.#runs.find((run) => run.name === name)), message);
  }

  /** @type {Record<Part["what"], (run: RunContents, message: any) => void>} */
  #receivers = {
    neurons: (_, message) => keep(message),
    layer: (_, message) => {
      this.#longest = Math.max(this.#longest, message.extras.labels.length);
      keep(message);
    },
    map: (run, message) => this.#showMap(run, message),
    answers: (_, answers) => {
      for (const [name, filled] of Object.entries(answers)) addAnswer(name, filled);
      this.page.showAnswers();
    },
    strip: (run, strip) => {
      run.strip = strip;
      const strips = this.#runs.flatMap((each) => each.strip ?? []);
      if (strips.length === this.#runs.length) this.surroundings.strips = strips;
      this.surroundings.show();
    },
    chosen: (_, words) => {
      this.surroundings.words = words;
      selectionOf("encoder").confirm(this.page.selection, Infinity); // strips mark a pending choice first
      this.surroundings.show();
    },
  };

  /** A map has the layers that are loaded. @param {RunContents} run @param {Part["message"]} message */
  #showMap(run, message) {
    const count = message.tensors.profiles.shape[0];
    run.map = `${run.name}.map of ${count}`; // views read a message of a name once
    storeMap({ ...run, layers: run.layers.slice(0, count) }, message, 0);
    this.page.refresh();
    const left = this.page.sections.find((section) => section.run === run)?.left;
    left?.querySelector(".not-loaded")?.remove();
    const offer = this.inputs.facts.unloaded[count];
    if (offer) left?.append(element("p", "not-loaded", `${offer.says} `, button(offer.load, this.loadAll)));
  }

  /** Show the runs, whose views render what has arrived. */
  show() {
    const { example, facts, runs, silenced, values } = this.inputs;
    const off = silenced.map(headInWords).join("; ");
    const says = !off && example?.link.mode === values.mode ? example : null; // of the example's own numbers
    for (const answer of document.querySelectorAll("template[data-answer]")) answer.remove(); // about other texts
    this.surroundings.words = [];
    const switched = `Switched off in this run: ${off}. Attention can differ in later layers only.`;
    this.page.replace({
      headline: says?.question || headlineOf(runs.flatMap(({ texts }) => texts)),
      sentences: says?.answer ? [says.answer] : [],
      about: off ? [...facts.about, switched] : facts.about,
      runs: this.#runs,
      beside: runs.length > 1 && this.#longest <= facts.most_beside,
      setting: values.special === "hide" ? "hide" : runs[0].place,
    });
    this.surroundings.show();
  }
}

/** Texts side by side, each in its own direction. @param {readonly string[]} texts */
function headlineOf(texts) {
  const each = texts.map((text) => element("bdi", "", text.trim()));
  return element("span", "", ...each.flatMap((text, place) => (place ? [" / ", text] : [text])));
}

/** @param {Message<Record<string, Tensor<Uint16Array | Float32Array>>, object>} message to store */
function keep(message) {
  const bytes = Object.values(message.tensors).reduce((sum, { values }) => sum + values.byteLength, 0);
  keepMessage(storeOf(), message.extras.id, message, bytes);
}
