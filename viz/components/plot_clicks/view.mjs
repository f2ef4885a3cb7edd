// Hears clicks on the page's Plotly figures, and tells Python which cell was clicked. See __init__.py.
import { Link } from "../shared/link.mjs";
import { mounting } from "../shared/page.mjs";

/** What a clicked point of a figure chooses: { column: 3, row: 2 }, or null where it lies on none of the axes. */
export function chosen(point, axes) {
  const found = {};
  for (const [axis, name] of Object.entries(axes)) {
    const place = Math.round(Number(point?.[axis] ?? NaN));
    if (!(place >= 0)) return null;
    found[name] = place;
  }
  return Object.keys(found).length > 0 ? found : null;
}

/** The figure that a node of the page belongs to and the key of its chart, or null where it is none of these. */
function chartOf(node, charts) {
  const graph = node.closest?.(".js-plotly-plot");
  const key = graph && Object.keys(charts).find((name) => graph.closest(`.st-key-${CSS.escape(name)}`));
  return key ? { graph, key } : null;
}

class Clicks {
  #link = new Link();
  #listeners = new WeakMap(); // graph -> its listener
  #controller = new AbortController();

  constructor() {
    // Figures come and go with every run, and Plotly drops listeners when it draws one anew: so each gets its own
    // when the pointer comes near.
    const { signal } = this.#controller;
    for (const type of ["pointerover", "pointerdown"]) {
      document.addEventListener(type, (event) => this.#approach(event.target), { capture: true, signal });
    }
  }

  update(data, setTriggerValue) {
    this.data = data;
    this.send = setTriggerValue;
    this.#link.merged(data);
  }

  close() {
    this.#controller.abort();
  }

  #approach(node) {
    const found = chartOf(node, this.data.charts);
    if (!found || !found.graph.on) return;
    const { graph, key } = found;
    const before = this.#listeners.get(graph);
    if (before) graph.removeListener("plotly_click", before);
    const listener = ({ points }) => {
      if (this.#controller.signal.aborted) return;
      const changes = chosen(points[0], this.data.charts[key] ?? {});
      if (changes) this.#link.send(changes, this.send);
    };
    this.#listeners.set(graph, listener);
    graph.on("plotly_click", listener);
    const cells = graph.querySelector(".nsewdrag");
    if (cells) cells.style.cursor = "pointer";
  }
}

/** Called again for new data. */
export default mounting(() => new Clicks());
