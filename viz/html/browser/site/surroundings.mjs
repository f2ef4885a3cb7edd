// The app's own components around the pictures: the tokens, the card of the selected head, and presentation mode.
import headCard from "../../../components/head_card/view.mjs";
import { element } from "../../../components/shared/elements.mjs";
import stage from "../../../components/stage/view.mjs";
import tokenStrip from "../../../components/token_strip/view.mjs";
import { MountedView } from "../mounted_view.mjs";
/** @import { SavedPage } from "../saved_page.mjs" */
/** @import { Inputs } from "./inputs.mjs" */

export class Surroundings {
  #place = element("div", "strips");
  /** @type {MountedView[]} */
  #strips = [];
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
    page.runs?.before(this.#place);
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

  /** In the word lens, a click on a token selects its word. */
  #showStrips() {
    for (const view of this.#strips.splice(this.strips.length)) view.close();
    this.strips.forEach((strip, index) => {
      this.#strips[index] ??= this.#newStrip();
      const tags = this.inputs.values.tags === "off" ? [] : strip.tags;
      const choice = { choose: index ? "at_b" : "at_a", chosen: this.words[index] ?? null };
      this.#strips[index].show({ ...strip, tags, ...(this.page.view === "word lens" && choice) });
    });
  }

  #newStrip() {
    const view = new MountedView("token_strip", { mount: tokenStrip, classes: "view strip" });
    this.#place.append(view.element);
    return view;
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
