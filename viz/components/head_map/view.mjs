// @ts-check
// All heads on one canvas. The message is described in __init__.py; one click chooses layer and head everywhere.
import { painterOn } from "../shared/canvas_painter.mjs";
import { coloursOf } from "../shared/colour.mjs";
import { element, makeFocusable } from "../shared/elements.mjs";
import { PictureView } from "../shared/picture_view.mjs";
import { mounting } from "../shared/view.mjs";
import { drawMap } from "./draw.mjs";
import { Tiles, headAt, layoutOf, movedHead, tileImage } from "./tiles.mjs";
import { measuresOf, nameOf, tableOf } from "./words.mjs";
/** @import { Message, Painter, Tensor, ViewData } from "../shared/types.mjs" */
/** @import { MapScene } from "./draw.mjs" */
/** @import { Head } from "./tiles.mjs" */

const TIP_PICTURE = 168; // pixels of the picture in the tooltip

/**
 * @typedef {ViewData & { large: boolean }} HeadMapData
 * @typedef {Message<{ thumbnails: Tensor<Uint8Array>, profiles: Tensor<Float32Array> }, { measures: string[] }>} MapMessage
 */

/** @extends {PictureView<HeadMapData, MapMessage>} */
class HeadMap extends PictureView {
  /** @type {Head | null} */
  hovered = null;
  tiles = new Tiles();

  /** @param {HTMLElement} root @param {HeadMapData} data */
  constructor(root, data) {
    super(root, data);
    this.bar = element("div", "bar");
    const end = element("div", "end");
    end.append(...this.saveButtons);
    this.bar.append(end);
    this.canvas = element("canvas");
    makeFocusable(this.canvas, { role: "application" });
    const box = element("div", "map");
    box.append(this.canvas);
    root.replaceChildren(this.bar, box, this.spoken, this.twin.root, this.tip.root);
    this.bar.hidden = this.twin.root.hidden = !data.large;
    this.draw = this.perFrame(() => this.paint());
    this.watchSize(root, () => this.paint());
    this.listen(this.canvas, "pointermove", (event) => this.#hover(this.#headAt(event), event));
    this.listen(this.canvas, "pointerleave", () => this.#leave());
    this.listen(this.canvas, "blur", () => this.#leave());
    this.listen(this.canvas, "click", (event) => this.#choose(this.#headAt(event)));
    this.listenToKeys(this.canvas, (event) => this.#press(event.key));
  }

  /** @override */
  refresh() {
    this.bar.hidden = this.twin.root.hidden = !this.data.large;
    this.draw();
    this.twin.update();
  }

  // --- drawing ---

  paint() {
    const { scene, selection } = this;
    if (!scene) return;
    const { layers, heads, chosen, layout, colours } = scene;
    drawMap(painterOn(this.canvas, layout, colours.font), scene);
    const label = `Map of ${layers} layers with ${heads} heads each; ${nameOf(chosen)} is chosen.`;
    this.canvas.setAttribute("aria-label", `${label} Arrow keys choose another.`);
    this.notePainted([selection.head]);
  }

  /** @returns {MapScene | null} */
  get scene() {
    const { layout, message, data } = this;
    if (!layout || !message) return null;
    const [layers, heads] = message.tensors.thumbnails.shape;
    const tiles = this.tiles.of(message.tensors.thumbnails, layout.side, data.theme.sequential);
    const style = { large: data.large, colours: coloursOf(this.root), muted: data.theme.muted };
    return { layout, tiles, layers, heads, chosen: this.selection, ...style };
  }

  /** Where everything is on the page of now; null while there is nothing to draw. */
  get layout() {
    const { message, root, data } = this;
    if (!message || !root.clientWidth) return null;
    const [layers, heads] = message.tensors.thumbnails.shape;
    return layoutOf(root.clientWidth, layers, heads, data.large);
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
    const draw = (painter) => drawMap(painter, scene);
    return { name: "all-heads", width: layout.width + 4, height: layout.height + 4, colours, draw };
  }

  // --- what pointer and keys do ---

  /** @param {MouseEvent} event */
  #headAt({ offsetX, offsetY }) {
    const { layout, message } = this;
    if (!layout || !message) return null;
    const [layers, heads] = message.tensors.thumbnails.shape;
    return headAt(offsetX, offsetY, layout, layers, heads);
  }

  /**
   * Another head moves the tooltip; within a head it stays where it is.
   * @param {Head | null} head
   * @param {MouseEvent} event
   */
  #hover(head, event) {
    if (!head) return this.#leave();
    if (this.hovered?.layer === head.layer && this.hovered.head === head.head) return;
    this.hovered = head;
    const facts = `\n${this.#facts(head).join("\n")}`;
    const content = [element("strong", "", nameOf(head)), facts, ...this.#enlarged(head)];
    this.tip.showBeside(content, event.clientX, event.clientY);
  }

  #leave() {
    this.hovered = null;
    this.tip.hide();
  }

  /** @param {string} key */
  #press(key) {
    const { message, selection } = this;
    if (!message) return false;
    const [layers, heads] = message.tensors.thumbnails.shape;
    const next = movedHead(key, selection, layers, heads);
    this.#choose(next);
    return next !== null;
  }

  /** @param {Head | null} head */
  #choose(head) {
    const { selection } = this;
    if (!head || (head.layer === selection.layer && head.head === selection.head)) return;
    this.send({ layer: head.layer, head: head.head, heads: "" });
    this.spoken.textContent = [nameOf(head), ...this.#facts(head)].join(", ");
    this.draw();
  }

  get measures() {
    return this.message && { profiles: this.message.tensors.profiles, names: this.message.extras.measures };
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
    const { message, data } = this;
    if (!message) return [];
    const canvas = element("canvas");
    const size = Math.round(TIP_PICTURE * window.devicePixelRatio);
    const image = tileImage(message.tensors.thumbnails, head, size, data.theme.sequential);
    const painter = painterOn(canvas, { width: TIP_PICTURE, height: TIP_PICTURE }, "");
    painter.image(image, 0, 0, TIP_PICTURE, TIP_PICTURE);
    return [canvas];
  }
}

export default mounting((root, data) => new HeadMap(root, /** @type {HeadMapData} */ (data)));
