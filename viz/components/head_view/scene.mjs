// From a layer, the selection and the page to a scene, which draw.mjs draws and words.mjs describes.
import { coloursOf } from "../shared/page.mjs";
import { existingOf } from "../shared/units.mjs";
import { layoutOf, roomIn } from "./layout.mjs";
import { MEAN, pickedCells, planeOf, rangesOf, shownHeads } from "./lines.mjs";
import { titleOf } from "./words.mjs";

const MOST_CURVES = 2500; // lines; more are straight, thin, and fast

/** Makes scenes; keeps each head's lines while the layer, the sentences and the rule stay. */
export class Scenes {
  #valid = "";
  #planes = new Map();

  constructor(root) {
    this.root = root;
    this.context = document.createElement("canvas").getContext("2d");
  }

  /** `until` is how many units exist so far: the layout has room for all of them, lines come from those alone. */
  of({
    blob: {
      tensors: { weights },
      extras,
    },
    theme,
    selection,
    rule,
    width,
    until,
  }) {
    const [count, size] = weights.shape;
    const heads = shownHeads(selection, count);
    const all = rangesOf(size, extras.b_start, selection.sentences);
    const ranges = [existingOf(all[0], until), all[1]];
    const colours = this.#colours(theme);
    const planes = heads.map((head) => ({
      head,
      colour: head === MEAN ? colours.text : theme.heads[head % theme.heads.length],
      ...this.#picked(extras.id, weights, head, ranges, rule),
    }));
    const widest = (font) => Math.max(...extras.labels.map(this.measure(font, colours.font)));
    const room = roomIn(window.innerHeight, size);
    const drawn = planes.reduce((sum, { picks }) => sum + picks.cells.length, 0);
    return {
      count,
      size,
      planes,
      colours,
      drawn,
      ranges,
      layout: layoutOf({ width, room, ranges: all, bStart: extras.b_start, heads: planes.length, widest }),
      labels: extras.labels,
      special: extras.special,
      positions: extras.positions,
      bStart: extras.b_start,
      letters: extras.letters,
      numbers: extras.numbers,
      until: until ?? size,
      title: titleOf(selection.layer, heads, count),
      fine: drawn > MOST_CURVES,
      hair: 1 / window.devicePixelRatio, // a stroke one pixel of the screen wide is drawn the fast way
    };
  }

  /** A function that gives the width of a text. */
  measure(font, family) {
    this.context.font = `400 ${font}px ${family}`;
    return (text) => this.context.measureText(text).width;
  }

  #colours(theme) {
    const sentences = ["--a", "--b"].map((name) => getComputedStyle(this.root).getPropertyValue(name).trim());
    return { ...coloursOf(this.root), muted: theme.muted, sentences };
  }

  #picked(id, weights, head, ranges, rule) {
    const valid = JSON.stringify([id, ranges, rule]);
    if (valid !== this.#valid) this.#planes.clear();
    this.#valid = valid;
    if (!this.#planes.has(head)) {
      const values = planeOf(weights, head);
      this.#planes.set(head, { values, picks: pickedCells(values, weights.shape[1], ranges, rule) });
    }
    return this.#planes.get(head);
  }
}
