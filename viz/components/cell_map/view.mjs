// The heat map of many tokens. What it is told is described in __init__.py.
import { Link } from "../shared/link.mjs";
import { coloursOf, mounting, perFrame } from "../shared/page.mjs";
import { CanvasPainter, contextOf } from "../shared/paint.mjs";
import { storeOf, withBlob } from "../shared/store.mjs";
import { unitOf } from "../shared/units.mjs";
import { inBlock, nearestIn, sizeOf } from "./block.mjs";
import { Images } from "./cells.mjs";
import { drawBox, drawCells, drawCross, fitLabels, labelFont, layoutOf } from "./draw.mjs";
import {
  WHOLE,
  cellAt,
  cellSize,
  clamped,
  enlarged,
  inView,
  labelStep,
  largestZoom,
  movedCell,
  panned,
  placeOfCell,
  pointAt,
  revealing,
  zoomedAt,
} from "./frame.mjs";
import { listen } from "./input.mjs";
import { legendOf } from "./marks.mjs";
import { partsOf } from "./parts.mjs";
import { sceneOf } from "./scene.mjs";
import { NO_CELLS, cellLines, howOf, noteOf, sizeInWords, spokenCell } from "./words.mjs";

const HOW = "Arrow keys move, Enter selects, Escape releases, plus and minus zoom, 0 shows all.";
const NOTHING = -1;
const lastFrames = new Map(); // place -> { text, frame }: the part in view outlives the view, which others replace

class CellMap {
  constructor(root) {
    this.link = new Link();
    this.images = new Images();
    this.aborter = new AbortController();
    this.draw = perFrame(() => this.paint());
    this.drawOver = perFrame(() => this.paintOver());
    Object.assign(this, partsOf(root, this));
    root.hidden = true; // until there is something to show
    this.observer = new ResizeObserver(() => {
      if (root.clientWidth !== this.width) this.resize();
    });
    this.observer.observe(root);
    const { signal } = this.aborter;
    window.addEventListener("resize", () => this.resize(), { signal }); // its height, and its pixels on another screen
    window.addEventListener("scroll", () => this.leave(), { signal, capture: true, passive: true });
    listen(this.over, this, signal);
  }

  /** New data: the same layer is there at once, another one when it arrives. */
  update(data, setTriggerValue) {
    this.setTriggerValue = setTriggerValue;
    this.stopWaiting?.();
    this.stopWaiting = withBlob(storeOf(), data.id, (blob) => this.show(blob, data));
  }

  show(blob, data) {
    Object.assign(this, { blob, data });
    this.root.hidden = false;
    this.refresh();
  }

  /** Everything that follows from the data, the colours and the size of the page. */
  refresh() {
    const { blob, data } = this;
    const selection = this.link.merged(data);
    this.scene = sceneOf(blob, data, selection, coloursOf(this.stage), this.scene);
    const { labels, positions, block } = this.scene;
    this.pinned = { row: unitOf(positions, selection.query), column: unitOf(positions, selection.key) };
    this.open([selection.sentences, ...labels].join("\n"));
    this.over.setAttribute("aria-label", `Attention weights of ${data.title}, ${sizeInWords(block)}. ${HOW}`);
    this.resize();
    this.twin.update();
  }

  /** Another text or another block of it opens as it was when it was last seen; what is pointed at may be gone. */
  open(text) {
    const { existing } = this.scene;
    const kept = (cell) => (text === this.text && cell && inBlock(existing, cell) ? cell : null);
    [this.hovered, this.cursor] = [kept(this.hovered), kept(this.cursor)];
    if (text === this.text) return;
    const last = lastFrames.get(this.data.place);
    this.frame = last?.text === text ? last.frame : WHOLE;
    this.text = text;
  }

  resize() {
    if (!this.scene || this.root.clientWidth === 0) return;
    const { scene } = this;
    this.width = this.root.clientWidth;
    const { rows, columns } = sizeOf(scene.block);
    this.stage.hidden = this.how.hidden = rows * columns === 0;
    if (this.stage.hidden) return this.sayEmpty();
    const context = this.cells.getContext("2d");
    context.font = labelFont(scene.colours.font);
    const measure = (text) => context.measureText(text).width;
    const { texts, widest } = fitLabels(scene.labels, scene.block, measure);
    const page = { width: this.width, windowHeight: window.innerHeight };
    const legend = scene.marks.cells.length > 0;
    Object.assign(scene, { texts }, layoutOf({ ...page, block: scene.block, widest, legend }));
    scene.legend = legendOf(scene, measure);
    this.stage.style.width = `${scene.width}px`;
    const zooms = largestZoom(scene) > 1;
    this.zooming.hidden = this.note.hidden = !zooms;
    this.how.textContent = howOf(zooms);
    this.look(this.frame);
    this.draw();
  }

  sayEmpty() {
    this.note.hidden = false;
    this.note.textContent = NO_CELLS;
    this.tip.hide();
    this.sayPainted();
  }

  /** Look at another part; returns whether that is one. */
  look(frame) {
    const next = clamped(this.scene, frame);
    const same = ["zoom", "row", "column"].every((name) => Math.abs(next[name] - this.frame[name]) < 1e-9);
    this.frame = this.scene.frame = next;
    lastFrames.set(this.data.place, { text: this.text, frame: next });
    if (!same) this.draw();
    return !same;
  }

  paint() {
    const { scene } = this;
    if (!scene.area) return;
    Object.assign(scene, this.images.of(scene, window.devicePixelRatio));
    drawCells(new CanvasPainter(contextOf(this.cells, scene.width, scene.height), scene.colours.font), scene);
    const { across, down } = cellSize(scene, scene.frame);
    const steps = { across: labelStep(across), down: labelStep(down) };
    const {
      block,
      numbers,
      frame: { zoom },
      image: { pool },
    } = scene;
    this.note.textContent = noteOf({ pool, steps, ...inView(scene, scene.frame), block, numbers, zoom });
    this.over.style.touchAction = zoom > 1 ? "none" : "auto";
    this.paintOver();
    this.sayPainted();
  }

  /** What is painted, for whoever waits for it. */
  sayPainted() {
    const { layer, head } = this.link.merged(this.data);
    this.root.dataset.painted = `${this.data.id}|L${layer}|H${head < 0 ? "mean" : head}`;
  }

  paintOver() {
    const { scene } = this;
    if (!scene.area) return;
    const painter = new CanvasPainter(contextOf(this.over, scene.width, scene.height), scene.colours.font);
    this.drawPinned(painter);
    const cell = this.pointed();
    this.root.dataset.hovered = cell ? `${cell.row},${cell.column}` : "-1,-1";
    if (cell) drawCross(painter, scene, cell, { colour: scene.colours.text, width: 1, alpha: 0.7 });
    if (this.dragging) drawBox(painter, scene, ...this.dragging);
    if (!cell) return this.tip.hide();
    const box = this.over.getBoundingClientRect();
    const at = this.hovered ? this.pointer : placeOfCell(scene, scene.frame, cell);
    this.tip.show(cellLines(scene, cell), { x: box.left + at.x, y: box.top + at.y });
  }

  drawPinned(painter) {
    drawCross(painter, this.scene, this.pinned, { colour: this.scene.colours.primary, width: 2 });
  }

  /** The pointer beats the keyboard's cursor. */
  pointed() {
    return this.hovered ?? this.cursor;
  }

  /** The cell at a place on the canvas, or null. */
  cellAtPlace({ x, y }) {
    const cell = cellAt(this.scene, this.frame, x, y);
    return cell && inBlock(this.scene.existing, cell) ? cell : null;
  }

  // --- what input.mjs asks for ---

  point(place) {
    const before = this.hovered;
    this.pointer = place;
    this.hovered = this.cellAtPlace(place);
    this.over.classList.toggle("on", this.hovered !== null);
    if (before || this.hovered) this.drawOver();
  }

  leave() {
    if (!this.hovered) return;
    this.hovered = null;
    this.drawOver();
  }

  box(from, to) {
    this.dragging = from && !this.zooming.hidden && this.cellAtPlace(from) ? [from, to] : null;
    this.drawOver();
  }

  enlarge(from, to) {
    const { scene, frame } = this;
    const { area } = scene;
    const within = (value, start, size) => Math.min(Math.max(value, start), start + size);
    const inside = ({ x, y }) => {
      return pointAt(scene, frame, within(x, area.left, area.width), within(y, area.top, area.height));
    };
    if (this.cellAtPlace(from)) this.look(enlarged(scene, inside(from), inside(to)));
  }

  pan({ across, down }) {
    const { scene, frame } = this;
    const size = cellSize(scene, frame);
    return this.look(panned(scene, frame, down / size.down, across / size.across));
  }

  /** Zoom about a place; from the buttons and keys about the cursor, or the middle. */
  zoom(factor, place = null) {
    const {
      scene,
      frame,
      scene: { area },
    } = this;
    const middle = { x: area.left + area.width / 2, y: area.top + area.height / 2 };
    const { x, y } = place ?? (this.cursor ? placeOfCell(scene, frame, this.cursor) : middle);
    return this.look(zoomedAt(scene, frame, factor, pointAt(scene, frame, x, y)));
  }

  fit() {
    this.look(WHOLE);
  }

  /** A second click in a row: it and the first one select nothing where they mean "show me all again". */
  goBack() {
    if (this.frame.zoom === 1) return;
    this.pin(this.beforeClick);
    this.fit();
  }

  choose(place) {
    const cell = this.cellAtPlace(place);
    this.beforeClick = this.pinned;
    if (cell) this.toggle(cell);
  }

  chooseCursor() {
    if (this.cursor) this.toggle(this.cursor);
  }

  toggle(cell) {
    const again = cell.row === this.pinned.row && cell.column === this.pinned.column;
    this.pin(again ? { row: NOTHING, column: NOTHING } : cell);
    this.spoken.textContent = again ? "Released" : `Selected ${spokenCell(this.scene, cell)}`;
  }

  release() {
    this.dropCursor();
    this.pin({ row: NOTHING, column: NOTHING });
  }

  pin({ row, column }) {
    if (row === this.pinned.row && column === this.pinned.column) return;
    const position = (unit) => (unit < 0 ? NOTHING : this.scene.positions[unit][0]);
    const changes = { query: position(row), key: position(column), pinned_in: this.data.pinned_in };
    this.link.send(changes, this.setTriggerValue);
    this.pinned = { row, column };
    this.drawOver();
    this.twin.update();
  }

  moveCursor(key) {
    const { scene, frame, pinned } = this;
    const { rows, columns } = inView(scene, frame);
    const corner = { row: Math.ceil(frame.row), column: Math.ceil(frame.column) };
    const start = pinned.row >= 0 && pinned.column >= 0 ? pinned : corner;
    const shown = { rows: [rows[0], rows[1] + 1], columns: [columns[0], columns[1] + 1] };
    const { existing } = scene;
    const cell = nearestIn(existing, this.cursor ? movedCell(key, this.cursor, existing) : nearestIn(shown, start));
    if (!inBlock(existing, cell)) return;
    this.cursor = cell;
    this.hovered = null;
    this.look(revealing(scene, frame, cell));
    this.spoken.textContent = spokenCell(scene, cell);
    this.drawOver();
  }

  dropCursor() {
    this.cursor = null;
    this.drawOver();
  }

  /** What the save buttons draw: the part in view, and what is pinned. */
  picture() {
    const { scene } = this;
    const draw = (painter) => {
      drawCells(painter, scene);
      this.drawPinned(painter);
    };
    const name = `attention-${scene.title}`.replace(/[^\w.-]+/g, "-");
    return { name, width: scene.width, height: scene.height, colours: scene.colours, draw };
  }

  close() {
    this.stopWaiting?.();
    this.aborter.abort();
    this.observer.disconnect();
    this.tip.hide();
  }
}

export default mounting((root) => new CellMap(root));
