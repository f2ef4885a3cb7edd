// @ts-check
// Which layers and heads the rows and columns of a map stand for: all of them, or those that somebody chose.
import { unitsIn } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
/** @import { Head } from "../shared/types.mjs" */

/**
 * A head by the row and the column of its tile; the means' column is MEAN.
 * @typedef {{ layer: number, head: number }} Place
 */

export class Numbering {
  /**
   * @param {{ layers: number, heads: number }} counts of what there is
   * @param {{ layers?: readonly number[], heads?: readonly number[] }} [shown] the number of each row, and of each column
   */
  constructor(counts, { layers, heads } = {}) {
    this.layers = layers ?? unitsIn([0, counts.layers]);
    this.heads = heads ?? unitsIn([0, counts.heads]);
  }

  /**
   * The head whose tile is at a place.
   * @param {Place} place
   * @returns {Head}
   */
  headAt({ layer, head }) {
    return { layer: this.layers[layer], head: head === MEAN ? MEAN : this.heads[head] };
  }

  /**
   * Where a head's tile is, or null where the map has none.
   * @param {Head} head
   * @returns {Place | null}
   */
  placeOf({ layer, head }) {
    const [row, column] = [this.layers.indexOf(layer), head === MEAN ? MEAN : this.heads.indexOf(head)];
    return row < 0 || (column < 0 && head !== MEAN) ? null : { layer: row, head: column };
  }

  /**
   * Where heads' tiles are, of those that the map has.
   * @param {readonly Head[]} heads
   */
  placesOf(heads) {
    return heads.flatMap((head) => this.placeOf(head) ?? []);
  }

  /** The largest numbers, up to which numbers can be typed. */
  get ends() {
    return { layer: Math.max(...this.layers), head: Math.max(...this.heads) };
  }
}
