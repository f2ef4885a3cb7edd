// Renders the map of all heads through a painter, with the word for what each head does over a corpus.
import { drawRing } from "../shared/points.mjs";
import { MEAN } from "../shared/selection.mjs";
import { fitted } from "../shared/text.mjs";
import { columnOf, cornerOf } from "./tiles.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours, Painter, TextStyle } from "../shared/types.mjs" */
/** @import { Layout, Numbering, Place, Tile } from "./tiles.mjs" */

const HEIGHT = 14; // pixels of a word's background
export const BAR = 3; // pixels of the bar before it, in the colour of its kind
export const SIZE = 11; // of a word
const SMALLEST = 40; // pixels of a picture's side, below which a word would hide it

/**
 * What a head does: a short word, a title, and its kind.
 * @typedef {"syntactic" | "positional" | "habit"} Kind
 * @typedef {{ word: string, title: string, kind: Kind }} HeadLabel
 * @typedef {Record<string, HeadLabel>} HeadLabels by "layer.head"
 * @typedef {{ of: HeadLabels, source: string }} MapLabels with where they were measured
 */

/**
 * What is shown of the labels: all of them, or those of one word, "" for all.
 * @typedef {{ of: HeadLabels, only: string, kinds: Record<Kind, string> }} ShownLabels
 * @typedef {ShownLabels & { measure: Measure }} DrawnLabels with the widths of words
 */

const KINDS = ["syntactic", "positional", "habit"];

/** @param {HeadLabel} one @param {HeadLabel} other */
const byKind = (one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind);

/** Every word once, with its number of heads: by kind (the first of several), then by frequency. @param {HeadLabels} labels */
export function legendOf(labels) {
  /** @type {Map<string, HeadLabel & { count: number }>} */
  const found = new Map();
  for (const label of Object.values(labels).sort(byKind)) {
    const before = found.get(label.word);
    found.set(label.word, { ...(before ?? label), count: (before?.count ?? 0) + 1 });
  }
  return [...found.values()].sort((one, other) => byKind(one, other) || other.count - one.count);
}

/**
 * Write every head's word on its tile, and fade the heads that the legend filters out.
 * @param {Painter} painter @param {MapScene} scene @param {DrawnLabels} labels
 */
function drawLabels(painter, { layout, tiles, numbering, colours, muted }, { of, only, kinds, measure }) {
  const { side } = layout;
  for (const place of tiles) {
    const { layer, head } = numbering.headAt(place);
    const label = of[`${layer}.${head}`];
    const [x, y] = cornerOf(place, layout);
    if (only && (!label || label.word !== only)) {
      painter.rect(x, y, side, side, { fill: colours.background, alpha: 0.85 });
    } else if (label && side >= SMALLEST) {
      const top = y + side - HEIGHT;
      const word = fitted(label.word, side - 3 * BAR, measure);
      painter.rect(x, top, 3 * BAR + measure(word), HEIGHT, { fill: colours.background, alpha: 0.9 });
      if (label.kind !== "habit") painter.rect(x, top, BAR, HEIGHT, { fill: kinds[label.kind] });
      const colour = label.kind === "habit" ? muted : colours.text;
      painter.text(x + 2 * BAR, top + HEIGHT / 2, word, { colour, size: SIZE });
    }
  }
}

const SIZES = { small: 14, large: 15 }; // of the numbers
const CLOSE = 18; // pixels between tiles, below which only every other one is numbered

/**
 * @typedef {object} MapScene
 * @property {Layout} layout
 * @property {Tile[]} tiles
 * @property {Numbering} numbering
 * @property {Place | null} chosen
 * @property {Place | null} hovered
 * @property {Place[]} pointed heads that a tour stop highlights
 * @property {string} [whole] name of the column of whole layers
 * @property {boolean} [fromInput] whether tiles relate the input to the layer
 * @property {string} [noHeadsNote] why there are no heads, or ""
 * @property {DrawnLabels | null} [labels] corpus labels of heads, if shown
 * @property {boolean} large
 * @property {Colours} colours
 * @property {string} muted
 */

/** @param {Painter} painter @param {MapScene} scene */
export function drawMap(painter, scene) {
  const { layout, tiles, colours, chosen, hovered, pointed, noHeadsNote } = scene;
  const { side } = layout;
  if (layout.across) drawLayerNumbers(painter, scene);
  else drawNumbers(painter, scene);
  if (noHeadsNote && !layout.across) drawNoHeads(painter, scene);
  for (const { image, ...place } of tiles) {
    const [x, y] = cornerOf(place, layout);
    painter.image(image, x, y, side, side);
    painter.rect(x + 0.5, y + 0.5, side - 1, side - 1, { stroke: colours.border });
  }
  if (scene.labels) drawLabels(painter, scene, scene.labels);
  if (hovered) drawFrame(painter, layout, hovered, { stroke: colours.text, lineWidth: 1.5 });
  if (chosen) drawFrame(painter, layout, chosen, { stroke: colours.primary, lineWidth: 3 });
  for (const place of pointed) {
    const [x, y] = cornerOf(place, layout);
    drawRing(painter, { x, y, width: side, height: side }, colours);
  }
}

/** @param {Painter} painter @param {MapScene} scene */
function drawNumbers(painter, { layout, numbering, chosen, large, colours, muted, whole = "mean", noHeadsNote }) {
  const { mean, top, step, side } = layout;
  const { layers, heads } = numbering;
  const every = step < CLOSE ? 2 : 1;
  /** @type {(isChosen: boolean) => TextStyle} */
  const style = (isChosen) => ({
    colour: isChosen ? colours.text : muted,
    weight: isChosen ? 700 : 400,
    size: large ? SIZES.large : SIZES.small,
    align: "center",
  });
  const meanStyle = style(chosen?.head === MEAN);
  if (large) painter.text(mean + side / 2, top / 2, whole, meanStyle);
  else painter.text(mean + side, top / 2, whole, { ...meanStyle, align: "end" });
  for (let column = 0; column < (noHeadsNote ? 0 : heads.length); column += every) {
    const x = columnOf(column, layout) + side / 2;
    painter.text(x, top / 2, String(heads[column]), style(column === chosen?.head));
  }
  for (let row = 0; row < layers.length; row += every) {
    painter.text(mean / 2, top + step * row + side / 2, String(layers[row]), style(row === chosen?.layer));
  }
}

/**
 * The number of each layer above its tile, if heads are not separated.
 * @param {Painter} painter @param {MapScene} scene
 */
function drawLayerNumbers(painter, { layout, numbering, chosen, fromInput, colours, muted }) {
  numbering.layers.forEach((number, layer) => {
    const [x, y] = cornerOf({ layer, head: MEAN }, layout);
    const isChosen = layer === chosen?.layer;
    painter.text(x + layout.side / 2, y - layout.top / 2, fromInput ? `input to L${number}` : `L${number}`, {
      colour: isChosen ? colours.text : muted,
      weight: isChosen ? 700 : 400,
      size: SIZES.large,
      align: "center",
    });
  });
}

/** A grey area in place of the heads, if they are not separated. @param {Painter} painter @param {MapScene} scene */
function drawNoHeads(painter, { layout, numbering, noHeadsNote = "", muted }) {
  const { left, top, step, side } = layout;
  const [width, height] = [
    step * numbering.heads.length - (step - side),
    step * numbering.layers.length - (step - side),
  ];
  painter.rect(left, top, width, height, { fill: muted, alpha: 0.12 });
  painter.text(left + width / 2, top + height / 2, noHeadsNote, { colour: muted, size: SIZES.small, align: "center" });
}

/**
 * A frame around a head, or around a layer's mean.
 * @param {Painter} painter @param {Layout} layout @param {Place} place
 * @param {{ stroke: string, lineWidth: number }} style
 */
function drawFrame(painter, layout, place, style) {
  const [x, y] = cornerOf(place, layout);
  painter.rect(x - 1, y - 1, layout.side + 2, layout.side + 2, style);
}
