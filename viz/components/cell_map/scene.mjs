// From a layer, what is selected and the page's colours to a scene, which draw.mjs draws and words.mjs describes. What
// depends on the size of the page is added by the view.
import { existingOf } from "../shared/units.mjs";
import { blockOf } from "./block.mjs";
import { headWeights } from "./cells.mjs";
import { marksIn } from "./marks.mjs";

/** `data` is what Python sent, `selection` what holds now; the weights of the scene `before` serve again if they can. */
export function sceneOf({ tensors, extras }, data, selection, colours, before) {
  const { labels, numbers, positions, b_start: bStart } = extras;
  const count = labels.length;
  const until = data.until ?? count;
  const block = blockOf(selection.sentences, bStart, count);
  const shown = [data.id, selection.head, selection.sentences, until].join(" "); // what the cells are of
  const { sequential, muted } = data.theme;
  return {
    labels,
    numbers,
    positions,
    count,
    bStart,
    until,
    block,
    shown,
    colours,
    existing: { ...block, rows: existingOf(block.rows, until) }, // the part of the block whose queries exist
    weights: before?.shown === shown ? before.weights : headWeights(tensors.weights, selection.head, until),
    marks: marksIn(block, data.marks, data.marks_name),
    ink: { sequential, muted, text: colours.text, background: colours.background },
    title: data.title,
  };
}
