// The neuron view: a query, its keys, and how the weights are computed. The message is described in __init__.py.
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { button, describe, element, setPressed } from "../shared/elements.mjs";
import { ENDS, VERTICAL, movedWithin, pages } from "../shared/keys.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { MEAN, NOTHING, headName } from "../shared/selection.mjs";
import { mounting } from "../shared/view.mjs";
import { boxOf, densityOf, pointIn } from "../shared/zoom.mjs";
import { UNLIT, drawHeading, drawRows, laidOut, savedPicture, shadesOf, typeset } from "./draw.mjs";
import { HEADING, MOST_ROWS, ROW, anchorOf, columnAt, neighbour, rowsIn, scaleIn, scrolledTo } from "./layout.mjs";
import { CachedHead, chosenQuery, shownPositions } from "./maths.mjs";
import { dimensionText, formulaOf, newlyPointed, pointedAt, sceneOf, tableOf } from "./scene.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { ViewData as NeuronData } from "../shared/types.mjs" */
/** @import { Drawing, Lit, Typeset } from "./draw.mjs" */
/** @import { Head, NeuronMessage } from "./maths.mjs" */
/** @import { Controls } from "./scene.mjs" */

/** @type {Map<string, Controls>} */
const lastControls = new Map();

/** @param {string} text @returns {Controls} */
function controlsOf(text) {
  return lastControls.get(text) ?? { byWeight: false, bySize: false };
}

/** @param {string} text @param {keyof Controls} control */
function toggleControl(text, control) {
  const controls = controlsOf(text);
  lastControls.set(text, { ...controls, [control]: !controls[control] });
}

/** @type {readonly [control: keyof Controls, text: string, title: string][]} */
const TOGGLES = [
  ["byWeight", "Keys by weight", "The keys with the largest weight first"],
  ["bySize", "Dimensions by |q × k|", "The pinned key's largest products first, or the strongest key's"],
];

const NO_TOKEN = "No token is left to show.";
const NO_HEAD = "A mean over heads has no queries and keys of its own: choose one head.";

/** The bar: the head's name, the sort toggles and the menu. */
class Bar {
  /** @param {(control: keyof Controls) => void} toggle @param {HTMLElement} menu */
  constructor(toggle, menu) {
    this.root = element("div", "bar");
    this.title = element("span", "title");
    this.toggles = TOGGLES.map(([control, text, title]) => ({
      control,
      root: button(text, () => toggle(control), { title }),
    }));
    const end = element("span", "end", menu);
    this.root.append(this.title, ...this.toggles.map(({ root }) => root), end);
  }

  /** @param {{ layer: number, head: number }} head @param {Controls} controls */
  update({ layer, head }, controls) {
    this.title.textContent = headName(layer, head);
    for (const { control, root } of this.toggles) setPressed(root, controls[control]);
  }
}

/** The formula, and its steps with numbers. */
class Formula {
  constructor() {
    this.root = element("div", "formula");
    this.rule = element("p", "rule");
    this.numbers = element("p", "numbers");
    this.root.append(this.rule, this.numbers);
  }

  /** @param {{ rule: string, rest: string, numbers: string[], from: string, to: string }} formula */
  show({ rule, rest, numbers, from, to }) {
    this.rule.textContent = rest ? `${rule}.  ${rest}` : rule;
    const steps = numbers.flatMap((step, index) => [index ? ",  " : ":  ", element("span", "step", step)]);
    this.numbers.replaceChildren(element("span", "token", from), " → ", element("span", "token", to), ...steps);
  }

  /** @param {string} reason */
  showEmpty(reason) {
    this.rule.textContent = reason;
    this.numbers.replaceChildren();
  }
}

/** The canvases: a heading, and rows that scroll. */
function frameParts() {
  const heading = element("canvas", "heading");
  const rows = element("canvas", "rows");
  const scroller = element("div", "scroller");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  const sheet = element("div", "sheet"); // as high as all rows
  sheet.append(rows);
  scroller.append(sheet);
  const frame = element("div", "frame scrolls", heading, scroller);
  return { frame, heading, rows, scroller, sheet };
}

class QueryList {
  #key = "";
  #chosen = NOTHING;

  /** @param {(position: number) => void} choose */
  constructor(choose) {
    this.root = element("div", "queries");
    describe(this.root, "listbox", "Query");
    this.root.setAttribute("aria-orientation", "horizontal");
    this.root.addEventListener("click", ({ target }) => {
      const chip = target instanceof HTMLElement ? target.closest(".query") : null;
      if (chip instanceof HTMLElement) choose(Number(chip.dataset.position));
    });
  }

  /**
   * Show the tokens at some positions, one of them chosen.
   * @param {Pick<Head, "labels" | "special" | "first">} head @param {readonly number[]} positions @param {number} chosen
   * @param {readonly Point[]} [points] what a stop of a tour points at
   */
  show({ labels, special, first = 0 }, positions, chosen, points = []) {
    const pointed = pointedAt(points, chosen).queries;
    const key = JSON.stringify([labels, positions, first, [...pointed]]);
    if (key === this.#key && chosen === this.#chosen) return;
    const hasFocus = this.#hasFocus();
    if (key !== this.#key) {
      this.root.replaceChildren(
        ...positions.map((position) => {
          const chip = queryChip(labels[position], special[position], position, first);
          chip.classList.toggle("pointed", pointed.has(position));
          return chip;
        }),
      );
      this.#key = key;
    }
    this.#mark(chosen, hasFocus);
  }

  #hasFocus() {
    const page = this.root.getRootNode();
    const isPage = page instanceof Document || page instanceof ShadowRoot;
    return isPage && this.root.contains(page.activeElement);
  }

  /** @param {number} chosen @param {boolean} hasFocus */
  #mark(chosen, hasFocus) {
    this.#chosen = chosen;
    const { root } = this;
    for (const chip of root.children) {
      if (!(chip instanceof HTMLElement)) continue;
      const isChosen = Number(chip.dataset.position) === chosen;
      chip.setAttribute("aria-selected", String(isChosen));
      chip.tabIndex = isChosen ? 0 : -1;
      if (!isChosen) continue;
      if (hasFocus) chip.focus({ preventScroll: true });
      root.scrollTop = scrolledTo(root.scrollTop, root.clientHeight, chip.offsetTop - 3, chip.offsetHeight + 6);
    }
  }
}

/** @param {string} label @param {boolean} isSpecial @param {number} position @param {number} first of the excerpt */
function queryChip(label, isSpecial, position, first) {
  const chip = element("div", isSpecial ? "query special" : "query", label);
  chip.dataset.position = String(position);
  chip.title = `${label}, position ${first + position}`;
  chip.setAttribute("role", "option");
  return chip;
}

const SOME_ROWS = 6; // rows shown around a key that was pinned in another view
const NARROWEST = 640; // of a saved picture
const LEFT = 8; // margin
const KEY_STEPS = { ...VERTICAL, ...pages(MOST_ROWS - 1), ...ENDS };

/** @extends {PictureView<NeuronData, NeuronMessage>} */
class NeuronView extends PictureView {
  /** @type {Typeset | null} null if every token is hidden */
  scene = null;
  /** @type {Drawing | null} the scene at the present width */
  drawing = null;
  lit = UNLIT;
  heads = new CachedHead();
  /** @type {{ canvas: HTMLCanvasElement, x: number, y: number } | null} */
  pointer = null;

  /** @param {HTMLElement} root @param {NeuronData} data */
  constructor(root, data) {
    super(root, data);
    this.bar = new Bar((control) => this.#toggle(control), this.menu.root);
    this.queries = new QueryList((position) => this.#choose(position));
    this.formula = new Formula();
    this.parts = frameParts();
    const { spoken, tip, twin, parts } = this;
    const above = [this.bar.root, this.queries.root, this.formula.root];
    root.replaceChildren(this.notice, ...above, parts.frame, this.removed.root, spoken, tip.root, twin.root);
    this.watchSize(parts.frame, () => this.resize());
    this.#listen();
  }

  #listen() {
    const { heading, rows, scroller } = this.parts;
    for (const canvas of [heading, rows]) {
      /** @param {PointerEvent} event */
      const point = (event) => {
        this.pointer = { canvas, ...pointIn(canvas, event) };
        this.#point();
      };
      this.listen(canvas, "pointermove", point);
      this.listen(canvas, "pointerdown", point); // touch sends no move first
      this.listen(canvas, "pointerleave", () => {
        this.pointer = null;
        this.#light(UNLIT);
      });
    }
    this.listen(rows, "click", () => this.#pin(this.lit.key));
    const scrolled = () => {
      this.#point();
      this.draw();
    };
    this.listen(scroller, "scroll", scrolled, { passive: true });
    for (const target of [this.queries.root, scroller]) {
      this.listenToKeys(target, (event) => this.#press(event));
      this.listen(target, "focusout", () => {
        if (!this.pointer) this.#light(UNLIT);
      });
    }
  }

  /** @override */
  refresh() {
    const { data, message, root, parts } = this;
    if (!message) return;
    const controls = controlsOf(data.texts[0]);
    const { selection } = this;
    this.showRemoved([selection.head]);
    if (selection.head === MEAN) return this.#showNothing(NO_HEAD);
    const head = this.heads.of(message, selection.head);
    const shown = shownPositions(head, { hidden: data.special !== "show", sentences: selection.sentences });
    const query = chosenQuery(shown.queries, head.special, [selection.query, ...(data.first_queries ?? [])]);
    const accent = data.theme.heads[head.head % data.theme.heads.length];
    root.style.setProperty("--accent", accent);
    this.bar.update(head, controls);
    this.queries.show(head, shown.queries, query ?? NOTHING, selection.points);
    if (query === undefined || shown.keys.length === 0) return this.#showNothing(NO_TOKEN);
    this.#hide(false);
    const before = this.scene;
    const scene = sceneOf(head, shown, query, { selection, controls, special: data.special }, before);
    const { muted, diverging } = data.theme;
    const style = { colours: coloursOf(root), accent, muted, shades: shadesOf(diverging) };
    this.scene = typeset(scene, style, this.measuring, before);
    const isLitKept = head === before?.head && (this.lit.key === null || scene.rows.includes(this.lit.key));
    if (!isLitKept) this.lit = UNLIT;
    const label = `Keys of ${head.labels[query]}${this.ofWhich}. Arrows up and down walk them, left and right the queries.`;
    parts.scroller.setAttribute("aria-label", label);
    this.resize();
    const pointed = newlyPointed(scene, before);
    if (scene.pinned !== NOTHING && scene.pinned !== before?.pinned) this.#reveal(scene.pinned, SOME_ROWS);
    else if (pointed !== null) this.#reveal(pointed);
    this.twin.update();
  }

  /** @param {boolean} hidden */
  #hide(hidden) {
    for (const part of [this.bar.root, this.queries.root, this.parts.frame, this.twin.root]) part.hidden = hidden;
  }

  /** @param {string} reason */
  #showNothing(reason) {
    this.#hide(true);
    this.scene = this.drawing = null;
    this.formula.showEmpty(reason);
    this.notePainted([this.selection.head]);
  }

  /** Fit the picture to the width of the page. */
  resize() {
    const { scene, parts } = this;
    if (!scene || !parts.frame.clientWidth) return;
    const { frame, scroller, sheet } = parts;
    frame.style.zoom = "1";
    const room = this.roomOnStage(frame);
    const scale = scaleIn(room, scene.rows.length);
    frame.style.zoom = String(scale);
    sheet.style.height = `${scene.rows.length * ROW}px`;
    scroller.style.height = `${Math.min(scene.rows.length, rowsIn(room === null ? null : room / scale)) * ROW}px`;
    scroller.style.minWidth = "";
    this.drawing = laidOut(scene, { width: scroller.clientWidth, ratio: densityOf(scroller), left: LEFT });
    scroller.style.minWidth = `${this.drawing.layout.right}px`; // if it is wider than the page, the frame scrolls
    this.paint();
  }

  // --- drawing ---

  /** @override */
  paint() {
    const { drawing, lit, parts } = this;
    if (!drawing) return;
    const { heading, rows, scroller } = parts;
    const { font } = drawing.colours;
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    drawHeading(painterOn(heading, { width, height: HEADING }, font), drawing, lit);
    const first = Math.floor(scroller.scrollTop / ROW);
    const end = Math.min(drawing.rows.length, Math.ceil((scroller.scrollTop + height) / ROW));
    drawRows(painterOn(rows, { width, height }, font), drawing, lit, first, end, first * ROW - scroller.scrollTop);
    this.formula.show(formulaOf(drawing, lit.key ?? drawing.first));
    this.#showTip(drawing);
    this.notePainted([this.selection.head]);
  }

  /** @param {Drawing} drawing */
  #showTip(drawing) {
    const { lit, parts, pointer } = this;
    const { key, dimension } = lit;
    if (dimension === null) return this.tip.hide();
    const box = boxOf(key === null ? parts.heading : parts.rows);
    const isOverProduct = pointer !== null && pointer.x - box.left >= drawing.layout.product;
    const [row, column] = [key === null ? null : drawing.rows.indexOf(key), drawing.dimensions.indexOf(dimension)];
    const anchor = anchorOf(drawing.layout, { row, column, isOverProduct }, box, parts.scroller.scrollTop);
    const scale = Number(parts.frame.style.zoom);
    const { left, right, top, bottom } = anchor;
    const there = { left: left * scale, right: right * scale, top: top * scale, bottom: bottom * scale };
    this.tip.showBelow([dimensionText(drawing, key, dimension)], there);
  }

  /** @override */
  table() {
    return this.scene && tableOf(this.scene);
  }

  /** @override */
  picture() {
    return this.scene && savedPicture(this.scene, Math.max(this.parts.scroller.clientWidth, NARROWEST));
  }

  // --- pointer and keys ---

  /** Highlight the cell under the pointer. */
  #point() {
    const { pointer, drawing, parts } = this;
    if (!pointer || !drawing) return;
    const box = boxOf(pointer.canvas);
    const column = columnAt(drawing.layout, pointer.x - box.left);
    const row = Math.floor((pointer.y - box.top + parts.scroller.scrollTop) / ROW);
    const key = pointer.canvas === parts.rows ? (drawing.rows[row] ?? null) : null;
    this.#light({ key, dimension: column === null ? null : drawing.dimensions[column] });
  }

  /** @param {Lit} lit */
  #light(lit) {
    const { key, dimension } = this.lit;
    this.lit = lit;
    if (lit.key !== key || lit.dimension !== dimension) this.draw();
  }

  /**
   * Scroll a key's row into view, with some rows around it if it was out of view.
   * @param {number} key @param {number} around
   */
  #reveal(key, around = 0) {
    const { drawing, parts } = this;
    if (!drawing) return;
    const { scrollTop: top, clientHeight: height } = parts.scroller;
    const start = drawing.rows.indexOf(key) * ROW;
    if (scrolledTo(top, height, start, ROW) === top) return;
    parts.scroller.scrollTop = scrolledTo(top, height, start - around * ROW, (2 * around + 1) * ROW);
  }

  /** @param {KeyboardEvent} event */
  #press({ key, shiftKey }) {
    const { scene, lit } = this;
    if (!scene) return false;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const count = scene.rows.length;
    const beside = key === "ArrowUp" ? count : -1; // the row before the first or after the last
    const row = movedWithin(key, lit.key === null ? beside : scene.rows.indexOf(lit.key), [0, count], KEY_STEPS);
    if (step && shiftKey) this.#walkDimensions(scene, step);
    else if (step) this.#choose(neighbour(scene.queries, scene.query, step));
    else if (row !== null) this.#visit(scene, scene.rows[row]);
    else if (key === "Escape") this.#release();
    else if (key === "Enter" || key === " ") this.#pin(lit.key);
    else return false;
    return true;
  }

  /** Highlight the next dimension in the rendered order. @param {Typeset} scene @param {number} step */
  #walkDimensions(scene, step) {
    const { lit } = this;
    const key = lit.key ?? scene.first;
    const dimension = lit.dimension === null ? scene.dimensions[0] : neighbour(scene.dimensions, lit.dimension, step);
    this.pointer = null;
    this.#reveal(key);
    this.#light({ key, dimension });
    this.spoken.textContent = dimensionText(scene, key, dimension);
  }

  /** Highlight another key. @param {Typeset} scene @param {number} key */
  #visit(scene, key) {
    this.pointer = null;
    this.#reveal(key);
    this.#light({ ...this.lit, key });
    const { from, to, numbers } = formulaOf(scene, key);
    this.spoken.textContent = `${from} to ${to}: ${numbers.join(", ")}`;
  }

  // --- changes by the user ---

  /** @param {keyof Controls} control */
  #toggle(control) {
    toggleControl(this.data.texts[0], control);
    this.refresh();
  }

  /** @param {number} query */
  #choose(query) {
    // Sends both tokens, because the pinned ones may belong to the other sentence.
    if (query !== this.selection.query) this.pin({ query, key: this.scene?.pinned ?? NOTHING });
  }

  /** @param {number | null} key */
  #pin(key) {
    const { scene } = this;
    if (key !== null && scene) this.pin({ query: scene.query, key: key === scene.pinned ? NOTHING : key });
  }

  /** Escape clears the highlight, else the pinned key, else the pinned query. */
  #release() {
    const { query, key } = this.selection;
    if (this.lit !== UNLIT) this.#light(UNLIT);
    else if (key !== NOTHING) this.pin({ query, key: NOTHING });
    else if (query !== NOTHING) this.pin({ query: NOTHING, key: NOTHING });
  }
}

export default await mounting((root, data) => new NeuronView(root, /** @type {NeuronData} */ (data)), import.meta.url);
