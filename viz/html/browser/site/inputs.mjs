// What a visitor sets in the form that `viz/site/inputs.py` writes; its fields have the names of a link's values.
import { MEAN, headInWords } from "../../../components/shared/selection.mjs";
/** @import { Head, Special } from "../../../components/shared/types.mjs" */
/** @import { Link, SiteFacts } from "../contents.mjs" */

export class Inputs {
  /** @param {HTMLFormElement} form @param {SiteFacts} site */
  constructor(form, site) {
    this.form = form;
    this.site = site;
    this.fields = /** @type {Record<string, any>} */ (form.elements);
  }

  /** What is typed and chosen, by name. */
  get values() {
    return /** @type {Link & { level: string, special: Special, tags: string }} */ (
      Object.fromEntries(new FormData(this.form))
    );
  }

  /** @param {object} values by name, also of what is no field */
  set(values) {
    for (const [name, value] of Object.entries(values)) if (name in this.fields) this.fields[name].value = value;
  }

  /** What the page knows of its model, at the chosen step of the training if it has any. */
  get facts() {
    return { ...this.site, ...this.site.training.at(Number(this.values.training)) };
  }

  /** The texts that are read alone, or the pair, with their letters. */
  get runs() {
    const { a, b, mode } = this.values;
    if (b.trim() && mode === "pair") return [{ place: "pair", letters: "AB", texts: [a, b] }];
    const first = { place: "A", letters: "A", texts: [a] };
    return b.trim() ? [first, { place: "B", letters: "B", texts: [b] }] : [first];
  }

  /** The example whose texts these are, if any; of two, the one that is read in the same way. */
  get example() {
    const { a, b, mode } = this.values;
    const found = this.site.examples.filter(({ link }) => link.a === a && link.b === b);
    return found.find(({ link }) => link.mode === mode) ?? found.at(0);
  }

  /** The heads that are silenced. @returns {Head[]} */
  get silenced() {
    const pairs = Array.from(this.values.silenced.matchAll(/(\d+)\.(\d+)/g), (found) => found.slice(1).map(Number));
    return pairs.map(([layer, head]) => ({ layer, head }));
  }

  /** Silence a head, or use it again. @param {Head} selected */
  toggle({ layer, head }) {
    const silenced = new Set(this.values.silenced.split("-").filter(Boolean));
    const name = `${layer}.${head}`;
    if (!silenced.delete(name)) silenced.add(name);
    this.fields.silenced.value = [...silenced].join("-");
  }

  /** Show which example and step these are, and what a click would silence. @param {Head} selected */
  refresh({ layer, head }) {
    const { example, training, silence } = this.fields;
    example.value = this.example ? this.site.examples.indexOf(this.example) : "";
    if (training) training.ariaValueText = training.labels[0].querySelector(".step").textContent = this.facts.number;
    const name = head === MEAN ? "the selected head" : headInWords({ layer, head });
    const isSilenced = this.silenced.some((each) => each.layer === layer && each.head === head);
    silence.textContent = isSilenced ? `Use ${name} again` : `Silence ${name}`;
    silence.disabled = head === MEAN;
  }
}
