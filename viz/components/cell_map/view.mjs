// The heat map. The data that Python sends is described in __init__.py.
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { Menu, button, element, makeFocusable } from "../shared/elements.mjs";
import { layerId } from "../shared/message.mjs";
import { followPointer, notePointer, tokensOfModel, tokensOfPage } from "../shared/other_model.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { fileName } from "../shared/quantity.mjs";
import { storeOf, withMessage } from "../shared/store.mjs";
import { textMeasures } from "../shared/text.mjs";
import { mounting } from "../shared/view.mjs";
import { boxOf, densityOf } from "../shared/zoom.mjs";
import { NO_CELL, hasNoCells, inBlock, isSameCell, nearestIn } from "./block.mjs";
import { Images } from "./cells.mjs";
import { drawBox, drawCells, drawCross, drawPoints } from "./draw.mjs";
import { WHOLE, Viewport, cellAt, firstCell, largestZoom, movedCell, placeOfCell } from "./frame.mjs";
import { STEP, listen } from "./input.mjs";
import { LABEL } from "./layout.mjs";
import { SCALES, scaleName, scaleNote } from "./scale.mjs";
import { layOut, pinChange, pinnedCell, sceneOf } from "./scene.mjs";
import { NO_CELLS, cellElements, howOf, noteUnder, sizeInWords, spokenCell, spokenTitle, tableOf } from "./words.mjs";
/** @import { LayerMessage, Painter, ScaleChoice, Selection } from "../shared/types.mjs" */
/** @import { Cell } from "./block.mjs" */
/** @import { Place, Sides } from "./frame.mjs" */
/** @import { Actions } from "./input.mjs" */
/** @import { CellMapData, Drawing, Scene } from "./scene.mjs" */

/**
 * The view's elements; `stage` holds the bar and both canvases.
 * @param {Pick<Actions, "zoom" | "showAll" | "chooseScale">} actions of the buttons
 * @param {readonly HTMLElement[]} saveButtons
 */
function partsOf(actions, saveButtons) {
  const zooming = element(
    "div",
    "zooming",
    button("−", () => actions.zoom(1 / STEP), { title: "Zoom out (−)" }),
    button("+", () => actions.zoom(STEP), { title: "Zoom in (+)" }),
    button("Fit", () => actions.showAll(), { title: "Show all cells (0)" }),
  );
  const bar = element("div", "bar");
  const scale = new Menu("Scale of the colours", SCALES, (choice) => {
    actions.chooseScale(/** @type {ScaleChoice} */ (choice));
  });
  scale.root.classList.add("scale");
  scale.root.title = "What the colours of the numbers show; the numbers stay as they are";
  bar.append(zooming, ...saveButtons, scale.root);
  const stage = element("div", "stage");
  const cells = element("canvas");
  const over = element("canvas", "over");
  makeFocusable(over, { role: "application" });
  over.setAttribute("aria-roledescription", "heat map");
  stage.append(bar, cells, over);
  return { stage, zooming, scale, cells, over, note: element("p", "note"), how: element("p", "how") };
}

/**
 * Make the stage as wide as the picture, which is in the middle of the view.
 * @param {Record<"stage" | "note", HTMLElement>} parts
 * @param {number} width of the picture
 * @param {number} across width of the view
 */
function fitParts({ stage, note }, width, across) {
  stage.style.width = `${width}px`;
  note.style.setProperty("--beside", `${(across - width) / 2}px`); // on stage the note lies over the picture
}

const HOW = "Arrow keys move, Enter selects, Escape releases, plus and minus zoom, 0 shows all.";

/** @extends {PictureView<CellMapData, LayerMessage>} @implements {Actions} */
class CellMap extends PictureView {
  /** @type {Scene | null} */
  scene = null;
  /** @type {Drawing | null} the part in view; null for an empty block */
  drawing = null;
  /** @type {Cell | null} */
  hovered = null;
  /** @type {Cell | null} the current cell of the keyboard */
  cursor = null;
  /** @type {Cell | null} the cell of the same words as one that is pointed at in the picture of another model */
  counterpart = null;
  /** @type {[from: Place, to: Place] | null} */
  box = null;
  pinned = NO_CELL;
  pinnedBeforeClick = NO_CELL;
  pointer = { x: 0, y: 0 };
  images = new Images();
  viewport = new Viewport(() => this.#moved());
  #otherIds = "";
  #stopWaitingForOthers = () => {};

  /** @param {HTMLElement} root @param {CellMapData} data */
  constructor(root, data) {
    super(root, data);
    this.parts = partsOf(this, this.saveButtons);
    const { stage, note, how, over } = this.parts;
    root.replaceChildren(this.notice, stage, note, ...this.besides, how, this.spoken, this.tip.root, this.twin.root);
    this.watchSize(root, () => this.resize());
    stage.hidden = how.hidden = this.twin.root.hidden = true; // until there is a scene
    const { signal } = this.closing;
    this.source.subscribe((what) => {
      if (what === "runs" && this.message && this.#layersOfOthers().join() !== this.#otherIds) this.refresh();
    }, signal);
    signal.addEventListener("abort", () => this.#stopWaitingForOthers());
    followPointer(this, (tokens) => this.#showCounterpart(tokens), signal);
    this.listen(window, "scroll", () => this.leave(), { capture: true, passive: true });
    listen(this, over);
  }

  /** @override */
  refresh() {
    const { data, message, parts } = this;
    if (!message) return;
    const { selection } = this;
    this.twin.root.hidden = false;
    const scene = sceneOf(message, data, selection, coloursOf(parts.stage), this.scene, this.#othersInStore());
    this.scene = scene;
    this.pinned = pinnedCell(scene, selection);
    parts.scale.root.hidden = this.isOneOfSeveral;
    parts.scale.show(scene.scaleChoice, (choice) => {
      return scaleName(/** @type {ScaleChoice} */ (choice), scene.longest, scene.quantity);
    });
    this.#openText([selection.sentences, ...scene.labels].join("\n"));
    parts.over.setAttribute("aria-label", `${spokenTitle(scene)}, ${sizeInWords(scene.block)}. ${HOW}`);
    this.showRemoved([selection.head]);
    this.resize();
    this.twin.update();
  }

  /** Whether pictures of several models are next to each other: they have one scale, and one sentence explains them. */
  get isOneOfSeveral() {
    return Boolean(this.data.follows);
  }

  /** The ids of the selected layer of the other runs. */
  #layersOfOthers() {
    const { others = [] } = this.data;
    return others.map(({ id, texts }) => layerId(this.source.runOf(texts)?.layers ?? id, this.selection.layer));
  }

  /**
   * The selected layer of the other runs, as far as cached; the view refreshes when the rest arrives.
   * @returns {LayerMessage[]}
   */
  #othersInStore() {
    this.#stopWaitingForOthers();
    const [store, ids] = [storeOf(), this.#layersOfOthers()];
    const missing = ids.filter((id) => !store.messages.has(id));
    const stops = missing.map((id) => withMessage(store, id, () => this.refresh()));
    this.#stopWaitingForOthers = () => stops.forEach((stop) => stop());
    this.#otherIds = ids.join();
    return ids.flatMap((id) => /** @type {LayerMessage[]} */ (store.messages.get(id)?.message ?? []));
  }

  /** Restore the frame of another text or block. The hovered cell may no longer exist. @param {string} text */
  #openText(text) {
    const isOther = this.viewport.open(this.data.place, text);
    /** @param {Cell | null} cell */
    const kept = (cell) => (!isOther && cell && this.#exists(cell) ? cell : null);
    [this.hovered, this.cursor] = [kept(this.hovered), kept(this.cursor)];
  }

  resize() {
    const { scene, root, parts } = this;
    if (!scene || root.clientWidth === 0) return;
    parts.stage.hidden = parts.how.hidden = hasNoCells(scene.block);
    if (hasNoCells(scene.block)) return this.#showNoCells();
    const measure = textMeasures(this.measuring, scene.colours.font)(LABEL);
    const stageRoom = this.roomOnStage(parts.stage);
    const laidOut = layOut(scene, { width: root.clientWidth, windowHeight: window.innerHeight, stageRoom }, measure);
    fitParts(parts, laidOut.width, root.clientWidth);
    const zooms = largestZoom(laidOut) > 1;
    parts.zooming.hidden = !zooms;
    parts.note.hidden = !zooms && !scaleNote(scene.scale, scene.scaleChoice, scene.quantity);
    parts.how.hidden ||= this.isOneOfSeveral;
    parts.how.textContent = howOf(zooms, window.matchMedia("(hover: none)").matches);
    this.viewport.fit(laidOut);
    this.drawing = { ...laidOut, frame: this.viewport.frame };
    this.draw();
  }

  #showNoCells() {
    this.drawing = null;
    this.parts.note.hidden = false;
    this.parts.note.textContent = NO_CELLS;
    this.tip.hide();
    this.notePainted([this.selection.head]);
  }

  /** The frame has changed. */
  #moved() {
    this.drawing &&= { ...this.drawing, frame: this.viewport.frame };
    this.draw();
  }

  // --- drawing ---

  /** @override */
  paint() {
    const { drawing, parts } = this;
    if (!drawing) return;
    const images = this.images.of(drawing, densityOf(parts.cells));
    drawCells(painterOn(parts.cells, drawing, drawing.colours.font), drawing, images);
    parts.note.textContent = noteUnder(drawing, images.image.pool);
    parts.over.style.touchAction = drawing.frame.zoom > 1 ? "none" : "auto";
    this.paintOver();
    this.notePainted([this.selection.head]);
  }

  /** @override */
  paintOver() {
    const { drawing, parts } = this;
    if (!drawing) return;
    const painter = painterOn(parts.over, drawing, drawing.colours.font);
    this.#drawPinned(painter, drawing);
    const pointed = this.hovered ?? this.cursor;
    const cell = pointed ?? this.counterpart;
    this.root.dataset.hovered = cell ? `${cell.row},${cell.column}` : "-1,-1";
    drawPoints(painter, drawing, this.selection.points ?? []);
    if (cell) drawCross(painter, drawing, cell, { colour: drawing.colours.text, width: 1, alpha: 0.7 });
    if (this.box) drawBox(painter, drawing, ...this.box);
    if (!pointed) return this.tip.hide();
    const canvas = boxOf(parts.over);
    const place = this.hovered ? this.pointer : placeOfCell(drawing, pointed);
    this.tip.showNextTo(cellElements(drawing, pointed), canvas.left + place.x, canvas.top + place.y);
  }

  /** @param {Painter} painter @param {Drawing} drawing */
  #drawPinned(painter, drawing) {
    drawCross(painter, drawing, this.pinned, { colour: drawing.colours.primary, width: 2 });
  }

  /** @override */
  table() {
    return this.scene && tableOf(this.scene, this.pinned.row);
  }

  /** @override */
  picture() {
    const { drawing } = this;
    if (!drawing) return null;
    const { width, height, colours } = drawing;
    const images = this.images.of(drawing, densityOf(this.root));
    /** @param {Painter} painter */
    const draw = (painter) => {
      drawCells(painter, drawing, images);
      this.#drawPinned(painter, drawing);
      drawPoints(painter, drawing, this.selection.points ?? []);
    };
    return { name: fileName(drawing), width, height, colours, draw };
  }

  // --- actions, see input.mjs ---

  /** @param {Place} place */
  point(place) {
    const before = this.hovered;
    this.pointer = place;
    this.hovered = this.#cellAt(place);
    this.parts.over.classList.toggle("on", this.hovered !== null);
    if (before || this.hovered) this.drawOver();
    if (!isSameCell(before ?? NO_CELL, this.hovered ?? NO_CELL)) this.#notePointer();
  }

  leave() {
    if (!this.hovered) return;
    this.hovered = null;
    this.drawOver();
    this.#notePointer();
  }

  /** Mark the same words in the pictures of other models. */
  #notePointer() {
    const { follows } = this.data;
    if (!follows || !this.scene) return;
    notePointer(this, this.hovered && tokensOfPage(follows, pinChange(this.scene, this.hovered)));
  }

  /** @param {Pick<Selection, "query" | "key"> | null} tokens of the page's model */
  #showCounterpart(tokens) {
    const { follows } = this.data;
    if (!follows || !this.scene) return;
    const cell = tokens && pinnedCell(this.scene, tokensOfModel(follows, tokens));
    this.counterpart = cell && this.#exists(cell) ? cell : null;
    this.drawOver();
  }

  /** @param {Place} from @param {Place} to */
  encloseBox(from, to) {
    this.box = !this.parts.zooming.hidden && this.#cellAt(from) ? [from, to] : null;
    this.drawOver();
  }

  dropBox() {
    this.box = null;
    this.drawOver();
  }

  /** @param {Place} from @param {Place} to */
  enlarge(from, to) {
    if (this.#cellAt(from)) this.viewport.enlarge(from, to);
  }

  /** @param {Sides} pixels */
  pan(pixels) {
    return this.viewport.pan(pixels);
  }

  /** @param {number} factor @param {Place | null} place */
  zoom(factor, place = null) {
    return this.viewport.zoom(factor, place, this.cursor);
  }

  showAll() {
    this.viewport.showAll();
  }

  /** @param {ScaleChoice} scale */
  chooseScale(scale) {
    this.send({ scale });
  }

  /** The second click of a double click: it resets the zoom and undoes the first click's pin. */
  goBack() {
    if (this.viewport.frame.zoom === WHOLE.zoom) return;
    this.#pin(this.pinnedBeforeClick);
    this.showAll();
  }

  /** @param {Place} place */
  choose(place) {
    const cell = this.#cellAt(place);
    this.pinnedBeforeClick = this.pinned;
    if (cell) this.#toggle(cell);
  }

  chooseCursor() {
    if (this.cursor) this.#toggle(this.cursor);
  }

  release() {
    this.dropCursor();
    this.#pin(NO_CELL);
  }

  /** @param {string} key */
  moveCursor(key) {
    const { drawing } = this;
    if (!drawing) return;
    const { existing } = drawing;
    const next = this.cursor ? movedCell(key, this.cursor, existing) : firstCell(drawing, this.pinned);
    const cell = next && nearestIn(existing, next);
    if (!cell || !this.#exists(cell)) return;
    this.cursor = cell;
    this.hovered = null;
    this.viewport.reveal(cell);
    this.spoken.textContent = spokenCell(drawing, cell);
    this.drawOver();
  }

  dropCursor() {
    this.cursor = null;
    this.drawOver();
  }

  /** @param {Place} place */
  #cellAt(place) {
    const cell = this.drawing && cellAt(this.drawing, place);
    return cell && this.#exists(cell) ? cell : null;
  }

  /** @param {Cell} cell */
  #exists(cell) {
    return this.scene !== null && inBlock(this.scene.existing, cell);
  }

  /** @param {Cell} cell */
  #toggle(cell) {
    const { scene } = this;
    const isPinned = isSameCell(cell, this.pinned);
    this.#pin(isPinned ? NO_CELL : cell);
    if (scene) this.spoken.textContent = isPinned ? "Released" : `Selected ${spokenCell(scene, cell)}`;
  }

  /** @param {Cell} cell */
  #pin(cell) {
    const { scene } = this;
    if (!scene || isSameCell(cell, this.pinned)) return;
    this.pin(pinChange(scene, cell));
  }
}

export default await mounting((root, data) => new CellMap(root, /** @type {CellMapData} */ (data)), import.meta.url);
