// All heads on one canvas, with a row for each layer and a column for each head. Hovering previews a head in the
// main view; a click or a key selects it everywhere. The message is described in __init__.py.
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { button, describe, element, makeFocusable, setPressed } from "../shared/elements.mjs";
import { HORIZONTAL, VERTICAL, movedWithin } from "../shared/keys.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { fileName, headsOf, isWeights, quantityOf, separatesHeads } from "../shared/quantity.mjs";
import { MEAN } from "../shared/selection.mjs";
import { textMeasures } from "../shared/text.mjs";
import { mounting } from "../shared/view.mjs";
import { densityOf, pointIn, pointOn } from "../shared/zoom.mjs";
import { BAR, SIZE as WORD_SIZE, drawMap, legendOf } from "./draw.mjs";
import {
  Numbering,
  Tiles,
  headAt,
  layerAt,
  layerLayout,
  layoutOf,
  movedHead,
  roomOnPage,
  tileImage,
} from "./tiles.mjs";
import { TypedChoice } from "./typing.mjs";
import { keysOf, measuresOf, nameOf, tableOf } from "./words.mjs";
/** @import { DirectRun } from "../shared/page_selection.mjs" */
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { ColourScale, DataTheme, Head, Message, Painter, SentenceFilter, Tensor, ViewData } from "../shared/types.mjs" */
/** @import { HeadLabel, HeadLabels, MapLabels, MapScene, ShownLabels } from "./draw.mjs" */

const SIDE = 168; // pixels

/**
 * @param {Tensor<Uint8Array>} thumbnails @param {Head} head @param {ColourScale} scale @param {Quantity} quantity
 * @param {number} density pixels of the screen for one of the page
 */
function enlargedTile(thumbnails, head, scale, quantity, density) {
  const canvas = element("canvas");
  const image = tileImage(thumbnails, head, Math.round(SIDE * density), scale, quantity);
  painterOn(canvas, { width: SIDE, height: SIDE }, "", density).image(image, 0, 0, SIDE, SIDE);
  return canvas;
}

/** A button for every word, and one that hides all words. */
class LabelChoice {
  #isShown = true;
  #only = "";
  /** @type {HeadLabels | null} */
  #labels = null;
  #kinds = { syntactic: "", positional: "", habit: "" };
  #state = "";

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.root = element("div", "labels");
    describe(this.root, "group", "What heads do over a corpus");
    this.root.hidden = true;
  }

  /** The labels to show, or null. @returns {ShownLabels | null} */
  get shown() {
    return this.#labels && this.#isShown ? { of: this.#labels, only: this.#only, kinds: this.#kinds } : null;
  }

  /**
   * @param {{ labels?: MapLabels | null, theme: DataTheme }} data
   * @param {boolean} drawsWeights which the labels describe
   */
  update({ labels, theme }, drawsWeights) {
    this.#labels = drawsWeights && labels ? labels.of : null;
    this.#kinds = { syntactic: theme.heads[0], positional: theme.heads[1], habit: theme.muted };
    this.root.hidden = !this.#labels;
    const state = JSON.stringify([labels, this.#kinds, this.#only, this.#isShown]);
    if (!labels || !this.#labels || state === this.#state) return;
    this.#state = state;
    const focused = [...this.root.children].indexOf(/** @type {Element} */ (this.#active));
    const words = button("Labels", () => this.#change(!this.#isShown, ""));
    setPressed(words, this.#isShown);
    const each = legendOf(this.#labels).map((entry) => this.#entry(entry));
    this.root.replaceChildren(element("span", "name", labels.source), words, ...each);
    if (focused > 0) /** @type {HTMLElement | undefined} */ (this.root.children[focused])?.focus();
  }

  /** @param {HeadLabel & { count: number }} entry */
  #entry(entry) {
    const { word } = entry;
    const made = button(`${word} ${entry.count}`, () => this.#change(true, this.#only === word ? "" : word));
    made.title = `${entry.title}: these heads alone`;
    made.style.boxShadow = `inset ${BAR}px 0 ${this.#kinds[entry.kind]}`;
    setPressed(made, this.#only === word);
    return made;
  }

  get #active() {
    return /** @type {Document | ShadowRoot} */ (this.root.getRootNode()).activeElement;
  }

  /** @param {boolean} isShown @param {string} only */
  #change(isShown, only) {
    this.#isShown = isShown;
    this.#only = only;
    this.changed();
  }
}

/** @type {readonly SentenceFilter[]} */
const FILTERS = ["all", "A→A", "A→B", "B→A", "B→B"];
const HELP = "Of a pair: only the attention from one sentence to itself or to the other.";
const STEPS = { ...HORIZONTAL, ...VERTICAL };

class SentenceChoice {
  /** @param {(filter: SentenceFilter) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.root = element("div", "sentences");
    describe(this.root, "radiogroup", "From → to");
    this.root.title = HELP;
    this.buttons = FILTERS.map((filter) => {
      const made = button(filter, () => choose(filter));
      made.setAttribute("role", "radio");
      return made;
    });
    this.root.append(element("span", "name", "From → to"), ...this.buttons);
  }

  /** Update the buttons. @param {SentenceFilter} chosen */
  update(chosen) {
    this.buttons.forEach((each, index) => {
      const isChosen = FILTERS[index] === chosen;
      each.setAttribute("aria-checked", String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
    });
  }

  /** @param {string} key @returns {boolean} whether the key moves the choice */
  press(key) {
    const chosen = this.buttons.findIndex((each) => each.tabIndex === 0);
    const next = movedWithin(key, chosen, [0, FILTERS.length], STEPS);
    if (next === null) return false;
    this.choose(FILTERS[next]);
    this.buttons[next].focus();
    return true;
  }
}

const FIRST = { layer: 0, head: 0 }; // where keys start without a selection

/**
 * @typedef {ViewData & { large: boolean, filter: boolean }} Shown
 * @typedef {Shown & { labels?: MapLabels | null }} HeadMapData
 * @typedef {{ thumbnails: Tensor<Uint8Array>, profiles: Tensor<Float32Array> }} MapTensors
 * @typedef {Message<MapTensors, { measures: string[], layers?: number[], heads?: number[], quantity?: Quantity }>} MapMessage
 */

/** @extends {PictureView<HeadMapData, MapMessage>} */
class HeadMap extends PictureView {
  /** @type {Head | null} */
  hovered = null;
  numbering = new Numbering({ layers: 0, heads: 0 });
  tiles = new Tiles();
  typed = new TypedChoice();

  /** @param {HTMLElement} root @param {HeadMapData} data */
  constructor(root, data) {
    super(root, data);
    this.bar = element("div", "bar");
    const end = element("div", "end", this.menu.root);
    this.bar.append(end);
    this.canvas = element("canvas");
    makeFocusable(this.canvas, { role: "application" });
    this.box = element("div", "map", this.canvas);
    this.sentences = new SentenceChoice((filter) => this.send({ sentences: filter }));
    this.labels = new LabelChoice(() => this.refresh());
    const below = [this.labels.root, this.sentences.root, this.spoken, this.twin.root, this.tip.root];
    root.replaceChildren(this.bar, this.box, ...below);
    this.bar.hidden = this.twin.root.hidden = !data.large;
    this.watchSize(root, () => this.paint());
    this.listen(this.canvas, "pointermove", (event) => this.#hover(this.#headAt(event), event));
    this.listen(this.canvas, "pointerleave", () => this.#leave());
    this.listen(this.canvas, "blur", () => this.#leave());
    this.listen(this.canvas, "click", (event) => this.#choose(this.#headAt(event)));
    this.listenToKeys(this.canvas, (event) => this.#press(event.key, event.timeStamp));
    this.listenToKeys(this.sentences.root, (event) => this.sentences.press(event.key));
  }

  /** @override @param {DirectRun} run */
  directId(run) {
    return run.map;
  }

  /** @override */
  refresh() {
    const { large, filter } = this.data;
    if (this.message) this.numbering = numberingOf(this.message);
    this.bar.hidden = this.twin.root.hidden = !large;
    this.sentences.root.hidden = !filter;
    this.sentences.update(this.selection.sentences);
    this.labels.update(this.data, isWeights(this.quantity));
    this.draw();
    this.twin.update();
  }

  /** @override */
  close() {
    if (this.hovered) this.source.preview(null);
    super.close();
  }

  // --- drawing ---

  /** @override */
  paint() {
    const { scene } = this;
    if (!scene) return;
    const { numbering, layout, colours } = scene;
    drawMap(painterOn(this.canvas, layout, colours.font), scene);
    const { layers, heads } = numbering;
    const { quantity } = this;
    const each = separatesHeads(quantity) ? ` with ${heads.length} heads each` : "";
    const label = `Map of ${layers.length} layers${each}${this.ofWhich}; ${nameOf(this.chosen, quantity)} is chosen.`;
    this.canvas.setAttribute("aria-label", `${label} ${keysOf(numbering.ends, quantity)}`);
    this.notePainted([this.selection.head]);
  }

  /** The selection without the preview. */
  get chosen() {
    return this.seen.chosen ?? this.selection;
  }

  /** @returns {MapScene | null} */
  get scene() {
    const { layout, message, data, numbering } = this;
    if (!layout || !message) return null;
    const pixels = layout.side * densityOf(this.canvas);
    const { quantity } = this;
    const tiles = this.tiles.of(message.tensors.thumbnails, numbering, pixels, data.theme.sequential, quantity);
    const chosen = this.#placeOf(this.chosen);
    const hovered = this.hovered && this.#placeOf(this.hovered);
    const pointed = (this.selection.points ?? []).filter((point) => point.kind === "head");
    const style = { large: data.large, colours: coloursOf(this.root), muted: data.theme.muted };
    const { shown } = this.labels;
    return {
      ...{ layout, tiles, numbering, hovered, chosen, ...style },
      pointed: pointed.flatMap((head) => this.#placeOf(head) ?? []),
      labels: shown && { ...shown, measure: textMeasures(this.measuring, style.colours.font)(WORD_SIZE) },
      whole: isWeights(quantity) ? "mean" : "layer",
      fromInput: quantity.from_input,
      noHeadsNote: separatesHeads(quantity) ? "" : `${quantity.name} has no heads`,
    };
  }

  get quantity() {
    return quantityOf(this.message?.extras ?? {});
  }

  /** The place of a head's tile, or of its layer's tile if heads are not separated. @param {Head} head */
  #placeOf(head) {
    return this.numbering.placeOf(separatesHeads(this.quantity) ? head : { ...head, head: MEAN });
  }

  /** The layout at the page's present size, or null without a message. */
  get layout() {
    const { message, root, data, numbering } = this;
    if (!message || !root.clientWidth) return null;
    const { layers, heads } = numbering;
    const room = data.large ? (this.roomOnStage(this.box) ?? roomOnPage(window.innerHeight, layers.length)) : null;
    if (data.large && !separatesHeads(this.quantity)) return layerLayout(root.clientWidth, layers.length, room);
    return layoutOf(root.clientWidth, layers.length, heads.length, data.large, room);
  }

  /** @override */
  table() {
    return this.measures ? tableOf(this.measures) : null;
  }

  /** @override */
  picture() {
    const { scene } = this;
    if (!scene) return null;
    const { layout, colours } = scene;
    /** @param {Painter} painter */
    const draw = (painter) => drawMap(painter, { ...scene, hovered: null });
    const name = isWeights(this.quantity)
      ? "all-heads"
      : fileName({ title: this.quantity.name, quantity: this.quantity });
    return { name, width: layout.width + 4, height: layout.height + 4, colours, draw };
  }

  // --- pointer and keys ---

  /** @param {MouseEvent} event */
  #headAt(event) {
    const { layout, numbering } = this;
    if (!layout) return null;
    const { x, y } = pointOn(this.canvas, event);
    const [layers, heads] = [numbering.layers.length, numbering.heads.length];
    if (layout.across) {
      const layer = layerAt(x, y, layout, layers);
      return layer === null ? null : this.#asOffered(numbering.headAt({ layer, head: MEAN }));
    }
    const place = headAt(x, y, layout, layers, heads, this.#placeOf(this.chosen) ?? FIRST);
    return place && this.#asOffered(numbering.headAt(place));
  }

  /** A choice; it keeps the selected head if heads are not separated. @param {Head} head @returns {Head} */
  #asOffered(head) {
    return separatesHeads(this.quantity) ? head : { ...head, head: this.chosen.head };
  }

  /**
   * Preview another head and move the tooltip; it stays put within a head.
   * @param {Head | null} head @param {MouseEvent} event
   */
  #hover(head, event) {
    if (!head) return this.#leave();
    if (this.hovered?.layer === head.layer && this.hovered.head === head.head) return;
    this.hovered = head;
    this.source.preview(head);
    const facts = this.#facts(head).map((fact) => `\n${fact}`);
    const content = [element("strong", "", nameOf(head, this.quantity)), facts.join(""), ...this.#enlarged(head)];
    const { x, y } = pointIn(this.canvas, event);
    this.tip.showNextTo(content, x, y);
    this.draw();
  }

  #leave() {
    this.tip.hide();
    if (!this.hovered) return;
    this.hovered = null;
    this.source.preview(null);
    this.draw();
  }

  /** @param {string} key @param {number} now */
  #press(key, now) {
    const { message, chosen, numbering } = this;
    if (!message) return false;
    const { layer, head } = numbering.ends;
    const asked = this.typed.press(key, now, chosen, { layer: layer + 1, head: head + 1 }) ?? this.#moved(key);
    const next = asked && this.#asOffered(asked);
    if (next) this.source.preview(null); // ends the hovered head's preview
    if (next && numbering.placeOf(next)) this.#choose(next);
    return next !== null;
  }

  /** @param {string} key */
  #moved(key) {
    const { numbering } = this;
    const { layers, heads } = numbering;
    const place = movedHead(this.#alongLayers(key), this.#placeOf(this.chosen) ?? FIRST, layers.length, heads.length);
    return place && numbering.headAt(place);
  }

  /** Map keys for heads to keys for layers if the layers are side by side. @param {string} key */
  #alongLayers(key) {
    if (!this.layout?.across) return key;
    return { ArrowLeft: "ArrowUp", ArrowRight: "ArrowDown" }[key] ?? key;
  }

  /** @param {Head | null} head */
  #choose(head) {
    const { chosen } = this;
    if (!head || (head.layer === chosen.layer && head.head === chosen.head)) return;
    this.send(
      separatesHeads(this.quantity) ? { layer: head.layer, head: head.head, heads: "" } : { layer: head.layer },
    );
    this.spoken.textContent = [nameOf(head, this.quantity), ...this.#facts(head)].join(", ");
  }

  get measures() {
    const { message, numbering } = this;
    const { profiles } = message?.tensors ?? {};
    return message && profiles && { profiles, names: message.extras.measures, numbering, quantity: this.quantity };
  }

  /** A head's label and measures. @param {Head} head */
  #facts(head) {
    const label = this.labels.shown?.of[`${head.layer}.${head.head}`];
    const measures = this.measures ? measuresOf(this.measures, head) : [];
    return [...(label ? [label.title] : []), ...measures.map((pair) => pair.join(" "))];
  }

  /** The head's picture for the tooltip. @param {Head} head */
  #enlarged(head) {
    const { message, data, numbering } = this;
    const layer = numbering.layers.indexOf(head.layer);
    if (!message || layer < 0) return [];
    const tile = { ...head, layer };
    const { thumbnails } = message.tensors;
    return [enlargedTile(thumbnails, tile, data.theme.sequential, this.quantity, densityOf(this.canvas))];
  }
}

/** @param {MapMessage} message */
function numberingOf({ tensors, extras }) {
  const [layers, planes] = tensors.thumbnails.shape;
  return new Numbering({ layers, heads: headsOf(quantityOf(extras), planes) }, extras);
}

export default await mounting((root, data) => new HeadMap(root, /** @type {HeadMapData} */ (data)), import.meta.url);
