// @ts-check
// The card of the chosen head. The data is described in __init__.py.
import { button, element } from "../shared/elements.mjs";
import { selectionOf } from "../shared/page_selection.mjs";
import { MEAN, headName } from "../shared/selection.mjs";
import { storeOf } from "../shared/store.mjs";
import { View, mounting } from "../shared/view.mjs";
import { detailElements } from "./details.mjs";
import { RankedList } from "./ranked_list.mjs";
/** @import { Selection } from "../shared/types.mjs" */
/** @import { Details } from "./details.mjs" */
/** @import { Run } from "./ranking.mjs" */

/**
 * What Python sends; see __init__.py.
 * @typedef {object} CardData
 * @property {Record<string, string[]>} lines by "layer.head"
 * @property {Record<string, string>} usual
 * @property {string} source
 * @property {Details | null} details
 * @property {Run[]} runs
 */

/** @extends {View<CardData>} */
class HeadCard extends View {
  source = selectionOf("encoder");
  /** @type {Pick<Selection, "layer" | "head"> | null} whose details are open */
  opened = null;
  /** @type {Details | null} that are drawn */
  drawn = null;

  /** @param {HTMLElement} root @param {CardData} data */
  constructor(root, data) {
    super(root, data);
    this.title = element("strong");
    this.lines = element("div", "lines");
    this.origin = element("p", "origin");
    this.more = button("Intervals, relations, examples", () => this.#open());
    this.more.setAttribute("aria-haspopup", "dialog");
    this.box = element("div", "details");
    this.box.popover = "auto"; // in the top layer, so that nothing of the page moves; Escape and a click beside it close it
    this.box.setAttribute("role", "dialog");
    this.box.tabIndex = -1;
    this.ranked = new RankedList((head) => this.source.change({ ...head, heads: "" }));
    root.replaceChildren(this.title, this.lines, this.origin, this.more, this.ranked.root, this.box);
    const unsubscribe = this.source.subscribe(() => this.refresh());
    const { observers } = storeOf();
    const rank = this.perFrame(() => this.#rank());
    observers.add(rank);
    this.closing.signal.addEventListener("abort", () => {
      unsubscribe();
      observers.delete(rank);
    });
  }

  /** @override */
  refresh() {
    const shown = this.source.shown;
    if (!shown) return;
    const { layer, head } = shown;
    this.title.textContent = head === MEAN ? headName(layer, head) : titleOf(layer, head);
    const lines = head === MEAN ? ["Choose a head: the mean has no card."] : this.data.lines[`${layer}.${head}`];
    this.lines.replaceChildren(...(lines ?? []).map((line) => element("p", "", line)));
    this.origin.textContent = this.data.source;
    this.more.disabled = head === MEAN || !lines;
    this.#showDetails();
    this.#rank();
  }

  /** List the heads that do what is pinned. */
  #rank() {
    const { chosen } = this.source;
    if (chosen) this.ranked.update(this.data.runs, chosen, this.data.usual);
  }

  /** Open the details of the chosen head, and ask for them where they are not here. */
  #open() {
    const { chosen } = this.source;
    if (!chosen) return;
    this.opened = { layer: chosen.layer, head: chosen.head };
    this.drawn = null;
    this.box.replaceChildren(element("p", "", "The tables are read …"));
    this.box.showPopover();
    this.box.focus();
    this.#showDetails();
    if (!this.drawn) this.tell("wanted", this.opened);
  }

  #showDetails() {
    const { details } = this.data;
    const { opened } = this;
    if (!details || details === this.drawn || details.layer !== opened?.layer || details.head !== opened.head) return;
    this.drawn = details;
    const name = titleOf(details.layer, details.head);
    this.box.setAttribute("aria-label", name);
    this.box.replaceChildren(
      element("h3", "", name),
      ...detailElements(details),
      element("p", "note", this.data.source),
    );
  }
}

/** @param {number} layer @param {number} head */
function titleOf(layer, head) {
  return `${headName(layer, head)} over a corpus`;
}

export default await mounting((root, data) => new HeadCard(root, /** @type {CardData} */ (data)), import.meta.url);
