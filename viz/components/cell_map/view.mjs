// The heat map. The data that Python sends is described in __init__.py.
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { Menu, button, element, makeFocusable } from "../shared/elements.mjs";
import { followPointer, notePointer, tokensOfModel, tokensOfPage } from "../shared/other_model.mjs";
import { OtherLayers } from "../shared/other_layers.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { fileName, isWeights } from "../shared/quantity.mjs";
import { isIn } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
import { storeOf } from "../shared/store.mjs";
import { textMeasures } from "../shared/text.mjs";
import { mounting } from "../shared/view.mjs";
import { boxOf, densityOf } from "../shared/zoom.mjs";
import { NO_CELL, hasNoCells, inBlock, isSameCell, nearestIn } from "./block.mjs";
import { CellCard } from "./card.mjs";
import { offersOf, weightOfLink } from "./cuts.mjs";
import { Images } from "./cells.mjs";
import { drawBox, drawCells, drawCross, drawPoints } from "./draw.mjs";
import {
  WHOLE,
  Viewport,
  cellAt,
  cellSize,
  cornerOf,
  firstCell,
  isInView,
  largestZoom,
  movedCell,
  placeOfCell,
} from "./frame.mjs";
import { STEP, listen } from "./input.mjs";
import { LABEL } from "./layout.mjs";
import { percentOf, shareBelow, targetOf } from "./percentiles.mjs";
import { layersInStore, rankedHeads } from "./ranking.mjs";
import { SCALES, scaleName, scaleNote } from "./scale.mjs";
import { layOut, pinChange, pinnedCell, sceneOf } from "./scene.mjs";
import {
  NO_CELLS,
  cellElements,
  cellSentence,
  howOf,
  linkingSentence,
  noteUnder,
  sizeInWords,
  spokenCell,
  spokenTitle,
  tableOf,
  unusualSentence,
} from "./words.mjs";
/** @import { LayerMessage, Painter, ScaleChoice, Selection } from "../shared/types.mjs" */
/** @import { PictureMenu } from "../shared/save.mjs" */
/** @import { Cell } from "./block.mjs" */
/** @import { Place, Sides } from "./frame.mjs" */
/** @import { LinkingHead, Surroundings } from "./card.mjs" */
/** @import { Actions } from "./input.mjs" */
/** @import { Quantiles } from "./percentiles.mjs" */
/** @import { CellMapData, Drawing, Scene } from "./scene.mjs" */

/**
 * The view's elements; `stage` holds the bar and both canvases.
 * @param {Pick<Actions, "zoom" | "showAll" | "chooseScale">} actions of the buttons
 * @param {PictureMenu} menu
 */
function partsOf(actions, menu) {
  const zooming = element(
    "div",
    "zooming",
    button("−", () => actions.zoom(1 / STEP), { title: "Zoom out (−, or Ctrl or ⌘ with the wheel)" }),
    button("+", () => actions.zoom(STEP), {
      title: "Zoom in (+, or Ctrl or ⌘ with the wheel). The wheel alone, or a drag with Shift, moves the picture.",
    }),
    button("Fit", () => actions.showAll(), { title: "Show all cells (0)" }),
  );
  const bar = element("div", "bar");
  const scale = new Menu("Scale of the colours", SCALES, (choice) => {
    actions.chooseScale(/** @type {ScaleChoice} */ (choice));
  });
  scale.root.classList.add("scale");
  scale.root.title = "What the colours of the numbers show; the numbers stay as they are";
  menu.add(scale.root, "Save or scale");
  bar.append(zooming, menu.root);
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
const LISTED = 5; // heads on the card

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
  #isDismissed = false; // whether the card of the pinned cell was closed
  images = new Images();
  viewport = new Viewport(() => this.#moved());

  /** @param {HTMLElement} root @param {CellMapData} data */
  constructor(root, data) {
    super(root, data);
    this.parts = partsOf(this, this.menu);
    const { stage, note, how, over } = this.parts;
    this.card = new CellCard({
      chooseHead: (head) => this.send({ ...head, heads: "" }),
      openView: (view) => this.#openView(view),
      cutLinks: (cut, isDragged) => this.cutLinks(cut, isDragged, this.scene?.labels.length ?? 0),
      close: () => {
        this.#dismissCard();
        over.focus();
      },
    });
    over.after(this.card.root);
    root.replaceChildren(this.notice, stage, note, ...this.besides, how, this.spoken, this.tip.root, this.twin.root);
    this.watchSize(root, () => this.resize());
    stage.hidden = how.hidden = this.twin.root.hidden = true; // until there is a scene
    this.others = new OtherLayers(this);
    this.listen(window, "scroll", () => this.#scrolled(), { capture: true, passive: true });
    this.#listenForCard();
    followPointer(this, (tokens) => this.#showCounterpart(tokens), this.closing.signal);
    listen(this, over);
  }

  /** @override */
  refresh() {
    const { data, message, parts } = this;
    if (!message) return;
    const { selection } = this;
    this.twin.root.hidden = false;
    const scene = sceneOf(
      message,
      { ...data, cuts: this.cuts },
      selection,
      coloursOf(parts.stage),
      this.scene,
      this.others.shown,
    );
    this.scene = scene;
    const pinned = pinnedCell(scene, selection);
    if (!isSameCell(pinned, this.pinned)) this.#isDismissed = false;
    this.pinned = pinned;
    parts.scale.root.hidden = this.isOneOfSeveral;
    parts.scale.show(scene.scaleChoice, (choice) => {
      return scaleName(/** @type {ScaleChoice} */ (choice), scene.longest, scene.quantity);
    });
    this.#openText([selection.sentences, ...scene.labels].join("\n"));
    parts.over.setAttribute("aria-label", `${spokenTitle(scene)}${this.ofWhich}, ${sizeInWords(scene)}. ${HOW}`);
    this.showRemoved([selection.head], isIn(scene.block.columns, scene.sink));
    this.resize();
    this.twin.update();
    this.#fillCard();
  }

  /** Whether pictures of several models are next to each other: they have one scale, and one sentence explains them. */
  get isOneOfSeveral() {
    return Boolean(this.data.follows);
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
    const says = zooms || scaleNote(scene.scale, scene.scaleChoice, scene.quantity);
    parts.note.hidden = !says || (laidOut.isOnStage && this.isOneOfSeveral);
    parts.how.hidden ||= this.isOneOfSeveral || this.data.place === "B"; // the hint is below A
    parts.how.textContent = howOf(zooms, window.matchMedia("(hover: none)").matches);
    this.viewport.fit(laidOut);
    this.drawing = { ...laidOut, frame: this.viewport.frame };
    this.draw();
  }

  #showNoCells() {
    this.drawing = null;
    this.card.hide();
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
    const isSecond = this.data.place === "B"; // A is next to it
    drawCells(painterOn(parts.cells, drawing, drawing.colours.font), drawing, images, isSecond);
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
    this.#placeCard(drawing);
    const isOnCard = pointed && this.card.isOpen && isSameCell(pointed, this.pinned);
    if (!pointed || isOnCard) return this.tip.hide();
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

  // --- the card of the pinned cell ---

  #listenForCard() {
    const { observers } = storeOf();
    const refill = this.perFrame(() => this.card.isOpen && this.#fillCard());
    observers.add(refill); // layers and quantiles that arrive later
    this.closing.signal.addEventListener("abort", () => {
      observers.delete(refill);
      this.card.hide();
    });
    this.listen(document, "keydown", ({ key }) => key === "Escape" && this.#dismissCard());
    /** @param {Event} event */
    const isElsewhere = (event) => {
      const path = event.composedPath();
      return path[0] !== this.parts.over && !path.includes(this.card.root);
    };
    this.listen(document, "pointerdown", (event) => isElsewhere(event) && this.#dismissCard(), { capture: true });
  }

  #fillCard() {
    const { scene, pinned, data, selection } = this;
    if (!scene || !this.#exists(pinned)) return;
    const heads = isWeights(scene.quantity) ? this.#linkingHeads() : { about: "", heads: [] };
    this.card.fill({
      sentence: cellSentence(scene, pinned, { selection, special: data.special }),
      ...heads,
      chosen: selection,
      opens: isWeights(scene.quantity) && selection.head !== MEAN ? (data.opens ?? []) : [],
      ...this.#offers(scene),
    });
  }

  /** Where the link of the pinned cell can be cut, and its weight here; nowhere if it is the sink's. @param {Scene} scene */
  #offers({ positions, quantity }) {
    const { cuts, pinned, selection } = this;
    const [query, key] = [positions[pinned.row] ?? [], positions[pinned.column] ?? []];
    if (!cuts || !isWeights(quantity) || !query.length || !key.length) return { offers: [] };
    const cell = { query, key };
    return { offers: offersOf(cuts, cell, selection), weight: weightOfLink(cuts, cell, selection) };
  }

  /** The heads with the largest weight in the pinned cell. @returns {{ about: string, heads: LinkingHead[] }} */
  #linkingHeads() {
    const { scene, message, pinned, data } = this;
    if (!scene || !message || !data.layers) return { about: "", heads: [] };
    const layers = layersInStore(this.run, data.layers);
    const quantiles = /** @type {Quantiles | undefined} */ (storeOf().messages.get(data.quantiles ?? "")?.message);
    const target = quantiles ? targetOf(message.extras, pinned, data.words ?? []) : null;
    const heads = rankedHeads(layers, pinned)
      .slice(0, LISTED)
      .map((ranked) => {
        const share = quantiles && target ? shareBelow(quantiles, ranked, target) : null;
        if (!quantiles || !target || share === null) return { ...ranked, unusual: "", title: "" };
        const unusual = percentOf(share);
        return { ...ranked, unusual, title: unusualSentence(unusual, target, quantiles.extras.source) };
      });
    const isCompared = heads.some(({ unusual }) => unusual);
    return { about: linkingSentence(scene, pinned, { layers: layers.length, of: data.layers, isCompared }), heads };
  }

  /** @param {Drawing} drawing */
  #placeCard(drawing) {
    const { pinned } = this;
    const isShown =
      !this.#isDismissed &&
      !drawing.isOnStage &&
      !this.isOneOfSeveral &&
      this.#exists(pinned) &&
      isInView(drawing, pinned);
    const around = isShown && this.#surroundings(drawing);
    if (!around || around.cell.bottom < 0 || around.cell.top > window.innerHeight) return this.card.hide();
    this.card.showAt(around);
  }

  /** Where the pinned cell and its labels are in the window. @param {Drawing} drawing @returns {Surroundings} */
  #surroundings(drawing) {
    const { area, header, reach, turn } = drawing;
    const canvas = boxOf(this.parts.over);
    const [{ x, y }, { across, down }] = [cornerOf(drawing, this.pinned), cellSize(drawing)];
    const [left, top] = [canvas.left + x, canvas.top + y];
    const cell = { left, right: left + across, top, bottom: top + down };
    const row = { ...cell, left: canvas.left, right: canvas.left + area.left };
    const slant = turn === -45 ? reach : 0;
    const column = { left, right: cell.right + slant, top: canvas.top + header, bottom: canvas.top + area.top };
    return { cell, labels: [row, column] };
  }

  #dismissCard() {
    if (!this.card.isOpen) return;
    this.#isDismissed = true;
    this.drawOver();
    this.card.hide();
  }

  /** @param {string} view that explains the pinned cell */
  #openView(view) {
    const { query: row, key: column } = this.selection;
    this.send(view === "anatomy" ? { view, walk: "softmax", row, column } : { view });
  }

  #scrolled() {
    this.leave();
    if (this.#exists(this.pinned) && !this.#isDismissed) this.drawOver(); // moves the card
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
    else this.#dismissCard();
  }

  chooseCursor() {
    if (this.cursor) this.#toggle(this.cursor);
  }

  release() {
    if (this.card.isOpen) return this.#dismissCard();
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
    if (isPinned && this.#isDismissed) return this.#reopenCard();
    this.#pin(isPinned ? NO_CELL : cell);
    if (scene) this.spoken.textContent = isPinned ? "Released" : `Selected ${spokenCell(scene, cell)}`;
  }

  #reopenCard() {
    this.#isDismissed = false;
    this.#fillCard();
    this.drawOver();
  }

  /** @param {Cell} cell */
  #pin(cell) {
    const { scene } = this;
    if (!scene || isSameCell(cell, this.pinned)) return;
    this.pin(pinChange(scene, cell));
  }
}

export default await mounting((root, data) => new CellMap(root, /** @type {CellMapData} */ (data)), import.meta.url);
