// The app's own components around the pictures: the tokens, the card of the selected head, and presentation mode.
import headCard from "../../../components/head_card/view.mjs";
import { element } from "../../../components/shared/elements.mjs";
import stage from "../../../components/stage/view.mjs";
import tokenStrip from "../../../components/token_strip/view.mjs";
import { MountedView } from "../mounted_view.mjs";
/** @import { SavedPage } from "../saved_page.mjs" */
/** @import { Inputs } from "./inputs.mjs" */

export class Surroundings {
  #strips = ["at_a", "at_b"].map((word) => ({
    word, // its name in the selection
    view: new MountedView("token_strip", { mount: tokenStrip, classes: "view strip" }),
  }));
  #card = new MountedView("head_card", { mount: headCard, classes: "view card" });
  #stage = new MountedView("stage", {
    ...{ mount: stage, classes: "view" },
    send: (_, asked) => this.present(/** @type {{ stage: boolean }} */ (asked).stage),
  });

  /** @param {SavedPage} page @param {Inputs} inputs */
  constructor(page, inputs) {
    this.page = page;
    this.inputs = inputs;
    this.strips = inputs.facts.strips; // of the texts
    this.words = inputs.facts.chosen; // of the texts, which the word lens is about
    page.header?.before(this.#stage.element);
    page.runs?.before(element("div", "strips", ...this.#strips.map(({ view }) => view.element)));
  }

  /** Begin or end the presentation. @param {boolean} on */
  present(on) {
    document.documentElement.toggleAttribute("data-stage", on);
    this.show();
  }

  show() {
    const { layers, heads, seen } = this.inputs.facts;
    const on = document.documentElement.hasAttribute("data-stage");
    this.#stage.show({ on, scope: "encoder", layers, heads, seen: seen[this.page.view], tour: null });
    this.#showStrips();
    this.#showCard();
  }

  /** The tokens of each text. In the word lens, a click on one selects its word. */
  #showStrips() {
    this.#strips.forEach(({ word: choose, view }, index) => {
      const strip = this.strips.at(index);
      view.element.hidden = !strip;
      const tags = this.inputs.values.tags === "off" ? [] : strip?.tags;
      const choice = { choose, chosen: this.words.at(index) ?? null };
      if (strip) view.show({ ...strip, tags, ...(this.page.view === "word lens" && choice) });
    });
  }

  /** Under the map, or under the view that is a map itself; there is none for a model without an atlas. */
  #showCard() {
    const { runs, sections, view } = this.page;
    const { cards } = this.inputs.facts;
    if (view === "model view") runs?.after(this.#card.element);
    else sections.at(-1)?.left.append(this.#card.element);
    this.#card.element.hidden = !cards;
    if (cards) this.#card.show(cards);
  }
}
