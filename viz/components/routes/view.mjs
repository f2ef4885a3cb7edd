// Routes: the links that carry an output. The data that Python sends is described in __init__.py.
import { offersOf } from "../cell_map/cuts.mjs";
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { button, describe, element, makeFocusable, setPressed } from "../shared/elements.mjs";
import { HORIZONTAL, VERTICAL, movedWithin } from "../shared/keys.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { storeOf, withMessage } from "../shared/store.mjs";
import { textMeasures } from "../shared/text.mjs";
import { mounting } from "../shared/view.mjs";
import { boxOf, pointIn, pointOn } from "../shared/zoom.mjs";
import { drawMarked, drawRoutes } from "./draw.mjs";
import {
  layoutOf,
  lineAt,
  linesOf,
  pinnedLine,
  placeOf,
  placeOfCount,
  roomOnPage,
  segmentsOf,
  stateAt,
  upstreamOf,
} from "./scene.mjs";
import { keptSentence, lineSentence, tableOf, tokenSentence, undrawnNote } from "./words.mjs";
/** @import { Cuts } from "../cell_map/cuts.mjs" */
/** @import { Painter, ViewData } from "../shared/types.mjs" */
/** @import { Scene } from "./draw.mjs" */
/** @import { Line, RoutesMessage } from "./scene.mjs" */

/**
 * @typedef {ViewData & { cuts?: Cuts | null }} RoutesData
 * @typedef {{ extras: { cut: number[] } }} CutMessage
 * @typedef {{ line: Line | null, unit: number, state: number }} Pointed
 */

const HOW =
  "Left and right choose a token, up and down a line, the strongest first. Enter selects the line, Escape releases it.";
const NOWHERE = /** @type {Readonly<Pointed>} */ ({ line: null, unit: NOTHING, state: 0 });

/** @extends {PictureView<RoutesData, RoutesMessage>} */
class Routes extends PictureView {
  /** @type {Scene | null} */
  scene = null;
  pointed = NOWHERE;
  #isSummed = false;
  #place = 0; // of the number of links among the counts
  #ofMessage = "";
  /** @type {readonly number[] | null} the output without so many links; null until it arrives */
  #cut = null;
  #stopWaiting = () => {};

  /** @param {HTMLElement} root @param {RoutesData} data */
  constructor(root, data) {
    super(root, data);
    this.slider = element("input");
    Object.assign(this.slider, { type: "range", min: "0", step: "1" });
    this.slider.setAttribute("aria-label", "Links kept, the strongest first");
    this.kept = element("span");
    this.heads = button("Heads summed", () => this.#sumHeads(), { title: "One line for all heads of a layer" });
    const end = element("div", "end", this.heads, this.menu.root);
    const bar = element("div", "bar", element("div", "kept", this.slider, this.kept), end);
    this.canvas = element("canvas");
    this.over = element("canvas", "over");
    makeFocusable(this.over, { role: "application" });
    this.pane = element("div", "pane", this.canvas, this.over);
    this.about = element("p", "about");
    this.picked = element("div", "picked");
    describe(this.picked, "group", "The selected line");
    const scroller = element("div", "scroller", this.pane);
    root.replaceChildren(
      ...[this.notice, bar, scroller, this.about, this.picked, this.spoken, this.tip.root, this.twin.root],
    );
    this.closing.signal.addEventListener("abort", () => this.#stopWaiting());
    this.watchSize(root, () => this.refresh());
    this.listen(this.slider, "input", () => this.#keep(Number(this.slider.value)));
    this.listen(this.over, "pointermove", (event) => this.#hover(event));
    this.listen(this.over, "pointerleave", () => this.#point(NOWHERE));
    this.listen(this.over, "blur", () => this.#point(NOWHERE));
    this.listen(this.over, "click", (event) => this.#choose(this.#at(event).line));
    this.listenToKeys(this.over, (event) => this.#press(event.key));
  }

  /** @override */
  refresh() {
    const { message, root, data } = this;
    if (!message || !root.clientWidth) return;
    const { extras, tensors } = message;
    if (this.#ofMessage !== extras.id) {
      this.#ofMessage = extras.id;
      this.#place = placeOfCount(extras.counts, extras.opens);
      this.pointed = NOWHERE;
      this.#stopWaiting();
      this.#cut = null;
      this.#stopWaiting = withMessage(storeOf(), `${extras.id}-cut`, (curve) => {
        this.#cut = /** @type {CutMessage} */ (curve).extras.cut;
        this.refresh();
      });
    }
    const count = extras.counts[this.#place];
    const lines = linesOf(message, count, this.#isSummed);
    const widest = Math.max(...extras.labels.map((label) => this.measure(label)));
    const room = this.roomOnStage(this.pane) ?? roomOnPage(window.innerHeight);
    const layers = extras.state || extras.shape[0]; // no link of a higher layer contributes
    const layout = layoutOf(root.clientWidth, room, extras.labels.length, layers, widest);
    const { diverging, muted } = data.theme;
    const [lowers, raises] = [diverging[0][1], diverging[diverging.length - 1][1]];
    const colours = { ...coloursOf(root), muted, lowers, raises };
    this.scene = { extras, layout, lines, segments: segmentsOf(layout, lines), colours };
    this.slider.max = String(extras.counts.length - 1);
    this.slider.value = String(this.#place);
    this.kept.textContent = keptSentence(extras, this.#place, this.#cut);
    this.slider.setAttribute("aria-valuetext", this.kept.textContent);
    this.about.textContent = undrawnNote(count, tensors.links.values.length);
    this.about.hidden = !this.about.textContent;
    setPressed(this.heads, this.#isSummed);
    this.#showPicked();
    this.draw();
    this.twin.update();
  }

  get measure() {
    return textMeasures(this.measuring, coloursOf(this.root).font)(14);
  }

  /** The lines that are not faint: those upstream of a token, or one; null for all. */
  get focus() {
    const { line, state, unit } = this.pointed;
    if (line) return new Set([line]);
    return this.scene && unit !== NOTHING ? upstreamOf(this.scene.lines, state, unit) : null;
  }

  /** The line of the selected head and tokens. */
  get pinned() {
    const { scene, selection } = this;
    return scene && pinnedLine(scene.lines, scene.extras, selection);
  }

  /** @override */
  paint() {
    const { scene } = this;
    if (!scene) return;
    const { extras, layout } = scene;
    drawRoutes(painterOn(this.canvas, layout, scene.colours.font), scene, this.measure, this.focus);
    this.over.setAttribute("aria-label", `Routes of ${extras.name}${this.ofWhich}: ${this.kept.textContent}. ${HOW}`);
    this.paintOver();
    this.root.dataset.lines = String(scene.lines.length);
    this.notePainted([this.selection.head]);
  }

  /** @override */
  paintOver() {
    const { scene, pinned } = this;
    if (!scene) return;
    const painter = painterOn(this.over, scene.layout, scene.colours.font);
    for (const line of [pinned, this.pointed.line]) if (line) drawMarked(painter, scene, line);
  }

  /** @override */
  table() {
    return this.scene && tableOf(this.scene.extras, this.scene.lines);
  }

  /** @override */
  picture() {
    const { scene, measure } = this;
    if (!scene) return null;
    const { width, height } = scene.layout;
    /** @param {Painter} painter */
    const draw = (painter) => drawRoutes(painter, scene, measure, null);
    return { name: "routes", width, height, colours: scene.colours, draw };
  }

  // --- changes by the user ---

  /** @param {number} place */
  #keep(place) {
    this.#place = place;
    this.pointed = NOWHERE;
    this.refresh();
  }

  #sumHeads() {
    this.#isSummed = !this.#isSummed;
    this.pointed = NOWHERE;
    this.refresh();
  }

  /** @param {MouseEvent} event @returns {Pointed} */
  #at(event) {
    const { scene } = this;
    if (!scene) return NOWHERE;
    const { x, y } = pointOn(this.over, event);
    const state = stateAt(scene.layout, scene.extras.labels.length, x, y);
    if (state) return { line: null, ...state };
    return { ...NOWHERE, line: lineAt(scene.lines, scene.segments, x, y) };
  }

  /** @param {MouseEvent} event */
  #hover(event) {
    this.#point(this.#at(event));
    const said = this.#said(this.pointed);
    this.pane.classList.toggle("pointing", this.pointed.line !== null);
    if (!said) return;
    const { x, y } = pointIn(this.over, event);
    this.tip.showNextTo([said], x, y);
  }

  /** @param {Pointed} pointed */
  #point(pointed) {
    this.root.dataset.hovered = `${pointed.line ? this.scene?.lines.indexOf(pointed.line) : NOTHING},${pointed.unit}`;
    if (!this.#said(pointed)) this.tip.hide();
    this.pointed = pointed;
    this.draw();
  }

  /** A sentence about what is pointed at; "" for nothing. @param {Pointed} pointed */
  #said({ line, state, unit }) {
    const { scene } = this;
    if (!scene) return "";
    if (line) return lineSentence(scene.extras, line);
    return unit === NOTHING ? "" : tokenSentence(scene.extras, unit, upstreamOf(scene.lines, state, unit));
  }

  /** A sentence next to what the keyboard points at. @param {string} said @param {Scene} scene */
  #showTip(said, { layout, lines, segments }) {
    const { line, state, unit } = this.pointed;
    const [x1, y1, x2, y2] = line ? segments[lines.indexOf(line)] : [];
    const { x, y } = line ? { x: (x1 + x2) / 2, y: (y1 + y2) / 2 } : placeOf(layout, state, unit);
    const { left, top } = boxOf(this.over);
    this.tip.showNextTo([said], left + x, top + y);
  }

  /** Select a line's head and tokens, or release them. @param {Line | null} line */
  #choose(line) {
    const { data } = this;
    if (!line || !data.texts.length) return;
    const [query, key] = line === this.pinned ? [NOTHING, NOTHING] : line.tokens;
    this.send({ layer: line.layer, head: line.head, heads: "", query, key, pinned_in: data.texts[0] });
  }

  #showPicked() {
    const { pinned, scene, data } = this;
    this.picked.replaceChildren();
    if (!pinned || !scene) return;
    const { positions } = scene.extras;
    const cell = { query: positions[pinned.query], key: positions[pinned.key] };
    const offers = data.cuts ? offersOf(data.cuts, cell, pinned) : [];
    this.picked.append(
      element("p", "", lineSentence(scene.extras, pinned)),
      ...(data.cuts ? [button("See it in the heat map", () => this.send({ view: "heat map" }))] : []),
      ...(offers.length ? [element("span", "", "Cut this link:")] : []),
      ...offers.map(({ label, cut }) => button(label, () => this.send({ cut, view: "heat map" }))),
    );
  }

  /** @param {string} key @returns {boolean} whether it does something */
  #press(key) {
    const { scene, pointed, pinned } = this;
    if (!scene) return false;
    if (key === "Enter" || key === " ") {
      this.#choose(pointed.line);
    } else if (key === "Escape") {
      if (pinned) this.#choose(pinned);
      this.#point(NOWHERE);
    } else {
      const line = movedWithin(
        key,
        pointed.line ? scene.lines.indexOf(pointed.line) : NOTHING,
        [0, scene.lines.length],
        VERTICAL,
      );
      const unit = movedWithin(key, pointed.unit, [0, scene.extras.labels.length], HORIZONTAL);
      if (line !== null) this.#point({ ...NOWHERE, line: scene.lines[line] });
      else if (unit !== null) this.#point({ line: null, unit, state: scene.layout.states - 1 });
      else return false;
      this.spoken.textContent = this.#said(this.pointed);
      this.#showTip(this.spoken.textContent, scene);
    }
    return true;
  }
}

export default await mounting((root, data) => new Routes(root, /** @type {RoutesData} */ (data)), import.meta.url);
