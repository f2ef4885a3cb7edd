// What a visitor sets in the form that `viz/site/inputs.py` writes; its fields have the names of a link's values.
import { selectionOf } from "../../../components/shared/page_selection.mjs";
import { MEAN, headInWords } from "../../../components/shared/selection.mjs";
/** @import { Special } from "../../../components/shared/types.mjs" */
/** @import { SiteExample, SiteFacts } from "../contents.mjs" */
/** @import { Link } from "./links.mjs" */

/** @typedef {{ start: () => void, change: () => void, train: () => void, open: (example: SiteExample) => void, copy: () => void, present: () => void }} Callbacks */

export class Inputs {
  #selection = selectionOf("encoder");

  /** @param {HTMLFormElement} form @param {SiteFacts} facts @param {Callbacks} callbacks */
  constructor(form, { examples, training }, { start, change, train, open, copy, present }) {
    this.form = form;
    this.examples = examples;
    this.training = training;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("focusin", ({ target }) => target instanceof HTMLInputElement && start());
    form.addEventListener("input", ({ target }) => {
      if (target === this.#field("training")) return this.#refresh(); // it is read once it is let go
      if (target === this.#field("example")) {
        const example = examples[Number(this.values.example)];
        this.set(example);
        open(example);
      }
      this.#refresh();
      return change();
    });
    form.addEventListener("change", ({ target }) => target === this.#field("training") && train());
    form.addEventListener("click", ({ target }) => {
      const name = target instanceof HTMLButtonElement ? target.name : "";
      if (name === "copy") copy();
      if (name === "present") present();
      if (name === "silence" || name === "clear") {
        this.set({ silenced: name === "clear" ? "" : this.#toggled.join("-") });
        change();
      }
    });
    this.#selection.subscribe(() => this.#refresh());
    this.#refresh();
  }

  /** What is typed and chosen, by name. */
  get values() {
    const data = new FormData(this.form);
    data.set("mode", this.#field("mode").value); // it is disabled without a second text
    return /** @type {Link & { special: Special }} */ (Object.fromEntries(data));
  }

  /** @param {object} values by the names of fields */
  set(values) {
    for (const [name, value] of Object.entries(values)) {
      const field = this.#field(name);
      if (field) field.value = value;
    }
    this.#refresh();
  }

  /** The texts that are read alone, or the pair, with their letters and place. */
  get runs() {
    const { a, b, mode } = this.values;
    if (b.trim() && mode === "pair") return [{ place: "pair", letters: "AB", texts: [a, b] }];
    const alone = Object.entries(b.trim() ? { A: a, B: b } : { A: a });
    return alone.map(([place, text]) => ({ place, letters: place, texts: [text] }));
  }

  /** The example whose texts these are, if any; of two, the one that is read in the same way. */
  get example() {
    const { a, b, mode } = this.values;
    const found = this.examples.filter((each) => each.a === a && each.b === b);
    return found.find((each) => each.mode === mode) ?? found.at(0);
  }

  /** The chosen step of the training, of a model that has any. */
  get step() {
    return this.training.at(Number(this.values.training));
  }

  /** The heads that are silenced, as a link writes them. */
  get silenced() {
    return this.values.silenced.split("-").filter(Boolean);
  }

  /** Those with the selected head; without it, if it is silenced. */
  get #toggled() {
    const others = this.silenced.filter((head) => head !== this.#head);
    return others.length < this.silenced.length ? others : [...others, this.#head];
  }

  get #head() {
    const { layer, head } = this.#selection.chosen ?? { layer: 0, head: MEAN };
    return `${layer}.${head}`;
  }

  /** A field or button; null if the form has none of this name. @param {string} name @returns {any} */
  #field(name) {
    return this.form.elements.namedItem(name);
  }

  #refresh() {
    const { example } = this;
    const [silence, clear, examples, slider] = ["silence", "clear", "example", "training"].map((name) =>
      this.#field(name),
    );
    examples.value = example ? this.examples.indexOf(example) : "";
    if (this.step) slider.ariaValueText = slider.parentNode.querySelector(".step").textContent = this.step.number;
    const [head] = headsIn([this.#head]);
    silence.disabled = head.head === MEAN;
    this.#field("mode").disabled = !this.values.b.trim();
    const name = head.head === MEAN ? "the selected head" : headInWords(head);
    silence.textContent = this.silenced.includes(this.#head) ? `Use ${name} again` : `Silence ${name}`;
    clear.hidden = !this.silenced.length;
  }
}

/** @param {readonly string[]} heads as a link writes them */
export function headsIn(heads) {
  return heads.map((text) => text.split(".").map(Number)).map(([layer, head]) => ({ layer, head }));
}
