// One run on the page: one view, with the map of its heads next to it or below it.
import { button, describe, element, setPressed } from "../../components/shared/elements.mjs";
import { MountedView } from "./mounted_view.mjs";
import { drawPlots } from "./plots.mjs";
import { mapId } from "./stored.mjs";
/** @import { Follows } from "../../components/shared/other_model.mjs" */
/** @import { DataTheme, Scope } from "../../components/shared/types.mjs" */
/** @import { Part, RunContents, ViewName } from "./contents.mjs" */
/** @import { ComponentName } from "./mounted_view.mjs" */

/** @type {Readonly<Partial<Record<ViewName, ComponentName>>>} */
const COMPONENTS = {
  ...{ "heat map": "cell_map", "head view": "head_view", "neuron view": "neuron_view" },
  routes: "routes",
};
/** @type {readonly ViewName[]} */
export const ALL_HEADS = ["model view", "routes"]; // views without a map of all heads next to them

const ALL_PARTS = -1; // the "part" that stands for all of a run's attentions

/**
 * The runs that a run is compared with: the cells of their pictures have the same size and colours.
 * @param {readonly RunContents[]} runs @param {RunContents} run
 */
export function othersIn(runs, run) {
  const others = runs.filter((other) => other !== run);
  return { others: others.map(({ attention, texts }) => ({ id: attention, texts })) };
}

/** Show an answer of the page's templates. @param {HTMLElement} place @param {string} name */
export function showAnswer(place, name) {
  if (place.dataset.answer !== name) {
    const template = document.querySelector(`template[data-answer="${CSS.escape(name)}"]`);
    if (!(template instanceof HTMLTemplateElement)) {
      if (place.dataset.answer) place.replaceChildren(); // another view's
      delete place.dataset.answer;
      return; // the answer about a typed text comes with the last layer
    }
    place.replaceChildren(template.content.cloneNode(true));
    place.dataset.answer = name;
    place.ariaBusy = "false";
  }
  void drawPlots(place);
}

export class RunSection {
  #part = 0;
  /** @type {{ view: ViewName, theme: DataTheme } | null} */
  #shown = null;
  /** @type {MountedView | null} */
  #picture = null;
  /** @type {MountedView | null} */
  #map = null;

  /**
   * @param {RunContents} run @param {object} [options]
   * @param {Scope} [options.scope] whose selection its views follow
   * @param {number} [options.part] the attention that is shown first; ALL_PARTS for all in one square
   * @param {object} [options.more] further data for the view
   * @param {boolean} [options.hint] whether the map names its keys
   * @param {Follows | null} [options.follows] how it follows the selection, if it is of another model
   */
  constructor(run, { scope = "encoder", part = 0, more = {}, hint = true, follows = null } = {}) {
    this.run = run;
    this.scope = scope;
    this.more = more;
    this.hint = hint;
    this.follows = follows;
    this.#part = part;
    this.root = element("section", "run");
    this.parts = element("div", "parts");
    describe(this.parts, "group", "Attention");
    this.parts.append(...run.parts.map(({ title }, index) => button(title, () => this.#choosePart(index))));
    this.parts.hidden = run.parts.length < 2;
    this.left = element("div", "map");
    this.right = element("div", "picture");
    this.columns = element("div", "columns", this.right, this.left);
    if (run.heading) this.root.append(element("h2", "", run.heading));
    this.root.append(this.parts, this.columns);
  }

  /** @param {ViewName} view @param {DataTheme} theme */
  show(view, theme) {
    this.#shown = { view, theme };
    [...this.parts.children].forEach((each, part) =>
      setPressed(/** @type {HTMLElement} */ (each), part === this.#part),
    );
    const showsAll = ALL_HEADS.includes(view) || this.run.answers.includes(view);
    this.columns.classList.toggle("wide", showsAll);
    this.left.hidden = showsAll;
    if (!showsAll) this.#map = this.#mounted(this.#map, "head_map", this.left);
    this.#map?.show({ ...this.#mapData(theme), large: false });
    if (this.run.answers.includes(view)) return this.#showAnswer(view);
    const component = view === "model view" ? "head_map" : COMPONENTS[view];
    if (!component) throw new Error(`There is no view ${view}.`);
    this.#picture = this.#mounted(this.#picture, component, this.right);
    this.#picture.show(
      component === "head_map" ? { ...this.#mapData(theme), large: true } : this.#pictureData(view, theme),
    );
  }

  /** The view whose answer stands in the page's template. @param {ViewName} view */
  #showAnswer(view) {
    const name = `${this.run.name}.${view}`;
    if (this.right.dataset.answer !== name) {
      this.#picture?.close();
      this.#picture = null;
    }
    showAnswer(this.right, name);
  }

  /**
   * The view of that name in a place, reused if it is mounted there.
   * @param {MountedView | null} before @param {ComponentName} name @param {HTMLElement} place
   */
  #mounted(before, name, place) {
    if (before?.name === name) return before;
    before?.close();
    const view = new MountedView(name);
    place.replaceChildren(view.element);
    delete place.dataset.answer;
    return view;
  }

  /** @param {number} part */
  #choosePart(part) {
    this.#part = part;
    if (this.#shown) this.show(this.#shown.view, this.#shown.theme);
  }

  /** @param {DataTheme} theme */
  #data(theme) {
    const { texts, special, heading, cuts } = this.run;
    const removed = this.#chosenPart ? { removed: this.#chosenPart.removed } : {};
    const { follows } = this;
    const options = { ...removed, ...(follows && { follows }), ...(cuts && { cuts }) };
    return { scope: this.scope, texts, special, heading, theme, ...options };
  }

  /** @returns {Part | undefined} */
  get #chosenPart() {
    return this.run.parts[this.#part];
  }

  /** @param {DataTheme} theme */
  #mapData(theme) {
    const filter = this.run.pair && this.#shown?.view !== "model view" ? "enabled" : null;
    return {
      ...this.#data(theme),
      id: mapId(this.run, this.#part === ALL_PARTS ? 0 : this.#part),
      enabled: true,
      filter,
      hint: this.hint,
    };
  }

  /** The id of the queries and keys that are shown. */
  get #neurons() {
    return this.run.parts.length ? `${this.run.neurons}-${this.#part}` : this.run.neurons;
  }

  /** @param {ViewName} view @param {DataTheme} theme */
  #pictureData(view, theme) {
    const { run } = this;
    const part = this.#chosenPart;
    if (view === "routes") return { ...this.#data(theme), id: `${run.name}.routes` };
    return {
      ...this.#data(theme),
      ...(part && { sentences: part.sentences, title: part.title }),
      id: view === "neuron view" ? this.#neurons : run.attention,
      layers: Math.max(...run.layers) + 1,
      place: run.place,
      ...(view === "neuron view" ? {} : this.more),
    };
  }

  /** The picture to save, or null. */
  get picture() {
    return this.#picture?.picture ?? null;
  }

  /** The small map to save, or null. */
  get map() {
    return this.left.hidden ? null : (this.#map?.picture ?? null);
  }

  close() {
    this.#picture?.close();
    this.#map?.close();
  }
}
