// The card of the selected head: under the map, or under the view that is a map itself.
import headCard from "../../../components/head_card/view.mjs";
import { MountedView } from "../mounted_view.mjs";
/** @import { CardData } from "../../../components/head_card/view.mjs" */
/** @import { SavedPage } from "../saved_page.mjs" */

export class Card {
  #view = new MountedView("head_card", { mount: headCard, classes: "view card" });

  /** @param {SavedPage} page @param {CardData | null} cards null for a model without an atlas */
  show({ sections, view, runs, isAnswer }, cards) {
    const { element } = this.#view;
    element.hidden = !cards || isAnswer;
    const last = sections[sections.length - 1];
    if (view === "model view") runs?.after(element);
    else last.left.append(element);
    if (cards && !isAnswer) this.#view.show(cards);
  }
}
