// Reads what Python wrote into the page. Its messages move to the store: the selected layer first, then the others, finally
// the maps, which are made from the layers.
import { layerId } from "../../components/shared/message.mjs";
import { keepMessage, storeOf } from "../../components/shared/store.mjs";
import { readMessage } from "./quantised.mjs";
import { thumbnailsOf } from "./thumbnails.mjs";
/** @import { LayerMessage, Message } from "../../components/shared/types.mjs" */
/** @import { RunContents } from "./contents.mjs" */

/** @typedef {{ run: string, layers: number[], text: string }} Block of the page's text; `run` is its message's id */

/** What the page shows, and the element in which it is rendered. @returns {{ contents: any, root: HTMLElement }} */
export function contentsOfPage() {
  const [script, root] = [document.querySelector("script[data-contents]"), document.querySelector("main")];
  if (!script || !root) throw new Error("The page has no contents.");
  return { contents: JSON.parse(script.textContent), root };
}

/**
 * Render a page that is one file, and note when all of it is there.
 * @param {{ show(root: HTMLElement): void, firstLayer: number }} page
 * @param {{ runs: readonly RunContents[] }} contents
 * @param {HTMLElement} root
 * @param {() => Promise<void>} finish what follows the last message
 */
export async function showWhole(page, { runs }, root, finish = async () => {}) {
  document.documentElement.toggleAttribute("data-framed", window.parent !== window);
  page.show(root);
  await storeAll(runs, page.firstLayer);
  await finish();
  document.documentElement.dataset.complete = "";
}

/** @returns {Block[]} */
function blocksOfPage() {
  return [...document.querySelectorAll("script[data-message]")].map((script) => {
    const { message = "", layers = "" } = /** @type {HTMLScriptElement} */ (script).dataset;
    return { run: message, layers: layers ? layers.split(" ").map(Number) : [], text: script.textContent };
  });
}

/**
 * Store everything; each view renders as soon as its part is there.
 * @param {readonly RunContents[]} runs
 * @param {number} layer whose numbers are read first
 */
export async function storeAll(runs, layer) {
  const blocks = blocksOfPage();
  const isFirst = (/** @type {Block} */ { layers }) => layers.includes(layer);
  const [maps, layers] = [
    blocks.filter((block) => !block.layers.length),
    blocks.filter((block) => block.layers.length),
  ];
  for (const block of [...layers.filter(isFirst), ...layers.filter((one) => !isFirst(one))]) await storeLayers(block);
  for (const block of maps) if (!runs.some(({ map }) => map === block.run)) await storeLayers(block);
  for (const run of runs) {
    const profiles = await Promise.all(
      maps.filter((block) => block.run === run.map).map(({ text }) => readMessage(text)),
    );
    profiles.forEach(({ messages: [message] }, part) => storeMap(run, message, part));
  }
}

/** @param {Block} block */
async function storeLayers({ text }) {
  for (const message of (await readMessage(text)).messages) keep(message.extras.id, message);
}

/**
 * Store a map, whose thumbnails are made from the layers in the store.
 * @param {RunContents} run
 * @param {Message<object, object>} message with the measures of all heads
 * @param {number} part
 */
export function storeMap(run, { tensors, extras }, part) {
  const layers = run.layers.map((layer) => keptLayer(layerId(run.attention, layer)));
  const thumbnails = thumbnailsOf(layers, run.parts[part]?.sentences ?? "all");
  const numbering = { layers: run.layers, heads: run.heads ?? undefined };
  const id = mapId(run, part);
  keep(id, { tensors: { ...tensors, thumbnails }, extras: { ...extras, ...numbering, id } });
}

/** The id of a run's map; a run of several parts has a map for each. @param {RunContents} run @param {number} part */
export function mapId(run, part) {
  return `${run.map}-${part}`;
}

/** @param {string} id */
function keptLayer(id) {
  return /** @type {LayerMessage} */ (storeOf().messages.get(id)?.message);
}

/**
 * Store a message of size 0, so that it is never evicted: nothing could send it again.
 * @param {string} id @param {unknown} message
 */
function keep(id, message) {
  keepMessage(storeOf(), id, message, 0);
}
