// @ts-check
// The list of the heads that look hardest from one pinned token to the other, with what each usually does.
import { button, element } from "../shared/elements.mjs";
import { headName } from "../shared/selection.mjs";
import { percentOf, shareBelow, targetOf } from "./percentiles.mjs";
import { pinnedIn, rankedHeads, unitsOfPins } from "./ranking.mjs";
/** @import { Head, Selection } from "../shared/types.mjs" */
/** @import { Quantiles } from "./percentiles.mjs" */
/** @import { Ranked, Run } from "./ranking.mjs" */

const LISTED = 5;
/** @type {Record<string, string>} */
const WHERE = {
  "another word": "from a word to another word of its sentence, over the corpus,",
  itself: "from a word to itself, over the corpus,",
  "[CLS]": "from a word to the first token, over the corpus,",
  "[SEP]": "from a word to the last token, over the corpus,",
};
const HOW = "Click a cell of the heat map: the heads that look hardest from its row to its column are listed here.";

export class RankedList {
  /** @param {(head: Head) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.root = element("div", "ranked");
    this.said = element("p", "origin");
    this.list = element("ol");
    this.root.append(element("strong", "", "Which head does this?"), this.said, this.list);
  }

  /**
   * @param {readonly Run[]} runs none where the view draws no layers
   * @param {Selection} selection
   * @param {Record<string, string>} usual what each head usually does, by "layer.head"
   * @param {Quantiles | null} quantiles of each head's weights
   */
  update(runs, selection, usual, quantiles) {
    this.root.hidden = !runs.length;
    const pinned = pinnedIn(runs, selection);
    const [first] = pinned?.layers ?? [];
    const units = first ? unitsOfPins(first, selection) : null;
    this.said.textContent = HOW;
    this.list.replaceChildren();
    if (!pinned || !units) return;
    const [from, to] = [units.row, units.column].map((unit) => first.extras.labels[unit]);
    const { layers, run } = pinned;
    const missing = layers.length < run.layers ? `, in ${layers.length} of ${run.layers} layers` : "";
    const target = quantiles && targetOf(first.extras, units, run.words);
    const compared = target ? `, then how many of the head's weights ${WHERE[target]} are lower` : "";
    this.said.textContent = `From “${from}” to “${to}”, by weight${missing}${compared}; then what the head usually does:`;
    const ranked = rankedHeads(layers, units).slice(0, LISTED);
    this.list.append(
      ...ranked.map((head) => {
        const share = quantiles && target ? shareBelow(quantiles, head, target) : null;
        return this.#item(head, share, usual[`${head.layer}.${head.head}`] ?? "no habit");
      }),
    );
  }

  /** @param {Ranked} ranked @param {number | null} share of the head's weights that are lower @param {string} usual */
  #item({ layer, head, weight }, share, usual) {
    const item = element("li");
    const choice = button(headName(layer, head), () => this.choose({ layer, head }));
    item.append(choice, element("span", "value", weight.toFixed(2)));
    if (share !== null) item.append(element("span", "value share", percentOf(share)));
    item.append(element("span", "", usual));
    return item;
  }
}
