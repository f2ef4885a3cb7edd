// Derives a scene from a layer, the selection and the page; draw.mjs renders it, words.mjs describes it.
import { coloursOf } from "../shared/colour.mjs";
import { headsOf, isWeights, planeOf, quantityOf } from "../shared/quantity.mjs";
import { existingOf, sentenceRanges } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
import { densityOf } from "../shared/zoom.mjs";
import { cutCells, nameOfCuts } from "../cell_map/cuts.mjs";
import { layoutOf, roomsIn } from "./layout.mjs";
import { drawnHeads, pickedCells } from "./lines.mjs";
import { titleOf } from "./words.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours, DataTheme, Head, LayerExtras, LayerMessage, Selection, Tensor } from "../shared/types.mjs" */
/** @import { Cuts } from "../cell_map/cuts.mjs" */
/** @import { LineOfHead } from "./draw.mjs" */
/** @import { Layout } from "./layout.mjs" */
/** @import { Buckets, Ranges } from "./lines.mjs" */

const MOST_CURVES = 2500; // lines; more are straight, thin, and fast

/**
 * One head's weights, and its lines by strength.
 * @typedef {{ values: Uint16Array, picks: Buckets }} Lines
 * @typedef {Lines & { head: number, colour: string }} Plane
 */

/**
 * @typedef {object} Scene
 * @property {number} count of the layer's heads
 * @property {number} size how many units the text has
 * @property {Quantity} quantity
 * @property {Plane[]} planes of the rendered heads
 * @property {number} drawn how many lines
 * @property {{ name: string, lines: LineOfHead[] } | null} cuts lines that are cut, and what they are; null where none can be
 * @property {Ranges} ranges of the units with lines; the layout's ranges are the units with a row
 * @property {Layout} layout
 * @property {string[]} labels of all units
 * @property {boolean[]} special
 * @property {number[][]} positions
 * @property {number[]} numbers
 * @property {number | null} bStart
 * @property {readonly string[]} letters of the two sentences
 * @property {number} until how many units exist so far
 * @property {string} title
 * @property {Colours & { muted: string, sentences: string[] }} colours
 * @property {boolean} fine whether there are too many lines for curves
 * @property {number} hair width of the thinnest line
 */

/**
 * The lines of a head that are cut.
 * @param {Cuts} cuts @param {readonly (readonly number[])[]} positions @param {Head} place
 * @returns {LineOfHead[]}
 */
function cutLines(cuts, positions, place) {
  return cutCells(cuts, positions, place).map(([query, key]) => ({ head: place.head, query, key }));
}

/** Builds scenes; caches each head's lines while layer, sentences and rule are the same. */
export class Scenes {
  #key = "";
  /** @type {Map<number, Lines>} */
  #lines = new Map();

  /** @param {HTMLElement} root @param {(family: string) => (size: number) => Measure} measures of texts in a font */
  constructor(root, measures) {
    this.root = root;
    this.measures = measures;
  }

  /**
   * @param {object} options
   * @param {LayerMessage} options.message
   * @param {DataTheme} options.theme
   * @param {Selection} options.selection
   * @param {string} options.rule which lines to render
   * @param {number} options.width
   * @param {number | null} options.stageRoom height available on stage; null on the page
   * @param {number | null | undefined} options.until how many units exist so far: the layout has room for all,
   *   but only these have lines
   * @param {readonly (readonly string[])[]} [options.others] the labels of texts whose pictures have the same rows
   * @param {Cuts} [options.cuts]
   * @returns {Scene}
   */
  of({ message: { tensors, extras }, theme, selection, rule, width, stageRoom, until, others = [], cuts }) {
    const { weights } = tensors;
    const [numPlanes, size] = weights.shape;
    const quantity = quantityOf(extras);
    const count = headsOf(quantity, numPlanes);
    const heads = drawnHeads(selection, numPlanes, quantity);
    const [queries, keys] = sentenceRanges(selection.sentences, extras.b_start, size);
    /** @type {Ranges} */
    const ranges = [existingOf(queries, until), keys];
    const colours = this.#colours(theme);
    const planes = heads.map((head) => ({
      head,
      colour: head === MEAN ? colours.text : theme.heads[head % theme.heads.length],
      ...this.#linesOf(extras, weights, head, ranges, rule),
    }));
    const measure = this.measures(colours.font);
    /** @param {number} font */
    const widest = (font) => Math.max(...[extras.labels, ...others].flat().map(measure(font)));
    const longest = Math.max(0, ...others.map(({ length }) => length));
    const rooms = roomsIn(window.innerHeight, Math.max(size, longest), stageRoom);
    const drawn = planes.reduce((sum, { picks }) => sum + picks.cells.length, 0);
    const { labels, special, positions, numbers, letters, b_start: bStart } = extras;
    return {
      ...{
        count,
        size,
        quantity,
        planes,
        colours,
        drawn,
        cuts:
          cuts && isWeights(quantity)
            ? {
                name: nameOfCuts(cuts),
                lines: heads.flatMap((head) => cutLines(cuts, positions, { layer: selection.layer, head })),
              }
            : null,
        ranges,
        labels,
        special,
        positions,
        numbers,
        letters,
        bStart,
      },
      layout: layoutOf({ width, ...rooms, ranges: [queries, keys], longest, bStart, heads: planes.length, widest }),
      until: until ?? size,
      title: titleOf(selection.layer, heads, count, quantity),
      fine: drawn > MOST_CURVES,
      hair: 1 / densityOf(this.root), // a stroke of one screen pixel takes the fast path
    };
  }

  /** The width of a token's text in a scene. @param {Scene} scene */
  measure({ layout, colours }) {
    return this.measures(colours.font)(layout.font);
  }

  /** @param {DataTheme} theme */
  #colours(theme) {
    const style = getComputedStyle(this.root);
    const sentences = ["--a", "--b"].map((name) => style.getPropertyValue(name).trim());
    return { ...coloursOf(this.root), muted: theme.muted, sentences };
  }

  /**
   * @param {LayerExtras & { id: string }} extras @param {Tensor<Uint16Array>} weights @param {number} head
   * @param {Ranges} ranges @param {string} rule
   */
  #linesOf({ id, quantity }, weights, head, ranges, rule) {
    const key = JSON.stringify([id, ranges, rule]);
    if (key !== this.#key) this.#lines.clear();
    this.#key = key;
    const known = this.#lines.get(head);
    if (known) return known;
    const values = planeOf(weights, head, quantity);
    const lines = { values, picks: pickedCells(values, weights.shape[1], ranges, rule) };
    this.#lines.set(head, lines);
    return lines;
  }
}
