// A search of the corpus for sentences in which a head looks from one word to another: three fields and the results.
import { button, describe, element } from "../shared/elements.mjs";
import { download } from "../shared/save.mjs";
import { perFrame } from "../shared/view.mjs";
import { partElements } from "./examples.mjs";
import { addressOf, csvOf, lineOf, rowsSeen, summaryOf, wordsOf } from "./search.mjs";
/** @import { Found, Search } from "./search.mjs" */

const ROW = 28; // pixels
const PAUSE = 150; // milliseconds without a key, after which a search begins
const LEAST = 0.3;
const SUGGESTED = "atlas-suggestions";

export class SearchBox {
  /** @type {Found | null} */
  found = null;
  name = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;

  /** @param {(search: Search) => void} ask */
  constructor(ask) {
    this.root = element("div", "search");
    this.looks = field("Word that looks", { placeholder: "any word, NOUN, obj→", list: SUGGESTED });
    this.lookedAt = field("Word that it looks at most", { placeholder: "any word, VERB" });
    this.least = field("Least weight", { type: "number", min: "0", max: "1", step: "0.05", value: LEAST.toFixed(2) });
    this.suggested = element("datalist");
    this.suggested.id = SUGGESTED;
    this.summary = element("p", "note");
    this.summary.setAttribute("role", "status");
    this.save = button("CSV", () => this.#save(), { title: "Save what is listed as a table" });
    this.scroller = element("div", "scroller");
    this.scroller.tabIndex = 0;
    describe(this.scroller, "list", "Sentences that were found");
    this.space = element("div", "space");
    this.scroller.append(this.space);
    const fields = element("div", "fields");
    const inputs = [this.looks, this.lookedAt, this.least];
    fields.append(...inputs.map(({ root }) => root), this.suggested, this.save);
    this.root.append(fields, this.summary, this.scroller);
    /** @param {number} pause */
    const askSoon = (pause) => {
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => ask(this.search), pause);
    };
    for (const { input } of inputs) {
      input.addEventListener("input", () => askSoon(PAUSE));
      input.addEventListener("keydown", ({ key }) => {
        if (key === "Enter") askSoon(0);
      });
    }
    this.scroller.addEventListener(
      "scroll",
      perFrame(() => this.#draw()),
    );
  }

  /** The contents of the fields. @returns {Search} */
  get search() {
    const least = Number(this.least.input.value);
    return { looks: this.looks.input.value, looked_at: this.lookedAt.input.value, least };
  }

  /** Show a text instead of results. @param {string} text */
  wait(text) {
    this.found = null;
    this.save.disabled = true;
    this.summary.textContent = text;
    this.space.replaceChildren();
    this.space.style.height = "0";
  }

  /**
   * Show results, unless the fields have changed since.
   * @param {Found} found
   * @param {string} name of the file that it is saved as
   */
  show(found, name) {
    const { search } = this;
    if (found.search.looks !== search.looks || found.search.looked_at !== search.looked_at) return;
    if (found.search.least !== search.least) return;
    this.found = found;
    this.name = name;
    this.summary.textContent = summaryOf(found);
    this.save.disabled = !found.rows.length;
    this.suggested.replaceChildren(...found.suggestions.map(option));
    this.space.style.height = `${found.rows.length * ROW}px`;
    this.scroller.scrollTop = 0;
    this.#draw();
  }

  /** Render the rows in view. */
  #draw() {
    const { found } = this;
    if (!found) return;
    const [first, end] = rowsSeen(this.scroller, ROW, found.rows.length);
    const rows = found.rows.slice(first, end).map((row, index) => this.#row(found, row, first + index));
    this.space.replaceChildren(...rows);
  }

  /** @param {Found} found @param {number[]} row @param {number} index */
  #row(found, row, index) {
    const [sentence, query, key, , , weight] = row;
    const words = wordsOf(found, sentence);
    const root = element("div", "row");
    root.setAttribute("role", "listitem");
    root.setAttribute("aria-setsize", String(found.rows.length));
    root.setAttribute("aria-posinset", String(index + 1));
    root.style.top = `${index * ROW}px`;
    const link = element("a");
    link.href = addressOf(found, row);
    link.title = `${words.join(" ")} (${found.names[sentence]})`;
    link.append(...partElements(lineOf(words, query, key)));
    root.append(element("span", "value", (weight / 100).toFixed(2)), link);
    return root;
  }

  #save() {
    if (this.found) download(`${this.name}.csv`, new Blob([csvOf(this.found)], { type: "text/csv" }));
  }
}

/** A field with its label. @param {string} label @param {Record<string, string>} attributes */
function field(label, attributes) {
  const root = element("label", "", label);
  const input = element("input");
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  root.append(input);
  return { root, input };
}

/** @param {string} value */
function option(value) {
  const made = element("option");
  made.value = value;
  return made;
}
