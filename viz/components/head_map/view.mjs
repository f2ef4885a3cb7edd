// All heads on one canvas. The message is described in __init__.py; one click chooses layer and head everywhere.
import { Link } from "../shared/link.mjs";
import { CanvasPainter, contextOf, ramp } from "../shared/paint.mjs";
import { element } from "../shared/elements.mjs";
import { TableTwin, coloursOf, mounting, perFrame, saveButtons } from "../shared/page.mjs";
import { storeOf, withBlob } from "../shared/store.mjs";

const MEAN = -1;
const GAP = 2;
const LARGEST_TILE = 96;
const MARGINS = { small: { left: 24, top: 20 }, large: { left: 34, top: 26 } };
const TIP_PICTURE = 168;

/** Where everything is, in CSS pixels: the side of a tile, the step from one to the next, and the whole picture. */
export function layout(width, layers, heads, large) {
  const { left, top } = large ? MARGINS.large : MARGINS.small;
  const step = Math.max(4, Math.min(LARGEST_TILE, Math.floor((width - left) / heads)));
  return { left, top, step, tile: step - GAP, width: left + step * heads, height: top + step * layers };
}

/** The head under a point, or null beside the tiles. */
export function headAt(x, y, place, layers, heads) {
  const layer = Math.floor((y - place.top) / place.step);
  const head = Math.floor((x - place.left) / place.step);
  const inside = layer >= 0 && layer < layers && head >= 0 && head < heads;
  return inside ? { layer, head } : null;
}

/** Where a key moves the choice, or null if it is not ours. From the mean, sideways leads to the first or last head. */
export function moved(key, { layer, head }, layers, heads) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (!Object.hasOwn(steps, key)) return null;
  const [down, right] = steps[key];
  const clamp = (value, count) => Math.min(Math.max(value, 0), count - 1);
  if (head === MEAN) {
    const entered = { ArrowLeft: heads - 1, ArrowRight: 0 };
    return { layer: clamp(layer + down, layers), head: entered[key] ?? MEAN };
  }
  return { layer: clamp(layer + down, layers), head: clamp(head + right, heads) };
}

/** Cells pooled by their maximum to at most `size` along a side, so that a small picture loses none. */
export function pooled(cells, rows, columns, size) {
  const [down, across] = [Math.min(rows, size), Math.min(columns, size)];
  if (down === rows && across === columns) return { cells, rows, columns };
  const small = new Uint8Array(down * across);
  for (let row = 0; row < rows; row++) {
    const to = Math.floor((row * down) / rows) * across;
    for (let column = 0; column < columns; column++) {
      const at = to + Math.floor((column * across) / columns);
      small[at] = Math.max(small[at], cells[row * columns + column]);
    }
  }
  return { cells: small, rows: down, columns: across };
}

/** "L3 H7". */
export const nameOf = ({ layer, head }) => (head === MEAN ? `L${layer}, mean` : `L${layer} H${head}`);

/** What is known of a head: ["entropy in bits 1.20", "to itself 4%", ...]. */
export function measuresOf(profiles, names, layer, head) {
  const [, heads, count] = profiles.shape;
  const at = (layer * heads + head) * count;
  return names.map((name, index) => {
    const value = profiles.values[at + index];
    if (Number.isNaN(value)) return [name, "none"];
    return [name, name.includes("bits") ? value.toFixed(2) : `${(100 * value).toFixed(0)}%`];
  });
}

class HeadMap {
  constructor(root) {
    this.link = new Link();
    this.root = root;
    this.bar = element("div", "bar");
    this.box = element("div", "map");
    this.canvas = element("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.spoken = element("div", "spoken");
    this.spoken.setAttribute("aria-live", "polite");
    this.tip = element("div", "tip");
    this.tip.setAttribute("popover", "manual");
    this.twin = new TableTwin(
      () => "Every head's measures on this text",
      () => ["head", ...this.blob.extras.measures],
      () => this.rows(),
    );
    this.tools = element("div", "end");
    this.tools.append(...saveButtons(() => this.picture()));
    this.bar.append(this.tools);
    this.box.append(this.canvas);
    this.root.replaceChildren(this.bar, this.box, this.spoken, this.twin.root, this.tip);
    this.redraw = perFrame(() => this.draw());
    this.controller = new AbortController();
    this.listen(this.controller.signal);
    this.observer = new ResizeObserver(this.redraw);
    this.observer.observe(this.root);
  }

  listen(signal) {
    const on = (type, handler) => this.canvas.addEventListener(type, handler, { signal });
    on("pointermove", (event) =>
      this.hover(headAt(event.offsetX, event.offsetY, this.place(), ...this.counts()), event),
    );
    on("pointerleave", () => this.hover(null));
    on("click", (event) => this.choose(headAt(event.offsetX, event.offsetY, this.place(), ...this.counts())));
    on("blur", () => this.hover(null));
    on("keydown", (event) => {
      const next = this.blob && moved(event.key, this.selection, ...this.counts());
      if (!next) return;
      event.preventDefault();
      event.stopPropagation(); // the page has uses of its own for arrow keys
      this.choose(next);
    });
  }

  update(data, setTriggerValue) {
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.selection = this.link.merged(data);
    this.bar.hidden = this.twin.root.hidden = !data.large;
    this.stopWaiting?.();
    this.stopWaiting = withBlob(storeOf(), data.id, (blob) => {
      if (this.blob !== blob) this.tiles = null;
      this.blob = blob;
      this.redraw();
      this.twin.update();
    });
  }

  counts() {
    return this.blob.tensors.thumbnails.shape.slice(0, 2);
  }

  place() {
    return layout(this.root.clientWidth, ...this.counts(), this.data.large);
  }

  choose(head) {
    if (!head || (head.layer === this.selection.layer && head.head === this.selection.head)) return;
    this.selection = { ...this.selection, ...head, heads: "" };
    this.link.send({ ...head, heads: "" }, this.setTriggerValue);
    this.spoken.textContent = [nameOf(head), ...this.facts(head)].join(", ");
    this.redraw();
  }

  facts({ layer, head }) {
    if (head === MEAN) return [];
    return measuresOf(this.blob.tensors.profiles, this.blob.extras.measures, layer, head).map((pair) => pair.join(" "));
  }

  rows() {
    const [layers, heads] = this.counts();
    const { profiles } = this.blob.tensors;
    return Array.from({ length: layers * heads }, (_, index) => {
      const at = { layer: Math.floor(index / heads), head: index % heads };
      const values = measuresOf(profiles, this.blob.extras.measures, at.layer, at.head);
      return [nameOf(at), ...values.map(([, value]) => value)];
    });
  }

  hover(head, event) {
    const open = this.tip.matches(":popover-open");
    if (!head) {
      if (open) this.tip.hidePopover();
      return;
    }
    if (open && this.hovered?.layer === head.layer && this.hovered?.head === head.head) return;
    this.hovered = head;
    const picture = element("canvas");
    const context = contextOf(picture, TIP_PICTURE, TIP_PICTURE);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.tileOf(head, TIP_PICTURE), 0, 0, TIP_PICTURE, TIP_PICTURE);
    this.tip.replaceChildren(element("strong", "", nameOf(head)), `\n${this.facts(head).join("\n")}`, picture);
    if (!open) this.tip.showPopover();
    const box = this.tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 18, window.innerWidth - box.width - 8);
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${Math.max(8, Math.min(event.clientY - 20, window.innerHeight - box.height - 8))}px`;
  }

  /** A head's cells as a canvas of one pixel each, or fewer where it is shown smaller. */
  tileOf({ layer, head }, size) {
    const { shape, values } = this.blob.tensors.thumbnails;
    const [, heads, rows, columns] = shape;
    const area = rows * columns;
    const from = (layer * heads + head) * area;
    const small = pooled(values.subarray(from, from + area), rows, columns, Math.round(size * window.devicePixelRatio));
    const tile = new OffscreenCanvas(small.columns, small.rows);
    const image = new ImageData(small.columns, small.rows);
    const colours = ramp(this.data.theme.sequential);
    small.cells.forEach((cell, index) => {
      const [red, green, blue] = colours[cell];
      image.data.set([red, green, blue, 255], index * 4);
    });
    tile.getContext("2d").putImageData(image, 0, 0);
    return tile;
  }

  draw() {
    if (!this.blob || !this.root.clientWidth) return;
    const place = this.place();
    const context = contextOf(this.canvas, place.width, place.height);
    this.paint(new CanvasPainter(context, coloursOf(this.root).font), place, this.allTiles(place.tile));
    const [layers, heads] = this.counts();
    this.canvas.setAttribute(
      "aria-label",
      `Map of ${layers} layers with ${heads} heads each; ${nameOf(this.selection)} is chosen. Arrow keys choose another.`,
    );
    const { layer, head } = this.selection;
    this.root.dataset.painted = `${this.data.id}|L${layer}|H${head === MEAN ? "mean" : head}`;
  }

  /** Every head's tile for this size, kept until size, colours or text change: moving the choice draws no pictures. */
  allTiles(size) {
    const made = `${size} ${window.devicePixelRatio} ${this.data.theme.sequential}`;
    if (this.tiles?.made === made) return this.tiles.list;
    const [layers, heads] = this.counts();
    const list = [];
    for (let layer = 0; layer < layers; layer++) {
      for (let head = 0; head < heads; head++) list.push({ layer, head, tile: this.tileOf({ layer, head }, size) });
    }
    this.tiles = { made, list };
    return list;
  }

  paint(painter, place, tiles) {
    const { large, theme } = this.data;
    const { primary, text, border } = coloursOf(this.root);
    const [layers, heads] = this.counts();
    const size = large ? 15 : 14;
    const number = (index, chosen) => ({
      colour: chosen ? text : theme.muted,
      weight: chosen ? 700 : 400,
      size,
      align: "center",
    });
    const every = place.step < 14 ? 2 : 1;
    for (let head = 0; head < heads; head += every) {
      const x = place.left + place.step * head + place.tile / 2;
      painter.text(x, place.top / 2, String(head), number(head, head === this.selection.head));
    }
    for (let layer = 0; layer < layers; layer += every) {
      const y = place.top + place.step * layer + place.tile / 2;
      painter.text(place.left / 2, y, String(layer), number(layer, layer === this.selection.layer));
    }
    for (const { layer, head, tile } of tiles) {
      const [x, y] = [place.left + place.step * head, place.top + place.step * layer];
      painter.image(tile, x, y, place.tile, place.tile);
      painter.rect(x + 0.5, y + 0.5, place.tile - 1, place.tile - 1, { stroke: border });
    }
    const { layer, head } = this.selection;
    const [first, count] = head === MEAN ? [0, heads] : [head, 1];
    const [x, y] = [place.left + place.step * first, place.top + place.step * layer];
    painter.rect(x - 1, y - 1, place.step * count - GAP + 2, place.tile + 2, { stroke: primary, lineWidth: 3 });
  }

  picture() {
    const place = this.place();
    const canvases = this.allTiles(place.tile).map(({ layer, head, tile }) => {
      const copy = document.createElement("canvas");
      Object.assign(copy, { width: tile.width, height: tile.height });
      copy.getContext("2d").drawImage(tile, 0, 0);
      return { layer, head, tile: copy };
    });
    const colours = coloursOf(this.root);
    const draw = (painter) => this.paint(painter, place, canvases);
    return { name: "all-heads", width: place.width + 4, height: place.height + 4, colours, draw };
  }

  close() {
    this.stopWaiting?.();
    this.controller.abort();
    this.observer.disconnect();
    if (this.tip.matches(":popover-open")) this.tip.hidePopover();
  }
}

export default mounting((root) => new HeadMap(root));
