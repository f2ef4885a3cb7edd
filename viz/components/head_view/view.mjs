// The head view: tokens on both sides, a line for every weight that is drawn. See __init__.py for the data.
//
// Three stacked canvases: all lines, which CSS fades while a token is focused; the focused token's lines and weights;
// and the tokens. Hovering redraws only the middle one.
import { painterOn } from "../shared/canvas_painter.mjs";
import { Menu, button, describe, element, makeFocusable, setPressed } from "../shared/elements.mjs";
import { OtherLayers } from "../shared/other_layers.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { isWeights, quantityOf, separatesHeads } from "../shared/quantity.mjs";
import { isIn } from "../shared/ranges.mjs";
import { MEAN, NOTHING } from "../shared/selection.mjs";
import { textMeasures } from "../shared/text.mjs";
import { weightOf } from "../shared/message.mjs";
import { mounting } from "../shared/view.mjs";
import { boxOf, pointOn } from "../shared/zoom.mjs";
import { CellCard } from "../cell_map/card.mjs";
import { offersOf, weightOfLink } from "../cell_map/cuts.mjs";
import { cellSentence } from "../cell_map/words.mjs";
import {
  StrokesInFrames,
  boxOfLine,
  drawCuts,
  drawFrames,
  drawMarked,
  drawPoints,
  drawTokens,
  drawWeights,
  lineAt,
  noStrokes,
  pickedStrokes,
  savedPicture,
  tokenStrokes,
} from "./draw.mjs";
import { movedToken, pinChange, pinnedTokens, sameToken } from "./focus.mjs";
import { HEADER, scrolledTo, tokenAt } from "./layout.mjs";
import { RULES, headsChange, linesOfToken, ruleName, shownHeads, toggled, usualRule } from "./lines.mjs";
import { Scenes } from "./scene.mjs";
import { countOf, legendOf, sentenceOf, tableOf } from "./words.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { LayerMessage, OtherRun, Selection, SelectionChanges, ViewData } from "../shared/types.mjs" */
/** @import { LineOfHead } from "./draw.mjs" */
/** @import { Layout, Part, Token } from "./layout.mjs" */
/** @import { Scene } from "./scene.mjs" */

class Controls {
  /** @type {HTMLButtonElement[]} */
  #chips = [];
  /** @type {number[]} */
  #shown = [];

  /**
   * @param {(changes: SelectionChanges) => void} select called when heads are chosen
   * @param {(rule: string) => void} chooseRule called when lines are chosen
   * @param {HTMLElement} menu
   */
  constructor(select, chooseRule, menu) {
    this.select = select;
    this.root = element("div", "bar");
    this.heads = element("div", "chips");
    describe(this.heads, "group", "Heads");
    this.mean = button("mean", () => select({ head: MEAN, heads: "" }), { title: "The mean over all heads" });
    this.all = button("all", () => select({ heads: "all" }), { title: "Show every head" });
    this.none = button("none", () => select({ heads: "none" }), { title: "Show no head" });
    this.rules = new Menu("Lines that are drawn", RULES, chooseRule);
    this.count = element("span", "count");
    const end = element("div", "end", this.rules.root, this.count, menu);
    this.root.append(this.heads, end);
  }

  /**
   * @param {Scene} scene @param {Selection} selection
   * @param {readonly string[]} colours of heads @param {string} rule
   */
  update(scene, selection, colours, rule) {
    const { count, quantity } = scene;
    if (this.#chips.length !== count) this.#build(count);
    this.#shown = separatesHeads(quantity) ? shownHeads(selection, count) : [];
    this.#chips.forEach((chip, head) => {
      setPressed(chip, this.#shown.includes(head));
      chip.style.setProperty("--head", colours[head % colours.length]);
      chip.title = `L${selection.layer} H${head}. Click: show or hide. Double-click or Alt-click: this head alone.`;
    });
    setPressed(this.mean, this.#shown.includes(MEAN));
    this.mean.textContent = isWeights(quantity) ? "mean" : "together";
    this.mean.title = isWeights(quantity) ? "The mean over all heads" : "What all heads move together";
    this.#offerHeads(quantity);
    this.rules.show(rule, (value) => ruleName(value, quantity));
    this.count.textContent = countOf(scene);
  }

  /** Disable the head buttons if the quantity does not separate heads. @param {Quantity} quantity */
  #offerHeads(quantity) {
    const isOffered = separatesHeads(quantity);
    this.heads.title = isOffered ? "" : `${quantity.name} does not tell heads apart.`;
    for (const each of [...this.#chips, this.mean, this.all, this.none]) each.disabled = !isOffered;
  }

  /** @param {number} count of heads */
  #build(count) {
    this.#chips = Array.from({ length: count }, (_, head) => {
      const chip = button("", (event) => this.#clicked(event, head, count), { className: "tool chip" });
      chip.setAttribute("aria-label", `Head ${head}`);
      chip.append(element("span", "swatch"), element("span", "", String(head)));
      return chip;
    });
    this.heads.replaceChildren(...this.#chips, this.mean, this.all, this.none);
  }

  /** @param {MouseEvent} event @param {number} head @param {number} count */
  #clicked(event, head, count) {
    const isAlone = event.altKey || event.detail > 1; // the first click of a double click has toggled the head
    this.select(isAlone ? headsChange([head], count) : toggled(this.#shown, head, count));
  }
}

const HOW = "Attention as lines. Arrow keys choose a token, Enter pins it, Escape releases it.";
const HOW_TO_CUT = "Shift and Enter open the token's lines to cut them, the strongest first.";

function partsOf() {
  const scroller = element("div", "scroller");
  makeFocusable(scroller, { role: "application", label: HOW });
  const content = element("div", "content"); // as high as the whole picture
  const pane = element("div", "pane"); // stays in the window while the content scrolls
  const [lines, over, tokens] = ["lines", "over", "tokens"].map((name) => element("canvas", name));
  pane.append(lines, over, tokens);
  content.append(pane);
  scroller.append(content);
  const said = element("div", "said");
  said.setAttribute("aria-hidden", "true"); // changes with the pointer; keyboard focus is spoken
  return { scroller, content, pane, lines, over, tokens, said };
}

/**
 * Make the elements as high as the picture, and as the part of it that is on the screen.
 * @param {Record<"scroller" | "pane" | "content", HTMLElement>} parts @param {Layout} layout
 */
function fitParts({ scroller, pane, content }, { height, shown }) {
  scroller.style.height = `${shown}px`;
  pane.style.height = `${shown}px`;
  content.style.height = `${height}px`;
}

/** Scroll a token into view. @param {HTMLElement} scroller @param {Layout} layout @param {Token} token */
export function scrollTo(scroller, layout, token) {
  const { scrollTop, clientHeight } = scroller;
  const top = scrolledTo(layout, token, { top: scrollTop, height: clientHeight });
  if (top !== scrollTop) scroller.scrollTop = top;
}

// Lines rendered in one frame; the rest follows in the next frames. While hovering a frame must be short.
const A_FRAME = { lines: 60_000, over: 800 };
const NARROW = 600; // pixels of width, below which the sentence has two lines

/**
 * @typedef {ViewData & { place: string, until?: number | null, others?: readonly OtherRun[] }} HeadViewData
 */

/**
 * The last rule, text and scroll position of each view, restored when it is mounted again.
 * @type {Map<string, { rule: string | undefined, text: string, top: number }>}
 */
const lastViews = new Map();

/** @extends {PictureView<HeadViewData, LayerMessage>} */
class HeadView extends PictureView {
  /** @type {Scene | null} */
  scene = null;
  /** @type {string | undefined} the user's choice of lines */
  rule = undefined;
  /** @type {Token | null} */
  hovered = null;
  /** @type {Token | null} the current token of the keyboard */
  cursor = null;
  /** @type {Token[]} */
  pinned = [];
  lines = new StrokesInFrames(A_FRAME.lines);
  tokenLines = new StrokesInFrames(A_FRAME.over);
  /** @type {{ clientX: number, clientY: number } | null} */
  pointer = null;
  /** @type {LineOfHead | null} the line under the pointer */
  lineUnder = null;
  /** @type {LineOfHead | null} the line with the card */
  line = null;
  text = "";
  /** @type {number | null} scroll position to restore after layout */
  top = null;

  /** @param {HTMLElement} root @param {HeadViewData} data */
  constructor(root, data) {
    super(root, data);
    this.scenes = new Scenes(root, (family) => textMeasures(this.measuring, family));
    this.others = new OtherLayers(this);
    this.controls = new Controls(
      (changes) => this.#select(changes),
      (rule) => this.#chooseRule(rule),
      this.menu.root,
    );
    this.parts = partsOf();
    const { scroller, said } = this.parts;
    const { controls, notice, besides, spoken, twin } = this;
    this.card = new CellCard({
      cutLinks: (cut, isDragged) => this.cutLinks(cut, isDragged, this.scene?.labels.length ?? 0),
      close: () => this.#showCard(null),
    });
    root.replaceChildren(controls.root, notice, scroller, said, ...besides, spoken, twin.root, this.card.root);
    this.#listen();
    this.watchSize(scroller, () => this.refresh());
    if (document.fonts.status !== "loaded") document.fonts.ready.then(this.perFrame(() => this.refresh()));
  }

  /** @override */
  refresh() {
    const { message, data } = this;
    if (!message) return;
    const { selection } = this;
    const { labels } = message.extras;
    const text = JSON.stringify(labels);
    if (text !== this.text) this.#openText(text);
    const others = this.others.shown.map(({ extras }) => extras.labels);
    const longest = Math.max(labels.length, ...others.map(({ length }) => length));
    const rule = this.rule ?? usualRule(longest, quantityOf(message.extras));
    const width = Math.floor(this.parts.scroller.clientWidth);
    const stageRoom = this.roomOnStage(this.parts.scroller);
    const { theme, until } = data;
    const { cuts } = this;
    const options = { message, theme, selection, rule, width, stageRoom, until, others, cuts };
    const scene = this.scenes.of(options);
    this.scene = scene;
    this.controls.update(scene, selection, theme.heads, rule);
    this.parts.scroller.ariaLabel = scene.cuts ? `${HOW} ${HOW_TO_CUT}` : HOW;
    this.root.classList.toggle("narrow", width < NARROW);
    fitParts(this.parts, scene.layout);
    if (this.top !== null) this.parts.scroller.scrollTop = this.top;
    this.top = null;
    this.#showPinned(scene);
    this.showRemoved(scene.planes.map(({ head }) => head));
    this.twin.update();
    if (this.line && !scene.planes.some(({ head }) => head === this.line?.head)) this.line = null;
    this.#fillCard(scene);
    this.draw();
  }

  /** @override */
  close() {
    this.card.hide();
    super.close();
    this.#remember();
  }

  /** Another text: clear the focus and restore the text's scroll position. @param {string} text */
  #openText(text) {
    const before = lastViews.get(this.data.place);
    if (!this.text) this.rule = before?.rule;
    this.text = text;
    this.hovered = this.cursor = this.lineUnder = this.line = null;
    this.pinned = [];
    this.top = before?.text === text ? before.top : 0;
  }

  #remember() {
    lastViews.set(this.data.place, { rule: this.rule, text: this.text, top: this.parts.scroller.scrollTop });
  }

  /** Scroll to a token pinned in another view. @param {Scene} scene */
  #showPinned(scene) {
    const before = this.pinned;
    this.pinned = pinnedTokens(this.selection, scene.positions, scene.ranges);
    this.hovered = this.#existing(this.hovered);
    this.cursor = this.#existing(this.cursor);
    const [first] = this.pinned;
    if (first && !before.some((token) => sameToken(token, first))) scrollTo(this.parts.scroller, scene.layout, first);
  }

  // --- drawing ---

  /** @override */
  paint() {
    const { scene, parts } = this;
    if (!scene) return;
    const part = this.#shownPart(scene);
    drawTokens(this.#painter(scene, parts.tokens), scene, part, this.scenes.measure(scene));
    this.paintOver();
    const heads = scene.planes.map(({ head }) => head);
    const painter = this.#painter(scene, parts.lines);
    this.lines.draw(painter, pickedStrokes(scene, part), scene, part, () => this.notePainted(heads));
  }

  /** @override */
  paintOver() {
    const { scene, parts } = this;
    if (!scene) return;
    const part = this.#shownPart(scene);
    const focus = this.hovered ?? this.cursor ?? this.pinned[0] ?? null;
    parts.pane.classList.toggle("alone", focus !== null);
    const painter = this.#painter(scene, parts.over);
    drawCuts(painter, scene, part);
    for (const line of [this.lineUnder, this.line]) {
      if (line) drawMarked(painter, scene, part, [line], { colour: scene.colours.primary, width: 2 });
    }
    this.#placeCard(scene, part);
    if (focus) drawWeights(painter, scene, part, focus);
    drawFrames(painter, scene, part, this.pinned, this.hovered ?? this.cursor);
    drawPoints(painter, scene, part, this.selection.points ?? []);
    this.tokenLines.draw(painter, focus ? tokenStrokes(scene, part, focus) : noStrokes(), scene, part);
    parts.said.textContent = focus ? sentenceOf(scene, focus) : legendOf(scene);
    parts.said.title = focus ? parts.said.textContent : "";
    this.root.dataset.hovered = [0, 1].map((side) => (focus?.side === side ? focus.unit : NOTHING)).join(",");
  }

  /** @param {Scene} scene @param {HTMLCanvasElement} canvas */
  #painter({ layout, colours }, canvas) {
    return painterOn(canvas, { width: layout.width, height: layout.shown }, colours.font);
  }

  /** @param {Scene} scene @returns {Part} */
  #shownPart({ layout }) {
    return { top: this.parts.scroller.scrollTop, height: layout.shown };
  }

  /** @override */
  table() {
    return this.scene && tableOf(this.scene, this.selection.layer, this.pinned[0]);
  }

  /** @override */
  picture() {
    const { scene, pinned, cursor } = this;
    if (!scene) return null;
    const focus = cursor ?? pinned[0] ?? null;
    const [shown, measure] = [this.#shownPart(scene), this.scenes.measure(scene)];
    const { layer, points = [] } = this.selection;
    return savedPicture(scene, { layer, points, focus, pinned, shown, measure });
  }

  // --- changes by the user ---

  /** @param {SelectionChanges} changes */
  #select(changes) {
    const merged = { ...this.selection, ...changes };
    if (JSON.stringify(merged) !== JSON.stringify(this.selection)) this.send(changes);
  }

  /** @param {string} rule */
  #chooseRule(rule) {
    this.rule = rule;
    this.#remember();
    this.refresh();
  }

  /** @param {Token} token */
  #togglePin(token) {
    const { scene } = this;
    if (!scene) return;
    this.pin(pinChange(token, this.pinned, scene.positions));
    this.#speak(scene);
  }

  /** @param {Scene} scene */
  #speak(scene) {
    const focus = this.cursor ?? this.pinned[0] ?? null;
    const pin = focus && this.pinned.some((token) => sameToken(token, focus)) ? "Pinned. " : "";
    this.spoken.textContent = focus ? pin + sentenceOf(scene, focus) : "";
  }

  // --- the card of a line ---

  /** The line under the pointer, where links can be cut. @param {Scene} scene @returns {LineOfHead | null} */
  #lineUnderPointer(scene) {
    const { pointer, parts } = this;
    if (!pointer || !scene.cuts) return null;
    return lineAt(scene, this.#shownPart(scene), pointOn(parts.pane, pointer), this.cursor ?? this.pinned[0] ?? null);
  }

  /** @param {LineOfHead | null} line */
  #showCard(line) {
    this.line = line;
    if (this.scene) this.#fillCard(this.scene);
    this.drawOver();
  }

  /** @param {Scene} scene */
  #fillCard(scene) {
    const { line, selection, data, cuts } = this;
    if (!line || !cuts) return;
    const { query, key, head } = line;
    const cell = query * scene.size + key;
    const values = scene.planes.find((plane) => plane.head === head)?.values;
    const place = { layer: selection.layer, head };
    const link = { query: scene.positions[query], key: scene.positions[key] };
    this.card.fill({
      sentence: cellSentence(
        { ...scene, count: scene.size, weights: { [cell]: values ? weightOf(values[cell]) : 0 } },
        { row: query, column: key },
        { selection: place, special: data.special },
      ),
      chosen: place,
      offers: offersOf(cuts, link, place),
      weight: weightOfLink(cuts, link, place),
    });
  }

  /** @param {Scene} scene @param {Part} part */
  #placeCard(scene, part) {
    const { line, parts } = this;
    const box = line && boxOfLine(scene, part, line);
    if (!box || box.bottom < HEADER || box.top > part.height) return this.card.hide();
    const { left, top } = boxOf(parts.pane);
    const cell = { left: left + box.left, right: left + box.right, top: top + box.top, bottom: top + box.bottom };
    this.card.showAt({ cell, labels: [] });
  }

  // --- pointer and keys ---

  #listen() {
    const { pane, scroller } = this.parts;
    /** @param {{ clientX: number, clientY: number } | null} pointer */
    const point = (pointer) => {
      this.pointer = pointer;
      this.#hover(this.#tokenUnderPointer());
    };
    this.listen(pane, "pointermove", point);
    this.listen(pane, "pointerleave", () => point(null));
    this.listen(pane, "click", (event) => {
      this.pointer = event;
      this.#click(this.#tokenUnderPointer());
    });
    /** @param {Event} event */
    const isElsewhere = (event) => !event.composedPath().includes(this.card.root);
    this.listen(document, "pointerdown", (event) => this.line && isElsewhere(event) && this.#showCard(null));
    this.listen(document, "keydown", ({ key }) => key === "Escape" && this.line && this.#showCard(null));
    const scrolled = () => {
      this.#hover(this.#tokenUnderPointer());
      this.#remember();
      this.draw();
    };
    this.listen(scroller, "scroll", scrolled, { passive: true });
    this.listenToKeys(scroller, (event) => this.#press(event));
    this.listen(scroller, "blur", () => {
      this.cursor = null;
      this.drawOver();
    });
  }

  #tokenUnderPointer() {
    const { scene, pointer, parts } = this;
    if (!scene || !pointer) return null;
    const { x, y } = pointOn(parts.pane, pointer);
    const top = y < HEADER ? -Infinity : parts.scroller.scrollTop;
    return this.#existing(tokenAt(scene.layout, x, y + top));
  }

  /** The token if it is shown and exists. @param {Token | null} token */
  #existing(token) {
    return token && this.scene && isIn(this.scene.ranges[token.side], token.unit) ? token : null;
  }

  /** @param {Token | null} token */
  #hover(token) {
    const line = token || !this.scene || this.scene.fine ? null : this.#lineUnderPointer(this.scene);
    if (sameToken(token, this.hovered) && JSON.stringify(line) === JSON.stringify(this.lineUnder)) return;
    this.hovered = token;
    this.lineUnder = line;
    this.parts.pane.classList.toggle("pointing", token !== null || line !== null);
    this.drawOver();
  }

  /** @param {Token | null} token */
  #click(token) {
    this.cursor = null;
    if (token) this.#togglePin(token);
    else if (this.scene) this.#showCard(this.#lineUnderPointer(this.scene));
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it does something */
  #press({ key, shiftKey }) {
    const { scene } = this;
    if (!scene) return false;
    const current = this.cursor ?? this.hovered ?? this.pinned[0] ?? null;
    if (key === "Escape") {
      this.#release(scene);
    } else if (key === "Enter" && shiftKey) {
      if (!current || !scene.cuts) return false;
      this.#openNextLine(scene, current);
    } else if (key === "Enter" || key === " ") {
      if (!current) return false;
      this.#togglePin(current);
    } else {
      return this.#move(scene, key, current);
    }
    return true;
  }

  /**
   * Open the card of a token's strongest line, or of the one after the line whose card is open.
   * @param {Scene} scene @param {Token} token
   */
  #openNextLine({ planes, size, ranges }, { side, unit }) {
    const lines = linesOfToken(planes, size, side, unit, ranges[1 - side]);
    const open = lines.findIndex((line) => JSON.stringify(line) === JSON.stringify(this.line));
    this.#showCard(lines[(open + 1) % lines.length] ?? null);
    this.spoken.textContent = this.card.sentence.textContent;
  }

  /** @param {Scene} scene */
  #release(scene) {
    this.cursor = this.hovered = null;
    this.drawOver();
    this.#select({ query: NOTHING, key: NOTHING });
    this.#speak(scene);
  }

  /** @param {Scene} scene @param {string} key @param {Token | null} current */
  #move(scene, key, current) {
    const { layout, ranges } = scene;
    const page = Math.floor(layout.shown / layout.row) - 2;
    const beforeFirst = { side: /** @type {const} */ (0), unit: ranges[0][0] - 1 };
    const next = movedToken(key, current ?? beforeFirst, ranges, page);
    if (!next) return false;
    this.hovered = null;
    this.cursor = next;
    scrollTo(this.parts.scroller, layout, next);
    this.#speak(scene);
    this.drawOver();
    return true;
  }
}

export default await mounting((root, data) => new HeadView(root, /** @type {HeadViewData} */ (data)), import.meta.url);
