// The heat map of many tokens. What it is told is described in __init__.py.
import { Link } from "../shared/link.mjs";
import { coloursOf, mounting, perFrame } from "../shared/page.mjs";
import { CanvasPainter, contextOf } from "../shared/paint.mjs";
import { storeOf, withBlob } from "../shared/store.mjs";
import { Images, blockOf, filtered, headWeights, inBlock, nearestIn } from "./cells.mjs";
import { drawBox, drawCells, drawMarks, fitLabels, inView, labelFont, layoutOf } from "./draw.mjs";
import {
  WHOLE, cellAt, cellSize, clamped, enlarged, labelStep, largestZoom, movedCell, panned, placeOfCell, pointAt, revealing,
  zoomedAt,
} from "./frame.mjs";
import { listen } from "./input.mjs";
import { partsOf } from "./parts.mjs";
import { cellLines, howOf, noteOf, spokenCell, unitOf } from "./words.mjs";

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
    this.observer = new ResizeObserver(() => { if (root.clientWidth !== this.width) this.resize(); });
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
    const text = blob.extras.labels.join("\n");
    if (text !== this.text) {
      const last = lastFrames.get(data.place);
      this.frame = last?.text === text ? last.frame : WHOLE;
      this.text = text;
      this.hovered = this.cursor = null;
    }
    Object.assign(this, { blob, data });
    this.root.hidden = false;
    this.refresh();
  }

  /** Everything that follows from the data, the colours and the size of the page. */
  refresh() {
    const { blob, data } = this;
    const { labels, positions, b_start: bStart } = blob.extras;
    const selection = this.link.merged(data);
    const count = labels.length;
    const block = blockOf(selection.sentences, bStart, count);
    const head = `${data.id} ${selection.head} ${selection.sentences}`;
    const weights = this.scene?.head === head
      ? this.scene.weights
      : filtered(headWeights(blob.tensors.weights, selection.head), count, block);
    const colours = coloursOf(this.stage);
    const { sequential, muted } = data.theme;
    const ink = { sequential, muted, text: colours.text, background: colours.background };
    this.scene = { labels, positions, count, bStart, block, head, weights, colours, ink, title: data.title };
    this.pinned = { row: unitOf(positions, selection.query), column: unitOf(positions, selection.key) };
    this.over.setAttribute("aria-label", `Attention weights of ${data.title}, ${count} by ${count} tokens. ${HOW}`);
    this.resize();
    this.twin.update();
  }

  resize() {
    if (!this.scene || this.root.clientWidth === 0) return;
    const { scene } = this;
    const context = this.cells.getContext("2d");
    context.font = labelFont(scene.colours.font);
    const fit = fitLabels(scene.labels, (text) => context.measureText(text).width);
    this.width = this.root.clientWidth;
    const page = { width: this.width, windowHeight: window.innerHeight };
    Object.assign(scene, { texts: fit.texts }, layoutOf({ ...page, count: scene.count, widest: fit.widest }));
    this.stage.style.width = `${scene.width}px`;
    const zooms = largestZoom(scene.area, scene.count) > 1;
    this.zooming.hidden = this.note.hidden = !zooms;
    this.how.textContent = howOf(zooms);
    this.look(this.frame);
    this.draw();
  }

  /** Look at another part; returns whether that is one. */
  look(frame) {
    const { area, count } = this.scene;
    const next = clamped(frame, count, largestZoom(area, count));
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
    const { across, down } = cellSize(scene.area, scene.frame, scene.count);
    const steps = { across: labelStep(across), down: labelStep(down) };
    const { pool } = scene.image;
    this.note.textContent = noteOf({ pool, steps, ...inView(scene), count: scene.count, zoom: scene.frame.zoom });
    this.over.style.touchAction = scene.frame.zoom > 1 ? "none" : "auto";
    this.paintOver();
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
    if (cell) drawMarks(painter, scene, cell, { colour: scene.colours.text, width: 1, alpha: 0.7 });
    if (this.dragging) drawBox(painter, scene, ...this.dragging);
    if (!cell) return this.tip.hide();
    const box = this.over.getBoundingClientRect();
    const at = this.hovered ? this.pointer : placeOfCell(scene.area, scene.frame, scene.count, cell);
    this.tip.show(cellLines(scene, cell), { x: box.left + at.x, y: box.top + at.y });
  }

  drawPinned(painter) {
    drawMarks(painter, this.scene, this.pinned, { colour: this.scene.colours.primary, width: 2 });
  }

  /** The pointer beats the keyboard's cursor. */
  pointed() {
    return this.hovered ?? this.cursor;
  }

  /** The shown cell at a place on the canvas, or null. */
  cellAtPlace({ x, y }) {
    const { area, frame, count, block } = this.scene;
    const cell = cellAt(area, frame, count, x, y);
    return cell && inBlock(block, cell) ? cell : null;
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
    const { area, frame, count } = this.scene;
    const within = (value, start, size) => Math.min(Math.max(value, start), start + size);
    const inside = ({ x, y }) => pointAt(
      area, frame, count, within(x, area.left, area.width), within(y, area.top, area.height),
    );
    if (this.cellAtPlace(from)) this.look(enlarged(inside(from), inside(to), count, largestZoom(area, count)));
  }

  pan({ across, down }) {
    const { area, frame, count } = this.scene;
    const size = cellSize(area, frame, count);
    return this.look(panned(frame, down / size.down, across / size.across, count));
  }

  /** Zoom about a place; from the buttons and keys about the cursor, or the middle. */
  zoom(factor, place = null) {
    const { area, frame, count } = this.scene;
    const middle = { x: area.left + area.width / 2, y: area.top + area.height / 2 };
    const { x, y } = place ?? (this.cursor ? placeOfCell(area, frame, count, this.cursor) : middle);
    return this.look(zoomedAt(frame, factor, pointAt(area, frame, count, x, y), count, largestZoom(area, count)));
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
    const { block, count, frame } = this.scene;
    const { rows, columns } = inView(this.scene);
    const start = this.pinned.row >= 0 && this.pinned.column >= 0
      ? this.pinned
      : { row: Math.ceil(frame.row), column: Math.ceil(frame.column) };
    const shown = { rows: [rows[0], rows[1] + 1], columns: [columns[0], columns[1] + 1] };
    const cell = nearestIn(block, this.cursor ? movedCell(key, this.cursor, block) : nearestIn(shown, start));
    if (!inBlock(block, cell)) return;
    this.cursor = cell;
    this.hovered = null;
    this.look(revealing(frame, cell, count));
    this.spoken.textContent = spokenCell(this.scene, cell);
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
