// @ts-check
// All heads on one canvas, with a row for each layer and a column for each head. Pointing at a head previews it in the
// picture, a click or a key chooses it everywhere. The message is described in __init__.py.
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { element, makeFocusable } from "../shared/elements.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { mounting } from "../shared/view.mjs";
import { densityOf, pointIn, pointOn } from "../shared/zoom.mjs";
import { drawMap } from "./draw.mjs";
import { Numbering } from "./numbering.mjs";
import { SentenceChoice } from "./sentences.mjs";
import { Tiles, headAt, layoutOf, movedHead, tileImage } from "./tiles.mjs";
import { TypedChoice } from "./typing.mjs";
import { keysOf, measuresOf, nameOf, tableOf } from "./words.mjs";
/** @import { Message, Painter, Tensor, ViewData } from "../shared/types.mjs" */
/** @import { MapScene } from "./draw.mjs" */
/** @import { Head } from "./tiles.mjs" */

const TIP_PICTURE = 168; // pixels of the picture in the tooltip
const FIRST = { layer: 0, head: 0 }; // the place from which keys move where none is chosen

/**
 * @typedef {ViewData & { large: boolean, enabled: boolean, filter: "enabled" | "disabled" | null, hint: boolean }} HeadMapData
 * @typedef {{ thumbnails: Tensor<Uint8Array>, profiles: Tensor<Float32Array> }} MapTensors
 * @typedef {Message<MapTensors, { measures: string[], layers?: number[], heads?: number[] }>} MapMessage
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
    const end = element("div", "end");
    end.append(...this.saveButtons);
    this.bar.append(end);
    this.canvas = element("canvas");
    makeFocusable(this.canvas, { role: "application" });
    this.box = element("div", "map");
    this.box.append(this.canvas);
    this.sentences = new SentenceChoice((filter) => this.send({ sentences: filter }));
    this.keys = element("p", "keys");
    const below = [this.keys, this.sentences.root, this.spoken, this.twin.root, this.tip.root];
    root.replaceChildren(this.bar, this.box, ...below);
    this.bar.hidden = this.twin.root.hidden = !data.large;
    this.draw = this.perFrame(() => this.paint());
    this.watchSize(root, () => this.paint());
    this.listen(this.canvas, "pointermove", (event) => this.#hover(this.#headAt(event), event));
    this.listen(this.canvas, "pointerleave", () => this.#leave());
    this.listen(this.canvas, "blur", () => this.#leave());
    this.listen(this.canvas, "click", (event) => this.#choose(this.#headAt(event)));
    this.listenToKeys(this.canvas, (event) => this.#press(event.key, event.timeStamp));
    this.listenToKeys(this.sentences.root, (event) => this.sentences.press(event.key));
  }

  /** @override */
  refresh() {
    const { large, enabled, filter, hint } = this.data;
    if (this.message) this.numbering = numberingOf(this.message);
    this.bar.hidden = this.twin.root.hidden = !large;
    this.box.classList.toggle("disabled", !enabled);
    this.canvas.setAttribute("aria-disabled", String(!enabled));
    this.sentences.root.hidden = filter === null;
    this.keys.hidden = !hint;
    this.sentences.update(this.selection.sentences, filter === "enabled");
    this.draw();
    this.twin.update();
  }

  /** @override */
  close() {
    if (this.hovered) this.source.preview(null);
    super.close();
  }

  // --- drawing ---

  paint() {
    const { scene } = this;
    if (!scene) return;
    const { numbering, layout, colours } = scene;
    drawMap(painterOn(this.canvas, layout, colours.font), scene);
    const { layers, heads } = numbering;
    const label = `Map of ${layers.length} layers with ${heads.length} heads each; ${nameOf(this.chosen)} is chosen.`;
    this.keys.textContent = keysOf(numbering.ends, this.data.enabled);
    this.canvas.setAttribute("aria-label", `${label} ${this.keys.textContent}`);
    this.notePainted([this.selection.head]);
  }

  /** What is chosen, whatever is previewed. */
  get chosen() {
    return this.source.chosen ?? this.selection;
  }

  /** @returns {MapScene | null} */
  get scene() {
    const { layout, message, data, numbering } = this;
    if (!layout || !message) return null;
    const pixels = layout.side * densityOf(this.canvas);
    const tiles = this.tiles.of(message.tensors.thumbnails, numbering, pixels, data.theme.sequential);
    const chosen = numbering.placeOf(this.chosen);
    const hovered = this.hovered && numbering.placeOf(this.hovered);
    const pointed = numbering.placesOf((this.selection.points ?? []).filter((point) => point.kind === "head"));
    const style = { large: data.large, colours: coloursOf(this.root), muted: data.theme.muted };
    return { layout, tiles, numbering, hovered, chosen, pointed, ...style };
  }

  /** Where everything is on the page of now; null while there is nothing to draw. */
  get layout() {
    const { message, root, data, numbering } = this;
    if (!message || !root.clientWidth) return null;
    const { layers, heads } = numbering;
    const room = data.large ? this.roomOnStage(this.box) : null;
    return layoutOf(root.clientWidth, layers.length, heads.length, data.large, room);
  }

  /** @override */
  table() {
    return this.measures && tableOf(this.measures);
  }

  /** @override */
  picture() {
    const { scene } = this;
    if (!scene) return null;
    const { layout, colours } = scene;
    /** @param {Painter} painter */
    const draw = (painter) => drawMap(painter, { ...scene, hovered: null });
    return { name: "all-heads", width: layout.width + 4, height: layout.height + 4, colours, draw };
  }

  // --- what pointer and keys do ---

  /** @param {MouseEvent} event */
  #headAt(event) {
    const { layout, numbering } = this;
    if (!layout) return null;
    const { x, y } = pointOn(this.canvas, event);
    const chosen = numbering.placeOf(this.chosen) ?? FIRST;
    const place = headAt(x, y, layout, numbering.layers.length, numbering.heads.length, chosen);
    return place && numbering.headAt(place);
  }

  /**
   * Another head is previewed and moves the tooltip; within a head it stays where it is.
   * @param {Head | null} head
   * @param {MouseEvent} event
   */
  #hover(head, event) {
    if (!head) return this.#leave();
    if (this.hovered?.layer === head.layer && this.hovered.head === head.head) return;
    this.hovered = head;
    if (this.data.enabled) this.source.preview(head);
    const facts = this.#facts(head).map((fact) => `\n${fact}`);
    const content = [element("strong", "", nameOf(head)), facts.join(""), ...this.#enlarged(head)];
    const { x, y } = pointIn(this.canvas, event);
    this.tip.showBeside(content, x, y);
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
    if (!message || !this.data.enabled) return false;
    const { layer, head } = numbering.ends;
    const next = this.typed.press(key, now, chosen, { layer: layer + 1, head: head + 1 }) ?? this.#moved(key);
    if (next) this.source.preview(null); // what the pointer rests on
    if (next && numbering.placeOf(next)) this.#choose(next);
    return next !== null;
  }

  /** @param {string} key */
  #moved(key) {
    const { numbering } = this;
    const { layers, heads } = numbering;
    const place = movedHead(key, numbering.placeOf(this.chosen) ?? FIRST, layers.length, heads.length);
    return place && numbering.headAt(place);
  }

  /** @param {Head | null} head */
  #choose(head) {
    const { chosen } = this;
    if (!head || !this.data.enabled || (head.layer === chosen.layer && head.head === chosen.head)) return;
    this.send({ layer: head.layer, head: head.head, heads: "" });
    this.spoken.textContent = [nameOf(head), ...this.#facts(head)].join(", ");
  }

  get measures() {
    const { message, numbering } = this;
    return message && { profiles: message.tensors.profiles, names: message.extras.measures, numbering };
  }

  /** @param {Head} head */
  #facts(head) {
    return this.measures ? measuresOf(this.measures, head).map((pair) => pair.join(" ")) : [];
  }

  /**
   * The head's picture for the tooltip.
   * @param {Head} head
   */
  #enlarged(head) {
    const { message, data, numbering } = this;
    const layer = numbering.layers.indexOf(head.layer);
    if (!message || layer < 0) return [];
    const canvas = element("canvas");
    const size = Math.round(TIP_PICTURE * densityOf(this.canvas));
    const image = tileImage(message.tensors.thumbnails, { ...head, layer }, size, data.theme.sequential);
    const painter = painterOn(canvas, { width: TIP_PICTURE, height: TIP_PICTURE }, "");
    painter.image(image, 0, 0, TIP_PICTURE, TIP_PICTURE);
    return [canvas];
  }
}

/** @param {MapMessage} message */
function numberingOf({ tensors, extras }) {
  const [layers, heads] = tensors.thumbnails.shape;
  return new Numbering({ layers, heads }, extras);
}

export default await mounting((root, data) => new HeadMap(root, /** @type {HeadMapData} */ (data)), import.meta.url);
