// Presenting: the page without its form, larger, with the keys of the app (`viz/components/stage`).
import stage from "../../../components/stage/view.mjs";
import { MountedView } from "../mounted_view.mjs";
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { SavedPage } from "../saved_page.mjs" */

export class Presenting {
  #on = false;
  #view = new MountedView("stage", {
    ...{ mount: stage, classes: "view" },
    send: (_, asked) => this.toggle(/** @type {{ stage: boolean }} */ (asked).stage),
  });

  /** @param {SavedPage} page @param {Pick<SiteFacts, "title" | "layers" | "heads">} facts */
  constructor(page, facts) {
    this.page = page;
    this.facts = facts;
    page.header?.before(this.#view.element);
    this.show();
  }

  /** @param {boolean} on */
  toggle(on) {
    this.#on = on;
    document.documentElement.toggleAttribute("data-stage", on);
    this.show();
  }

  /** Say what the open view shows. */
  show() {
    const { contents, isAnswer, view } = this.page;
    const { title: model, layers, heads } = this.facts;
    const shows = contents.views.find(({ name }) => name === view)?.title;
    const seen = { model, shows, follows: !isAnswer && view !== "model view", shows_heads: view === "head view" };
    this.#view.show({ on: this.#on, scope: "encoder", layers, heads, seen, tour: null });
  }
}
