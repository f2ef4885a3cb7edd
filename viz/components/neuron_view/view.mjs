// The neuron view: a query, the keys it meets, and how weights come of it. The message is described in __init__.py.
import { Link } from "../shared/link.mjs";
import { button, element, tipPlace } from "../shared/elements.mjs";
import { TableTwin, coloursOf, mounting, perFrame, saveButtons } from "../shared/page.mjs";
import { CanvasPainter, contextOf } from "../shared/paint.mjs";
import { storeOf, withBlob } from "../shared/store.mjs";
import { headOf } from "./maths.mjs";
import { moved, neighbour, scrolledTo } from "./moves.mjs";
import { HEADING, ROW, columnAt, drawHeading, drawRows, shadesOf } from "./picture.mjs";
import { place, savedPicture, typeset } from "./places.mjs";
import { QueryList } from "./queries.mjs";
import { dimensionText, formulaOf, sceneOf, tableHeader, tableRows } from "./scene.mjs";

const MOST_ROWS = 16; // on the page; more scroll inside
const SOME_ROWS = 6; // around a key that is pinned elsewhere
const NARROWEST = 640; // of a saved picture
const NOTHING = -1;
const DARK = { key: null, dimension: null }; // nothing is lit

class NeuronView {
  constructor(root) {
    this.root = root;
    this.link = new Link();
    this.lit = DARK;
    this.pointer = null;
    this.text = document.createElement("canvas").getContext("2d");
    this.redraw = perFrame(() => this.draw());
    this.build();
    this.listen();
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.frame);
  }

  build() {
    this.title = element("span", "title");
    this.toggles = [
      this.toggle("Keys by weight", "byWeight", "The keys with the largest weight first"),
      this.toggle("Dimensions by |q × k|", "bySize", "The pinned key's largest products first, or the strongest key's"),
    ];
    const end = element("span", "end");
    end.append(...saveButtons(() => this.picture()));
    this.bar = element("div", "bar");
    this.bar.append(this.title, ...this.toggles, end);
    this.queries = new QueryList((position) => this.choose(position));
    [this.rule, this.numbers] = [element("p", "rule"), element("p", "numbers")];
    this.formula = element("div", "formula");
    this.formula.append(this.rule, this.numbers);
    [this.headCanvas, this.rowCanvas] = [element("canvas", "heading"), element("canvas", "rows")];
    this.scroller = element("div", "scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "group");
    this.sheet = element("div", "sheet");
    this.sheet.append(this.rowCanvas);
    this.scroller.append(this.sheet);
    this.frame = element("div", "frame");
    this.frame.append(this.headCanvas, this.scroller);
    this.spoken = element("div", "spoken");
    this.spoken.setAttribute("aria-live", "polite");
    this.tip = element("div", "tip");
    this.tip.setAttribute("popover", "manual"); // the top layer: no container of the page can clip it
    const caption = () => `L${this.head.layer} H${this.head.head}, query ${this.head.labels[this.scene.query]}`;
    this.twin = new TableTwin(
      caption,
      () => tableHeader(this.scene),
      () => tableRows(this.scene),
    );
    const parts = [this.bar, this.queries.root, this.formula, this.frame, this.spoken, this.tip, this.twin.root];
    this.root.replaceChildren(...parts);
  }

  toggle(text, name, title) {
    const made = button(
      text,
      () => {
        this.controls[name] = !this.controls[name];
        this.refresh();
      },
      { title },
    );
    made.dataset.control = name;
    return made;
  }

  listen() {
    for (const canvas of [this.headCanvas, this.rowCanvas]) {
      const point = (event) => {
        this.pointer = { canvas, x: event.clientX, y: event.clientY };
        this.point();
      };
      canvas.addEventListener("pointermove", point);
      canvas.addEventListener("pointerdown", point); // a finger comes without moving
      canvas.addEventListener("pointerleave", () => {
        this.pointer = null;
        this.light(DARK);
      });
    }
    this.rowCanvas.addEventListener("click", () => this.pin(this.lit.key));
    this.scroller.addEventListener(
      "scroll",
      () => {
        this.point();
        this.redraw();
      },
      { passive: true },
    );
    for (const part of [this.queries.root, this.scroller]) {
      part.addEventListener("keydown", (event) => this.press(event));
      part.addEventListener("focusout", () => {
        if (!this.pointer) this.light(DARK);
      });
    }
  }

  /** New data from Python, the same again, or another theme. */
  update(data, setTriggerValue) {
    this.data = data;
    this.send = (changes) => this.link.send({ ...changes, pinned_in: data.pinned_in }, setTriggerValue);
    this.controls = (storeOf().neuron ??= {})[data.pinned_in] ??= { byWeight: false, bySize: false };
    this.shades = shadesOf(data.theme.diverging);
    this.giveUp?.();
    this.giveUp = withBlob(storeOf(), data.id, (blob) => {
      if (blob !== this.blob) Object.assign(this, { blob, head: headOf(blob), lit: DARK });
      this.refresh();
    });
  }

  close() {
    this.giveUp?.();
    this.observer.disconnect();
    if (this.tip.matches(":popover-open")) this.tip.hidePopover();
  }

  /** Everything that follows from the selection and the controls. */
  refresh() {
    if (!this.head) return;
    const before = this.scene;
    const selection = this.link.merged(this.data);
    const scene = sceneOf(this.head, selection, this.controls, this.data.special, before);
    const { heads } = this.data.theme;
    const accent = heads[this.head.head % heads.length];
    const colours = coloursOf(this.root);
    this.scene = Object.assign(scene, { colours, accent, scale: this.shades, muted: this.data.theme.muted });
    this.root.style.setProperty("--accent", accent);
    this.title.textContent = `L${this.head.layer} H${this.head.head}`;
    for (const toggle of this.toggles)
      toggle.setAttribute("aria-pressed", String(this.controls[toggle.dataset.control]));
    this.queries.show(this.head, scene.shown.queries, scene.query);
    this.bar.hidden = this.frame.hidden = this.twin.root.hidden = scene.empty;
    if (scene.empty) {
      this.rule.textContent = "No token is left to show.";
      this.numbers.replaceChildren();
      return;
    }
    if (this.lit.key !== null && !scene.rows.includes(this.lit.key)) this.lit = DARK;
    typeset(scene, this.text, before);
    const spoken = `Keys of ${this.head.labels[scene.query]}. Arrows up and down walk them, left and right the queries.`;
    this.scroller.setAttribute("aria-label", spoken);
    this.fit();
    if (scene.pinned !== NOTHING && scene.pinned !== before?.pinned) this.reveal(scene.pinned, SOME_ROWS);
    this.twin.update();
  }

  /** Fit the picture to the width that there is. */
  fit() {
    const { scene } = this;
    if (!scene || scene.empty || !this.frame.clientWidth) return;
    const height = Math.min(scene.rows.length, MOST_ROWS) * ROW;
    this.sheet.style.height = `${scene.rows.length * ROW}px`;
    this.scroller.style.height = `${height}px`;
    this.scroller.style.minWidth = "";
    place(scene, { width: this.scroller.clientWidth, ratio: window.devicePixelRatio, left: 8 });
    this.scroller.style.minWidth = `${scene.layout.right}px`; // where it is wider than the page, the frame scrolls
    this.draw();
  }

  draw() {
    const { scene } = this;
    if (!scene?.layout || scene.empty) return;
    scene.lit = this.lit;
    const { scroller } = this;
    const { font } = scene.colours;
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    drawHeading(new CanvasPainter(contextOf(this.headCanvas, width, HEADING), font), scene);
    const first = Math.floor(scroller.scrollTop / ROW);
    const last = Math.min(scene.rows.length, Math.ceil((scroller.scrollTop + height) / ROW));
    const painter = new CanvasPainter(contextOf(this.rowCanvas, width, height), font);
    drawRows(painter, scene, first, last, first * ROW - scroller.scrollTop);
    this.showFormula();
    this.showTip();
    const { layer, head } = this.link.merged(this.data);
    this.root.dataset.painted = `${this.data.id}|L${layer}|H${head}`;
  }

  showFormula() {
    const { rule, rest, numbers, from, to } = formulaOf(this.scene, this.lit.key ?? this.scene.first);
    this.rule.textContent = rest ? `${rule}.  ${rest}` : rule;
    const steps = numbers.map((step, index) => element("span", "step", index ? `,  ${step}` : step));
    this.numbers.replaceChildren(element("span", "token", from), " → ", element("span", "token", to), ":  ", ...steps);
  }

  showTip() {
    const {
      lit: { key, dimension },
      scene: { layout, dimensions, rows },
      tip,
    } = this;
    const open = tip.matches(":popover-open");
    if (dimension === null) {
      if (open) tip.hidePopover();
      return;
    }
    tip.textContent = dimensionText(this.scene, key, dimension);
    if (!open) tip.showPopover();
    const canvas = key === null ? this.headCanvas : this.rowCanvas;
    const box = canvas.getBoundingClientRect();
    const inProduct = this.pointer !== null && this.pointer.x - box.left >= layout.product;
    const left = (inProduct ? layout.product : layout.key) + dimensions.indexOf(dimension) * layout.cell;
    const bottom = key === null ? HEADING / 2 : (rows.indexOf(key) + 1) * ROW - this.scroller.scrollTop;
    const anchor = { left: box.left + left, top: box.top + bottom - ROW, bottom: box.top + bottom };
    const viewport = { width: window.innerWidth, height: window.innerHeight };
    const at = tipPlace(anchor, tip.getBoundingClientRect(), viewport);
    tip.style.left = `${at.left}px`;
    tip.style.top = `${at.top}px`;
  }

  /** What lies under the pointer. */
  point() {
    const { pointer, scene } = this;
    if (!pointer || !scene?.layout || scene.empty) return;
    const box = pointer.canvas.getBoundingClientRect();
    const column = columnAt(scene.layout, pointer.x - box.left);
    const row = Math.floor((pointer.y - box.top + this.scroller.scrollTop) / ROW);
    const key = pointer.canvas === this.rowCanvas ? (scene.rows[row] ?? null) : null;
    this.light({ key, dimension: column === null ? null : scene.dimensions[column] });
  }

  light(lit) {
    const { key, dimension } = this.lit;
    this.lit = lit;
    if (lit.key !== key || lit.dimension !== dimension) this.redraw();
  }

  /** Scroll until a key's row is seen; one that was not gets some rows around it. */
  reveal(key, around = 0) {
    const { scroller, scene } = this;
    const [top, height, start] = [scroller.scrollTop, scroller.clientHeight, scene.rows.indexOf(key) * ROW];
    if (scrolledTo(top, height, start, ROW) === top) return;
    scroller.scrollTop = scrolledTo(top, height, start - around * ROW, (2 * around + 1) * ROW);
  }

  press(event) {
    const { scene, lit } = this;
    if (!scene?.layout || scene.empty || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = lit.key === null ? null : scene.rows.indexOf(lit.key);
    const row = moved(
      event.key,
      at ?? (event.key === "ArrowUp" ? scene.rows.length : -1),
      scene.rows.length,
      MOST_ROWS - 1,
    );
    if (step && event.shiftKey) this.walk(step);
    else if (step) this.choose(neighbour(scene.shown.queries, scene.query, step));
    else if (row !== null) this.visit(scene.rows[row]);
    else if (event.key === "Escape") this.release();
    else if (event.key === "Enter" || event.key === " ") this.pin(lit.key);
    else return;
    event.preventDefault();
  }

  /** Shift and an arrow: the next dimension, as it stands in the picture. */
  walk(step) {
    const { scene, lit } = this;
    const key = lit.key ?? scene.first;
    const dimension = lit.dimension === null ? scene.dimensions[0] : neighbour(scene.dimensions, lit.dimension, step);
    this.pointer = null;
    this.reveal(key);
    this.light({ key, dimension });
    this.spoken.textContent = dimensionText(scene, key, dimension);
  }

  /** An arrow up or down: the next key. */
  visit(key) {
    this.pointer = null;
    this.reveal(key);
    this.light({ ...this.lit, key });
    const { from, to, numbers } = formulaOf(this.scene, key);
    this.spoken.textContent = `${from} to ${to}: ${numbers.join(", ")}`;
  }

  choose(query) {
    if (query === this.link.merged(this.data).query) return;
    // Both tokens, because those that were pinned may be of the other sentence.
    this.send({ query, key: this.scene.pinned ?? NOTHING });
    this.refresh();
  }

  pin(key) {
    if (key === null) return;
    this.send({ query: this.scene.query, key: key === this.scene.pinned ? NOTHING : key });
    this.refresh();
  }

  /** Escape: what is lit, then the pinned key, then the pinned query. */
  release() {
    const { query, key } = this.link.merged(this.data);
    if (this.lit !== DARK) this.light(DARK);
    else if (key !== NOTHING) this.send({ query, key: NOTHING });
    else if (query !== NOTHING) this.send({ query: NOTHING, key: NOTHING });
    this.refresh();
  }

  /** The whole picture, to be saved. */
  picture() {
    const width = Math.max(this.scroller.clientWidth, NARROWEST);
    return savedPicture({ ...this.scene, lit: DARK }, width);
  }
}

export default mounting((root) => new NeuronView(root));
