// @ts-check
// What each head does over a corpus, as a word on its picture.
import { fitted } from "../shared/text.mjs";
import { cornerOf } from "./tiles.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Painter } from "../shared/types.mjs" */
/** @import { MapScene } from "./draw.mjs" */

const HEIGHT = 14; // pixels of a word's ground
export const BAR = 3; // pixels of the bar before it, which has the colour of its kind
export const SIZE = 11; // of a word
const SMALLEST = 40; // pixels of a picture's side, below which a word would hide it

/**
 * What a head does: a short word and a longer one, and whether the head is syntactic or positional, or has a habit only.
 * @typedef {"syntactic" | "positional" | "habit"} Kind
 * @typedef {{ word: string, title: string, kind: Kind }} HeadLabel
 * @typedef {Record<string, HeadLabel>} HeadLabels by "layer.head"
 * @typedef {{ of: HeadLabels, source: string }} MapLabels with where they were measured
 */

/**
 * What is shown of the labels: all of them, or those of one name (`nameOf`), "" for all.
 * @typedef {{ of: HeadLabels, only: string, kinds: Record<Kind, string> }} ShownLabels
 * @typedef {ShownLabels & { measure: Measure }} DrawnLabels with the widths of words
 */

/** @param {HeadLabel} label */
export const nameOf = ({ kind, word }) => `${kind} ${word}`;

/**
 * The labels that there are, each once, with the number of its heads: syntactic ones first, the commonest first.
 * @param {HeadLabels} labels
 */
export function legendOf(labels) {
  /** @type {Map<string, HeadLabel & { count: number }>} */
  const found = new Map();
  for (const label of Object.values(labels)) {
    const before = found.get(nameOf(label));
    found.set(nameOf(label), { ...label, count: (before?.count ?? 0) + 1 });
  }
  const kinds = ["syntactic", "positional", "habit"];
  return [...found.values()].sort(
    (one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || other.count - one.count,
  );
}

/**
 * Write every head's word on its picture, and fade the heads that the legend leaves out.
 * @param {Painter} painter
 * @param {MapScene} scene
 * @param {DrawnLabels} labels
 */
export function drawLabels(painter, { layout, tiles, numbering, colours, muted }, { of, only, kinds, measure }) {
  const { side } = layout;
  for (const place of tiles) {
    const { layer, head } = numbering.headAt(place);
    const label = of[`${layer}.${head}`];
    const [x, y] = cornerOf(place, layout);
    if (only && (!label || nameOf(label) !== only)) {
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
