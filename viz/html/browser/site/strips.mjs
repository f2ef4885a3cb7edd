// The tokens above the picture, with parts of speech; in the word lens a click chooses the word.
import tokenStrip from "../../../components/token_strip/view.mjs";
import { element } from "../../../components/shared/elements.mjs";
import { MountedView } from "../mounted_view.mjs";
/** @import { StripData } from "../../../components/token_strip/words.mjs" */

const STRIP = { mount: tokenStrip, classes: "view strip" };

export class Strips {
  root = element("div", "strips");
  /** @type {MountedView[]} */
  #views = [];

  /**
   * @param {readonly StripData[]} strips of the texts
   * @param {{ tagged: boolean, chosen: readonly number[] | null }} how whether they have tags; the word that is chosen
   *   in each text, or null where none can be
   */
  show(strips, { tagged, chosen }) {
    for (const view of this.#views.splice(strips.length)) view.close();
    strips.forEach((strip, index) => {
      this.#views[index] ??= new MountedView("token_strip", STRIP);
      const view = this.#views[index];
      if (!view.element.parentNode) this.root.append(view.element);
      const choice = chosen && { choose: index ? "at_b" : "at_a", chosen: chosen[index] ?? null };
      view.show({ ...strip, tags: tagged ? strip.tags : [], ...choice });
    });
  }
}
