// Renders charts as Plotly figures, which `viz/html/answers.py` writes. The page contains Plotly's script deflated; it
// is inflated before the first chart is rendered, and runs because the page's policy names its hash.
import { element } from "../../components/shared/elements.mjs";
import { inflated } from "./text_bytes.mjs";

const LEAST_WIDTH = 240; // pixels of a chart in a narrow window, which scrolls there
const RING = "ring"; // the name of shapes around what the stop points at, as `viz/figures/axes.py` has it
const WIDTH = 640; // pixels of a chart on paper and in a file
const TITLE = { size: 16, line: 22, gap: 4 }; // pixels: its font, a line, and the room around it
const LINES = /\S.{0,71}(?=\s|$)|\S+/g; // of a title: 72 characters fit

/**
 * @typedef {Record<string, any>} Json
 * @typedef {object} Contents
 * @property {{ data: Json[], layout: Json }} figure in the light theme
 * @property {[path: (string | number)[], value: unknown][]} dark what is different in the dark theme
 * @property {Json} config of Plotly's tool bar
 */

/**
 * The part of Plotly that is used.
 * @typedef {object} Plotly
 * @property {(element: HTMLElement, data: Json[], layout: Json, config: Json) => Promise<unknown>} react
 * @property {(figure: Json, options: Json) => Promise<string>} toImage
 */

/** @type {Promise<Plotly> | null} */
let plotly = null;
/** @type {WeakMap<Element, Promise<Contents>>} */
const contents = new WeakMap();

/** @returns {Promise<Plotly>} */
async function loadPlotly() {
  const packed = document.querySelector("script[data-plotly]");
  if (!packed) throw new Error("The page has charts and no Plotly.");
  const script = element("script");
  const { plotly: address } = /** @type {HTMLElement} */ (packed).dataset;
  script.textContent = address
    ? await (await fetch(address)).text()
    : new TextDecoder().decode(await inflated(packed.textContent));
  document.head.append(script);
  return /** @type {{ Plotly: Plotly }} */ (/** @type {unknown} */ (window)).Plotly;
}

/** @param {Element} figure */
function contentsOf(figure) {
  const found = contents.get(figure) ?? readContents(figure);
  contents.set(figure, found);
  return found;
}

/** @param {Element} figure @returns {Promise<Contents>} */
async function readContents(figure) {
  const packed = figure.querySelector("script[data-plot]");
  if (!(packed instanceof HTMLScriptElement)) throw new Error("The chart has no contents.");
  if (packed.type === "application/json") return JSON.parse(packed.textContent);
  return JSON.parse(new TextDecoder().decode(await inflated(packed.textContent)));
}

/** A figure in a theme's colours. @param {Contents} contents @param {string} theme */
export function themed({ figure, dark }, theme) {
  const made = structuredClone(figure);
  for (const [path, value] of theme === "dark" ? dark : []) {
    const place = path.slice(0, -1).reduce((/** @type {any} */ inner, key) => inner[key], made);
    place[path[path.length - 1]] = value;
  }
  return made;
}

/** The charts in a place. @param {ParentNode} place */
const figuresIn = (place) => [...place.querySelectorAll(".plot-figure")];

/**
 * Render the charts of a place at its width, in the theme of the page.
 * @param {ParentNode} place that is shown
 * @param {{ ringed?: boolean }} [options] whether they show what the stop points at
 */
export async function drawPlots(place, { ringed = true } = {}) {
  const figures = figuresIn(place);
  if (!figures.length) return;
  plotly ??= loadPlotly();
  const { react } = await plotly;
  for (const figure of figures) {
    const found = await contentsOf(figure);
    const root = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
    const { data, layout } = themed(found, document.documentElement.dataset.theme ?? "light");
    const width = Math.max(root.clientWidth, LEAST_WIDTH);
    const shapes = (layout.shapes ?? []).filter((/** @type {Json} */ shape) => ringed || shape.name !== RING);
    await react(root, data, { ...layout, shapes, width }, found.config);
  }
}

/**
 * A chart's layout with a title above it. Plotly reads tags in it and wraps no lines; its own title leaves the figure
 * where the margin also holds a colour bar.
 * @param {Json} layout @param {string} text
 */
function withTitle(layout, text) {
  const lines = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").match(LINES);
  if (!lines) return layout;
  const { size, line, gap } = TITLE;
  const height = lines.length * line + gap;
  const margin = { ...layout.margin, t: layout.margin.t + height };
  const title = {
    text: lines.map((each) => `<b>${each}</b>`).join("<br>"),
    font: { size },
    align: "left",
    showarrow: false,
    ...{ x: 0, xref: "paper", xanchor: "left", xshift: gap - margin.l },
    ...{ y: 1, yref: "paper", yanchor: "top", yshift: margin.t - gap },
  };
  return { ...layout, margin, height: layout.height + height, annotations: [...(layout.annotations ?? []), title] };
}

/**
 * The charts in a place as texts of SVG files.
 * @param {ParentNode} place @param {string} theme
 * @param {string} background colour
 */
export async function svgsOfPlots(place, theme, background) {
  const figures = figuresIn(place);
  if (!figures.length) return [];
  plotly ??= loadPlotly();
  const { toImage } = await plotly;
  const svgs = [];
  for (const figure of figures) {
    const { data, layout } = themed(await contentsOf(figure), theme);
    const titled = withTitle(layout, figure.querySelector("figcaption")?.textContent.trim() ?? "");
    const size = { width: WIDTH, height: titled.height };
    const address = await toImage(
      { data, layout: { ...titled, ...size, paper_bgcolor: background } },
      { format: "svg", ...size },
    );
    svgs.push(decodeURIComponent(address.slice(address.indexOf(",") + 1)));
  }
  return svgs;
}
