// @ts-check
// The neuron view: a query, the keys it meets, and how weights come of it. The message is described in __init__.py.
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { ENDS, VERTICAL, movedWithin, pages } from "../shared/keys.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { MEAN, NOTHING } from "../shared/selection.mjs";
import { mounting } from "../shared/view.mjs";
import { boxOf, densityOf, pointIn } from "../shared/zoom.mjs";
import { controlsOf, toggleControl } from "./controls.mjs";
import { laidOut, typeset } from "./drawing.mjs";
import { HEADING, MOST_ROWS, ROW, anchorOf, columnAt, rowsIn } from "./layout.mjs";
import { LastHead, chosenQuery, shownPositions } from "./maths.mjs";
import { neighbour, scrolledTo } from "./moves.mjs";
import { Bar, Formula, NO_HEAD, NO_TOKEN, frameParts } from "./parts.mjs";
import { UNLIT, drawHeading, drawRows, shadesOf } from "./picture.mjs";
import { newlyPointed } from "./points.mjs";
import { QueryList } from "./queries.mjs";
import { savedPicture } from "./saved.mjs";
import { dimensionText, formulaOf, sceneOf, tableOf } from "./scene.mjs";
/** @import { ViewData as NeuronData } from "../shared/types.mjs" */
/** @import { Drawing, Typeset } from "./drawing.mjs" */
/** @import { NeuronMessage } from "./maths.mjs" */
/** @import { Lit } from "./picture.mjs" */
/** @import { Controls } from "./scene.mjs" */

const SOME_ROWS = 6; // around a key that is pinned elsewhere
const NARROWEST = 640; // of a saved picture
const LEFT = 8; // margin
const KEY_STEPS = { ...VERTICAL, ...pages(MOST_ROWS - 1), ...ENDS };

/** @extends {PictureView<NeuronData, NeuronMessage>} */
class NeuronView extends PictureView {
  /** @type {Typeset | null} null where no token is left to show */
  scene = null;
  /** @type {Drawing | null} the scene at the present width */
  drawing = null;
  lit = UNLIT;
  heads = new LastHead();
  /** @type {{ canvas: HTMLCanvasElement, x: number, y: number } | null} */
  pointer = null;

  /** @param {HTMLElement} root @param {NeuronData} data */
  constructor(root, data) {
    super(root, data);
    this.bar = new Bar((control) => this.#toggle(control), this.saveButtons);
    this.queries = new QueryList((position) => this.#choose(position));
    this.formula = new Formula();
    this.parts = frameParts();
    const { spoken, tip, twin, parts } = this;
    const above = [this.bar.root, this.queries.root, this.formula.root];
    root.replaceChildren(this.notice, ...above, parts.frame, this.removed.root, spoken, tip.root, twin.root);
    this.draw = this.perFrame(() => this.paint());
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
      this.listen(canvas, "pointerdown", point); // a finger comes without moving
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
    const query = chosenQuery(shown.queries, head.special, selection.query);
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
    const label = `Keys of ${head.labels[query]}. Arrows up and down walk them, left and right the queries.`;
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
    const { scroller, sheet } = parts;
    sheet.style.height = `${scene.rows.length * ROW}px`;
    scroller.style.height = `${Math.min(scene.rows.length, rowsIn(this.roomOnStage(parts.frame))) * ROW}px`;
    scroller.style.minWidth = "";
    this.drawing = laidOut(scene, { width: scroller.clientWidth, ratio: densityOf(scroller), left: LEFT });
    scroller.style.minWidth = `${this.drawing.layout.right}px`; // where it is wider than the page, the frame scrolls
    this.paint();
  }

  // --- drawing ---

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
    this.tip.showBelow([dimensionText(drawing, key, dimension)], anchor);
  }

  /** @override */
  table() {
    return this.scene && tableOf(this.scene);
  }

  /** @override */
  picture() {
    return this.scene && savedPicture(this.scene, Math.max(this.parts.scroller.clientWidth, NARROWEST));
  }

  // --- what pointer and keys do ---

  /** Light what lies under the pointer. */
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
   * Scroll until a key's row is seen; one that was not gets some rows around it.
   * @param {number} key
   * @param {number} around
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
    const beside = key === "ArrowUp" ? count : -1; // from where the first arrow enters the rows
    const row = movedWithin(key, lit.key === null ? beside : scene.rows.indexOf(lit.key), [0, count], KEY_STEPS);
    if (step && shiftKey) this.#walkDimensions(scene, step);
    else if (step) this.#choose(neighbour(scene.queries, scene.query, step));
    else if (row !== null) this.#visit(scene, scene.rows[row]);
    else if (key === "Escape") this.#release();
    else if (key === "Enter" || key === " ") this.#pin(lit.key);
    else return false;
    return true;
  }

  /**
   * Light the next dimension, as it stands in the picture.
   * @param {Typeset} scene
   * @param {number} step
   */
  #walkDimensions(scene, step) {
    const { lit } = this;
    const key = lit.key ?? scene.first;
    const dimension = lit.dimension === null ? scene.dimensions[0] : neighbour(scene.dimensions, lit.dimension, step);
    this.pointer = null;
    this.#reveal(key);
    this.#light({ key, dimension });
    this.spoken.textContent = dimensionText(scene, key, dimension);
  }

  /**
   * Light another key.
   * @param {Typeset} scene
   * @param {number} key
   */
  #visit(scene, key) {
    this.pointer = null;
    this.#reveal(key);
    this.#light({ ...this.lit, key });
    const { from, to, numbers } = formulaOf(scene, key);
    this.spoken.textContent = `${from} to ${to}: ${numbers.join(", ")}`;
  }

  // --- what people change ---

  /** @param {keyof Controls} control */
  #toggle(control) {
    toggleControl(this.data.texts[0], control);
    this.refresh();
  }

  /** @param {number} query @param {number} key */
  #select(query, key) {
    this.send({ query, key, pinned_in: this.data.texts[0] });
  }

  /** @param {number} query */
  #choose(query) {
    // Both tokens are sent, because those that were pinned may be of the other sentence.
    if (query !== this.selection.query) this.#select(query, this.scene?.pinned ?? NOTHING);
  }

  /** @param {number | null} key */
  #pin(key) {
    const { scene } = this;
    if (key !== null && scene) this.#select(scene.query, key === scene.pinned ? NOTHING : key);
  }

  /** Escape: release what is lit, else the pinned key, else the pinned query. */
  #release() {
    const { query, key } = this.selection;
    if (this.lit !== UNLIT) this.#light(UNLIT);
    else if (key !== NOTHING) this.#select(query, NOTHING);
    else if (query !== NOTHING) this.#select(NOTHING, NOTHING);
  }
}

export default await mounting((root, data) => new NeuronView(root, /** @type {NeuronData} */ (data)), import.meta.url);
