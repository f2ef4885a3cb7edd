// The heads with the largest weight from one pinned token to the other. The data is described in __init__.py.
import { button, element } from "../shared/elements.mjs";
import { selectionOf } from "../shared/page_selection.mjs";
import { headName } from "../shared/selection.mjs";
import { storeOf } from "../shared/store.mjs";
import { View, mounting } from "../shared/view.mjs";
import { percentOf, shareBelow, targetOf } from "./percentiles.mjs";
import { pinnedIn, rankedHeads, unitsOfPins } from "./ranking.mjs";
/** @import { Quantiles } from "./percentiles.mjs" */
/** @import { Ranked, Run } from "./ranking.mjs" */

const LISTED = 5;
/** @type {Record<string, string>} */
const WHERE = {
  "another word": "from a word to another word of its sentence",
  itself: "from a word to itself",
  "[CLS]": "from a word to the first token",
  "[SEP]": "from a word to the last token",
};
const HINT = "Click a cell of the heat map to see which heads link its two words most strongly.";

/**
 * What Python sends; see __init__.py.
 * @typedef {{ runs: Run[], quantiles: string }} LinkingHeadsData
 */

/** @extends {View<LinkingHeadsData>} */
class LinkingHeads extends View {
  source = selectionOf("encoder");

  /** @param {HTMLElement} root @param {LinkingHeadsData} data */
  constructor(root, data) {
    super(root, data);
    this.sentence = element("p");
    this.sentence.setAttribute("role", "status");
    this.list = element("ol");
    root.replaceChildren(element("strong", "", "Which head does this?"), this.sentence, this.list);
    const refresh = this.perFrame(() => this.refresh());
    const { signal } = this.closing;
    this.source.subscribe((what) => what === "selection" && refresh(), signal);
    const { observers } = storeOf();
    observers.add(refresh); // layers that arrive later are ranked too
    signal.addEventListener("abort", () => observers.delete(refresh));
  }

  /** @override */
  refresh() {
    const { chosen } = this.source;
    const pinned = chosen && pinnedIn(this.data.runs, chosen);
    const [first] = pinned?.layers ?? [];
    const units = first && chosen ? unitsOfPins(first, chosen) : null;
    if (!pinned || !units) {
      this.sentence.textContent = HINT;
      this.list.replaceChildren();
      return;
    }
    const { layers, run } = pinned;
    const [from, to] = [units.row, units.column].map((unit) => first.extras.labels[unit]);
    const missing = layers.length < run.layers ? ` (${layers.length} of ${run.layers} layers)` : "";
    this.sentence.textContent = `Heads that link “${from}” to “${to}”, strongest first${missing}:`;
    const target = targetOf(first.extras, units, run.words);
    const ranked = rankedHeads(layers, units).slice(0, LISTED);
    this.list.replaceChildren(...ranked.map((head) => this.#item(head, target)));
  }

  /** @param {Ranked} ranked @param {string | null} target that the atlas has weights to */
  #item(ranked, target) {
    const { layer, head, weight } = ranked;
    const title = [`Attention weight ${weight.toFixed(2)}.`, this.#comparison(ranked, target)].join(" ").trim();
    const choice = button(headName(layer, head), () => this.source.change({ layer, head, heads: "" }), { title });
    choice.append(element("span", "value", ` ${weight.toFixed(2)}`));
    const item = element("li", "", choice);
    return item;
  }

  /** How unusual a weight is for its head; "" without an atlas. @param {Ranked} ranked @param {string | null} target */
  #comparison(ranked, target) {
    // The list does not wait for the quantiles.
    const quantiles = /** @type {Quantiles | undefined} */ (storeOf().messages.get(this.data.quantiles)?.message);
    const share = quantiles && target ? shareBelow(quantiles, ranked, target) : null;
    if (!quantiles || !target || share === null) return "";
    return `${percentOf(share)} of this head's weights ${WHERE[target]} are lower (${quantiles.extras.source}).`;
  }
}

export default await mounting(
  (root, data) => new LinkingHeads(root, /** @type {LinkingHeadsData} */ (data)),
  import.meta.url,
);
