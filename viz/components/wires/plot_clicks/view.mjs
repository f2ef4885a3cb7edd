// Listens to clicks on the page's Plotly figures: a clicked cell changes the selection. See __init__.py.
import { selectionOf } from "../../shared/page_selection.mjs";
import { View, mounting } from "../../shared/view.mjs";

/**
 * What a click on a figure selects: the selection's field of each axis, as in { x: "column", y: "row" }. If the axes are
 * words, `texts` has the token of each word in each text, -1 for none.
 * @typedef {{ axes: Record<string, string>, texts?: { text: string, tokens: number[] }[] }} Chart
 */

/**
 * @typedef {{ charts: Record<string, Chart> }} ClicksData
 * @typedef {Record<string, unknown>} Point of a figure, by axis
 * @typedef {(event: { points: Point[] }) => void} ClickListener
 */

/**
 * What Plotly adds to a figure's element.
 * @typedef {object} PlotlyEvents
 * @property {(type: "plotly_click", listener: ClickListener) => void} [on]
 * @property {(type: "plotly_click", listener: ClickListener) => void} removeListener
 */

/**
 * The change that a clicked point makes, such as { column: 3, row: 2 }; null if it lies on none of the axes, or no text
 * has all of its words.
 * @param {Point | null | undefined} point @param {Chart} chart @returns {Record<string, number | string> | null}
 */
export function chosen(point, { axes, texts }) {
  const fields = Object.entries(axes);
  const places = fields.map(([axis]) => Math.round(Number(point?.[axis] ?? NaN)));
  if (!fields.length || !places.every((place) => place >= 0)) return null;
  /** @param {readonly number[]} values */
  const named = (values) => Object.fromEntries(fields.map(([, name], index) => [name, values[index]]));
  if (!texts) return named(places);
  for (const { text, tokens } of texts) {
    const found = places.map((place) => tokens[place] ?? -1);
    if (found.every((token) => token >= 0)) return { ...named(found), pinned_in: text };
  }
  return null;
}

/**
 * The figure around a node and the key of its chart, or null.
 * @param {EventTarget | null} node @param {ClicksData["charts"]} charts
 */
function chartOf(node, charts) {
  const graph = node instanceof Element ? node.closest(".js-plotly-plot") : null;
  if (!graph) return null;
  const key = Object.keys(charts).find((name) => graph.closest(`.st-key-${CSS.escape(name)}`));
  return key ? { graph: /** @type {Element & PlotlyEvents} */ (graph), key } : null;
}

/** @extends {View<ClicksData>} */
class Clicks extends View {
  /** @type {WeakMap<Element, ClickListener>} */
  #listeners = new WeakMap();

  /** @param {HTMLElement} root @param {ClicksData} data */
  constructor(root, data) {
    super(root, data);
    // Runs replace figures, and Plotly drops listeners when it renders one again: each figure gets its listener when
    // the pointer comes near.
    for (const type of /** @type {const} */ (["pointerover", "pointerdown"])) {
      this.listen(document, type, (event) => this.#approach(event.target), { capture: true });
    }
  }

  /** @param {EventTarget | null} node */
  #approach(node) {
    const found = chartOf(node, this.data.charts);
    if (!found?.graph.on) return;
    const { graph, key } = found;
    const before = this.#listeners.get(graph);
    if (before) graph.removeListener("plotly_click", before);
    /** @type {ClickListener} */
    const listener = ({ points }) => {
      const changes = this.closing.signal.aborted ? null : chosen(points[0], this.data.charts[key]);
      if (changes) selectionOf("encoder").change(changes);
    };
    this.#listeners.set(graph, listener);
    found.graph.on("plotly_click", listener);
    const cells = graph.querySelector(".nsewdrag");
    if (cells instanceof HTMLElement || cells instanceof SVGElement) cells.style.cursor = "pointer";
  }
}

export default await mounting((root, data) => new Clicks(root, /** @type {ClicksData} */ (data)));
