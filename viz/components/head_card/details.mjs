// @ts-check
// What a card opens to: all relations and habits of a head, and sentences that show it.
import { element } from "../shared/elements.mjs";
import { tableElement } from "../shared/table.mjs";
import { partElements } from "./examples.mjs";
/** @import { Table } from "../shared/types.mjs" */
/** @import { Example } from "./examples.mjs" */

/**
 * All of one head, from `viz.payloads.head_cards.details`; or why there is nothing to show.
 * @typedef {object} Details
 * @property {number} layer
 * @property {number} head
 * @property {string} [problem]
 * @property {string[]} notes
 * @property {Table[]} tables
 * @property {{ title: string, sentences: Example[] }[]} examples
 */

/**
 * @param {Details} details
 * @returns {HTMLElement[]}
 */
export function detailElements({ problem, notes, tables, examples }) {
  if (problem) return [element("p", "", problem)];
  return [
    ...notes.map((note) => element("p", "note", note)),
    ...(examples.length ? [element("h4", "", "Examples")] : []),
    ...examples.map(exampleGroup),
    element("h4", "", "Figures"),
    ...tables.map((table) => tableElement(table)),
  ];
}

/** @param {Details["examples"][number]} group */
function exampleGroup({ title, sentences }) {
  const root = element("details", "group");
  const list = element("ol");
  list.append(...sentences.map(exampleItem));
  root.append(element("summary", "", `${title} (${sentences.length})`), list);
  return root;
}

/** @param {Example} example */
function exampleItem(example) {
  const item = element("li");
  const link = element("a");
  link.href = example.address;
  link.append(...partElements(example));
  item.append(link, element("span", "value", ` ${example.value}`));
  return item;
}
