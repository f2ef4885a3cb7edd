// The card of the chosen head. The data is described in __init__.py.
import { button, element } from "../shared/elements.mjs";
import { selectionOf } from "../shared/page_selection.mjs";
import { MEAN, headInWords, headName } from "../shared/selection.mjs";
import { tableElement } from "../shared/table.mjs";
import { View, mounting } from "../shared/view.mjs";
import { partElements } from "./examples.mjs";
import { SearchBox } from "./search_box.mjs";
/** @import { Head, Table } from "../shared/types.mjs" */
/** @import { Example } from "./examples.mjs" */
/** @import { Found, Search } from "./search.mjs" */

/**
 * The details of one head from `viz.payloads.head_cards.details`, or the reason why there are none.
 * @typedef {object} Details
 * @property {number} layer
 * @property {number} head
 * @property {string} [problem]
 * @property {string[]} notes
 * @property {Table[]} tables
 * @property {{ title: string, sentences: Example[] }[]} examples
 */

/** @param {Details} details @returns {HTMLElement[]} */
function detailElements({ problem, notes, tables, examples }) {
  if (problem) return [element("p", "", problem)];
  return [
    ...notes.map((note) => element("p", "note", note)),
    ...(examples.length ? [element("h4", "", "Examples")] : []),
    ...examples.map(exampleGroup),
    element("h4", "", "Figures"),
    ...tables.map((table) => tableElement(table)),
  ];
}

/** @param {Details["examples"][number]} group */
function exampleGroup({ title, sentences }) {
  const root = element("details", "group");
  const list = element("ol", "", ...sentences.map(exampleItem));
  root.append(element("summary", "", `${title} (${sentences.length})`), list);
  return root;
}

/** @param {Example} example */
function exampleItem(example) {
  const item = element("li");
  const link = element("a");
  link.href = example.address;
  link.append(...partElements(example));
  item.append(link, element("span", "value", ` ${example.value}`));
  return item;
}

const HOW_TO_SEARCH =
  "Of the other words of its sentence, each word looks at one most. Type what the two are to be: a word, a part of speech " +
  "in capitals, or for the word that looks a relation such as obj→ (an object that looks at its verb) or →obj. The bold " +
  "word looks at the marked one, with the weight before the sentence. A click on a sentence opens it here.";

/**
 * What Python sends; see __init__.py.
 * @typedef {object} CardData
 * @property {Record<string, string[]>} lines by "layer.head"
 * @property {string} source
 * @property {string} credit who made the corpus, and its licence; shown with its sentences
 * @property {Details | null} [details] that were requested last; on a page without Python neither these nor results
 * @property {FoundAnswer | null} [found] results of the last search
 *
 * @typedef {Head & { problem?: string } & Found} FoundAnswer
 */

/** @extends {View<CardData>} */
class HeadCard extends View {
  source = selectionOf("encoder");
  /** @type {Head | null} whose details or sentences are open */
  opened = null;
  /** @type {Details | FoundAnswer | null} the rendered answer */
  drawn = null;

  /** @param {HTMLElement} root @param {CardData} data */
  constructor(root, data) {
    super(root, data);
    this.title = element("strong");
    this.sentence = element("p", "sentence");
    this.more = button("Details", () => this.#openDetails());
    this.find = button("Sentences", () => this.#openSearch());
    const buttons = element("div", "buttons quiet", this.more, this.find);
    buttons.hidden = this.#isAlone;
    for (const [opener, name] of /** @type {const} */ ([
      [this.more, "Examples and details"],
      [this.find, "Find sentences"],
    ])) {
      opener.setAttribute("aria-haspopup", "dialog");
      opener.setAttribute("aria-label", name);
      opener.title = name;
    }
    this.box = dialog();
    this.searchBox = new SearchBox((search) => this.#ask(search));
    this.finder = dialog();
    root.replaceChildren(this.title, this.sentence, buttons, this.box, this.finder);
    this.source.subscribe((what) => what === "selection" && this.refresh(), this.closing.signal);
  }

  /** @override */
  refresh() {
    const shown = this.source.shown;
    if (!shown) return;
    const isMean = shown.head === MEAN;
    const lines = this.#linesOf(shown);
    const [sentence = ""] = this.#isAlone && lines.length ? [[...lines, this.data.source].join(" ")] : lines;
    this.title.textContent = isMean ? headName(shown.layer, MEAN) : titleOf(shown);
    this.sentence.textContent = isMean ? "Choose one head to see what it usually does." : sentence;
    this.more.disabled = this.find.disabled = !sentence;
    this.#showDetails();
    this.#showFound();
  }

  /** Whether no Python answers, so that the card says all it knows. */
  get #isAlone() {
    return this.data.details === undefined;
  }

  /** What is known about a head, in sentences; none for the mean. @param {Head} head */
  #linesOf({ layer, head }) {
    return this.data.lines[`${layer}.${head}`] ?? [];
  }

  /** Open the details of the chosen head, and request them if they are missing. */
  #openDetails() {
    this.#open(this.box, [element("p", "", "The tables are read …")]);
    this.#showDetails();
    if (!this.drawn) this.sendToPython("wanted", this.opened);
  }

  #openSearch() {
    const { chosen } = this.source;
    if (!chosen) return;
    this.searchBox.wait("The corpus is searched …");
    this.#open(this.finder, [
      element("h3", "", `Where ${headInWords(chosen)} looks`),
      element("p", "note", HOW_TO_SEARCH),
      this.searchBox.root,
      this.#sourceNote(),
    ]);
    this.finder.setAttribute("aria-label", `Sentences in which ${headInWords(chosen)} looks hard`);
    this.#ask(this.searchBox.search);
  }

  #sourceNote() {
    return element("p", "note", `${this.data.source} ${this.data.credit}`);
  }

  /** @param {HTMLElement} box @param {HTMLElement[]} content */
  #open(box, content) {
    const { chosen } = this.source;
    if (!chosen) return;
    this.opened = { layer: chosen.layer, head: chosen.head };
    this.drawn = null;
    box.replaceChildren(...content);
    box.showPopover();
    box.focus();
  }

  /** @param {Search} search */
  #ask(search) {
    this.sendToPython("wanted", { ...this.opened, search });
  }

  #showDetails() {
    const { details } = this.data;
    if (!details || !this.#isNews(details)) return;
    this.drawn = details;
    const name = titleOf(details);
    this.box.setAttribute("aria-label", name);
    const lines = this.#linesOf(details).map((line) => element("p", "", line));
    this.box.replaceChildren(element("h3", "", name), ...lines, ...detailElements(details), this.#sourceNote());
  }

  #showFound() {
    const { found } = this.data;
    if (!found || !this.#isNews(found)) return;
    this.drawn = found;
    if (found.problem) this.searchBox.wait(found.problem);
    else this.searchBox.show(found, `${headName(found.layer, found.head)} looks`.replaceAll(" ", "-"));
  }

  /** Whether an answer is for the open head and not rendered yet. @param {Details | FoundAnswer} answer */
  #isNews(answer) {
    return answer !== this.drawn && answer.layer === this.opened?.layer && answer.head === this.opened.head;
  }
}

/** A popover, so that the page does not move; Escape and a click outside close it. */
function dialog() {
  const box = element("div", "details popup");
  box.popover = "auto";
  box.setAttribute("role", "dialog");
  box.tabIndex = -1;
  return box;
}

/** @param {Head} head */
function titleOf(head) {
  return `What ${headInWords(head)} usually does`;
}

export default await mounting((root, data) => new HeadCard(root, /** @type {CardData} */ (data)), import.meta.url);
