// The head view: tokens on both sides, a line for every weight that is drawn. See __init__.py for the data.
//
// Three canvases of the scroller's size lie on each other: the lines, which fade by CSS where one token is shown alone;
// that token's own lines and weights; and the tokens. Hovering draws the one in the middle only.
import { Link } from "../shared/link.mjs";
import { CanvasPainter, contextOf } from "../shared/paint.mjs";
import { TableTwin, mounting, perFrame, saveButtons } from "../shared/page.mjs";
import { storeOf, withBlob } from "../shared/store.mjs";
import { Controls } from "./controls.mjs";
import { drawFrames, drawStrokes, drawTokens, drawWeights, focusStrokes, strokes } from "./draw.mjs";
import { focusOf, movedBy, pinChange, pinnedTokens, sameToken } from "./focus.mjs";
import { listen } from "./input.mjs";
import { scrolledTo } from "./layout.mjs";
import { MEAN, usualRule } from "./lines.mjs";
import { partsOf } from "./parts.mjs";
import { savedPicture } from "./saved.mjs";
import { Scenes } from "./scene.mjs";
import { countOf, legendOf, sentenceOf, tableOf } from "./words.mjs";

// Lines drawn at once; what is left follows in the next frames. While somebody points, a frame must be short.
const A_FRAME = { lines: 60_000, over: 800 };
const NARROW = 600; // pixels; what is said takes two lines

const remembered = new Map(); // place -> { rule, labels, top }: a view that was closed opens as it was

class HeadView {
  constructor(root) {
    this.root = root;
    this.link = new Link();
    this.scenes = new Scenes(root);
    this.controls = new Controls({
      change: (change) => this.#select(change),
      rule: (rule) => this.#choose(rule),
      tools: saveButtons(() => this.#picture()),
    });
    Object.assign(this, partsOf());
    this.twin = new TableTwin(
      () => this.#table().caption,
      () => this.#table().header,
      () => this.#table().rows,
    );
    root.replaceChildren(this.controls.root, this.scroller, this.said, this.spoken, this.twin.root);
    this.redraw = perFrame(() => this.#draw());
    this.redrawOver = perFrame(() => this.#drawOver());
    this.runs = {}; // what is being drawn on each canvas
    this.closing = new AbortController();
    listen(this, this.closing.signal);
    this.#watchSize();
  }

  /** New data: draw them when their layer is there; until then the picture stays as it is. */
  update(data, setTriggerValue) {
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.link.merged(data); // hears what Python has answered
    this.stopWaiting?.();
    this.stopWaiting = withBlob(storeOf(), data.id, (blob) => {
      this.blob = blob;
      this.drawnData = this.data;
      this.#refresh();
    });
  }

  close() {
    this.closing.abort();
    this.stopWaiting?.();
    this.watch.disconnect();
    this.#remember();
  }

  // --- what is shown ---

  /** The selection as far as this layer's picture goes: what was clicked since shows at once. */
  get selection() {
    return this.link.merged(this.drawnData);
  }

  #refresh() {
    const {
      blob,
      drawnData: { theme, until },
      selection,
    } = this;
    const text = JSON.stringify(blob.extras.labels);
    if (text !== this.text) this.#open(text);
    const rule = this.rule ?? usualRule(blob.extras.labels.length);
    const width = Math.floor(this.scroller.clientWidth);
    this.scene = this.scenes.of({ blob, theme, selection, rule, width, until });
    const { count } = this.scene;
    this.controls.update({ selection, count, colours: theme.heads, rule, lines: countOf(this.scene) });
    this.#place();
    this.#pin(selection);
    this.twin.update();
    this.redraw();
  }

  /** Another text: nothing is current, and the picture stands where it stood when this text was last seen. */
  #open(text) {
    const before = remembered.get(this.data.place);
    if (this.text === undefined) this.rule = before?.rule;
    this.text = text;
    this.hovered = this.cursor = null;
    this.pinned = undefined;
    this.top = before?.labels === text ? before.top : 0;
  }

  #remember() {
    remembered.set(this.data.place, { rule: this.rule, labels: this.text, top: this.scroller.scrollTop });
  }

  #place() {
    const { layout } = this.scene;
    this.root.classList.toggle("narrow", layout.width < NARROW);
    this.scroller.style.height = `${layout.shown}px`;
    this.pane.style.height = `${layout.shown}px`;
    this.content.style.height = `${layout.height}px`;
    if (this.top !== undefined) this.scroller.scrollTop = this.top;
    this.top = undefined;
  }

  /** What is pinned elsewhere comes into view; what is clicked here is there already. */
  #pin(selection) {
    const { positions, ranges } = this.scene;
    const before = this.pinned;
    this.pinned = pinnedTokens(selection, positions, ranges);
    this.hovered = this.inside(this.hovered);
    this.cursor = this.inside(this.cursor);
    const [first] = this.pinned;
    if (first && !before?.some((one) => sameToken(one, first))) this.#show(first);
  }

  /** The token if it is shown and exists, else null. */
  inside(token) {
    const [from, to] = token ? this.scene.ranges[token.side] : [0, 0];
    return token && token.unit >= from && token.unit < to ? token : null;
  }

  #show(token) {
    const { scrollTop, clientHeight } = this.scroller;
    const top = scrolledTo(this.scene.layout, token, scrollTop, clientHeight);
    if (top !== scrollTop) this.scroller.scrollTop = top;
  }

  // --- drawing ---

  get window() {
    return { top: this.scroller.scrollTop, height: this.scene.layout.shown };
  }

  #measure() {
    return this.scenes.measure(this.scene.layout.font, this.scene.colours.font);
  }

  #painter(canvas) {
    const { layout, colours } = this.scene;
    return new CanvasPainter(contextOf(canvas, layout.width, layout.shown), colours.font);
  }

  #draw() {
    const { scene, window: shown } = this;
    if (!scene) return;
    drawTokens(this.#painter(this.tokens), scene, shown, this.#measure());
    this.#drawOver();
    this.#spread("lines", this.#painter(this.lines), strokes(scene, shown), () => this.#say());
  }

  /** Draw lines over as many frames as they take. A newer picture on that canvas ends the drawing of this one. */
  #spread(canvas, painter, runs, then = () => {}) {
    const { scene, window: shown } = this;
    this.runs[canvas] = runs;
    const on = () => {
      if (this.runs[canvas] !== runs) return;
      if (drawStrokes(painter, runs, scene, shown, A_FRAME[canvas])) requestAnimationFrame(on);
      else then();
    };
    on();
  }

  /** What is painted, for whoever waits for it. */
  #say() {
    const heads = this.scene.planes.map(({ head }) => (head === MEAN ? "mean" : head)).join(".");
    this.root.dataset.painted = `${this.drawnData.id}|L${this.selection.layer}|H${heads}`;
  }

  #drawOver() {
    const { scene, window: shown } = this;
    if (!scene) return;
    const painter = this.#painter(this.over);
    const focus = focusOf(this.hovered, this.cursor, this.pinned[0] ?? null);
    this.pane.classList.toggle("alone", focus !== null);
    if (focus) drawWeights(painter, scene, shown, focus);
    drawFrames(painter, scene, shown, this.pinned, this.hovered ?? this.cursor);
    this.#spread("over", painter, focus ? focusStrokes(scene, shown, focus) : [].values());
    this.said.textContent = focus ? sentenceOf(scene, focus) : legendOf(scene);
    this.said.title = focus ? this.said.textContent : "";
    const units = [0, 1].map((side) => (focus?.side === side ? focus.unit : -1));
    this.root.dataset.hovered = units.join(",");
  }

  #picture() {
    const { scene, selection, pinned, window: shown } = this;
    const focus = focusOf(null, this.cursor, pinned[0] ?? null);
    return savedPicture(scene, { layer: selection.layer, focus, pinned, shown, measure: this.#measure() });
  }

  #table() {
    return tableOf(this.scene, this.selection.layer, this.pinned[0]);
  }

  // --- what people do ---

  #select(changes) {
    const { selection } = this;
    if (Object.entries(changes).every(([name, value]) => selection[name] === value)) return;
    this.link.send(changes, this.setTriggerValue);
    this.#refresh();
  }

  #choose(rule) {
    this.rule = rule;
    this.#remember();
    this.#refresh();
  }

  #togglePin(token) {
    const change = pinChange(token, this.pinned, this.scene.positions);
    const pinned_in = this.data.pinned_in;
    this.#select(change.query < 0 && change.key < 0 ? change : { ...change, pinned_in });
    this.#speak();
  }

  #speak() {
    const focus = focusOf(null, this.cursor, this.pinned[0] ?? null);
    const pin = focus && this.pinned.some((one) => sameToken(one, focus)) ? "Pinned. " : "";
    this.spoken.textContent = focus ? pin + sentenceOf(this.scene, focus) : "";
  }

  // --- what input.mjs asks for ---

  hover(token) {
    if (sameToken(token, this.hovered)) return;
    this.hovered = token;
    this.pane.classList.toggle("pointing", token !== null);
    this.redrawOver();
  }

  click(token) {
    this.cursor = null;
    if (token) this.#togglePin(token);
  }

  scrolled() {
    this.#remember();
    this.redraw();
  }

  leave() {
    this.cursor = null;
    this.redrawOver();
  }

  /** Escape. */
  release() {
    this.cursor = this.hovered = null;
    this.redrawOver();
    this.#select({ query: -1, key: -1 });
    this.#speak();
  }

  /** Enter or the space bar; returns whether there is a token to pin or to release. */
  pinCurrent() {
    const current = this.#current();
    if (current) this.#togglePin(current);
    return current !== null;
  }

  /** Any other key; returns whether it moves the current token. */
  move(key) {
    const { layout, ranges } = this.scene;
    const page = Math.floor(layout.shown / layout.row) - 2;
    const start = { side: 0, unit: ranges[0][0] - 1 }; // the first arrow goes to the first token
    const next = movedBy(key, this.#current() ?? start, ranges, page);
    if (!next) return false;
    this.hovered = null;
    this.cursor = next;
    this.#show(next);
    this.#speak();
    this.redrawOver();
    return true;
  }

  #current() {
    return this.cursor ?? this.hovered ?? this.pinned[0] ?? null;
  }

  #watchSize() {
    const resized = perFrame(() => this.scene && !this.closing.signal.aborted && this.#refresh());
    this.watch = new ResizeObserver(() => {
      if (this.scene?.layout.width !== this.scroller.clientWidth) resized();
    });
    this.watch.observe(this.scroller);
    window.addEventListener("resize", resized, { signal: this.closing.signal });
    if (document.fonts.status !== "loaded") document.fonts.ready.then(resized);
  }
}

export default mounting((root) => new HeadView(root));
