// The stage's zoom, full screen and scrolling.

const PROJECTOR = { width: 1280, height: 720 }; // pixels of the window
const NEAR_END = 8; // pixels at the page's end without content
const THERE = 1.72; // scales the smallest token text from 14 to 24 pixels

/** The zoom for a window size, at least 1. @param {number} width @param {number} height */
export function scaleIn(width, height) {
  const share = Math.min(width / PROJECTOR.width, height / PROJECTOR.height);
  return Math.max(1, Math.round(THERE * share * 1000) / 1000);
}

/** Zoom the page to its window. @param {boolean} on whether the stage is on */
export function fitPage(on) {
  const { style } = document.documentElement;
  if (on) style.setProperty("--stage-scale", String(scaleIn(window.innerWidth, window.innerHeight)));
  else style.removeProperty("--stage-scale");
}

/** Enter or leave full screen. */
export async function toggleFullScreen() {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
}

/** @returns {Element | null} the scrolling element of Streamlit's page, or of one without it */
const scroller = () => document.querySelector(".stMain") ?? document.scrollingElement;

/**
 * Whether more of the page follows below what is in view.
 * @param {Pick<Element, "scrollTop" | "scrollHeight" | "clientHeight"> | null} [page]
 */
export function continuesBelow(page = scroller()) {
  return page !== null && page.scrollHeight - page.clientHeight - page.scrollTop > NEAR_END;
}

/** Call back when the page scrolls or has another height. @param {() => void} moved @param {AbortSignal} closing */
export function whenPageMoves(moved, closing) {
  const content = document.querySelector(".stMainBlockContainer") ?? document.querySelector("main");
  const observer = new ResizeObserver(moved);
  if (content) observer.observe(content);
  document.addEventListener("scroll", moved, { capture: true, passive: true, signal: closing });
  closing.addEventListener("abort", () => observer.disconnect());
}

/**
 * Call back when the unscrolled page has another height: a view may be lower than when its room was measured.
 * @param {() => void} grown @param {AbortSignal} closing
 */
export function whenContentGrows(grown, closing) {
  const content = document.querySelector(".stMainBlockContainer");
  let height = 0;
  const observer = new ResizeObserver(() => {
    const now = content?.clientHeight ?? 0;
    if (now !== height && scroller()?.scrollTop === 0) grown();
    height = now;
  });
  if (content) observer.observe(content);
  closing.addEventListener("abort", () => observer.disconnect());
}

const PICTURES = "canvas, .js-plotly-plot, [data-testid=stDataFrame]";

/**
 * Hide the parts of a view that would show only their upper edge above a tour's words, until the page scrolls. The first
 * picture and those next to it fit.
 * @param {boolean} on
 */
export function hideCutParts(on) {
  const words = on && scroller()?.scrollTop === 0 ? document.querySelector(".st-key-stage_words") : null;
  const edge = words?.getBoundingClientRect().top ?? Infinity;
  const parts = [...document.querySelectorAll(".st-key-workspace .stElementContainer")];
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const pictures = parts.map((part) => part.querySelector(PICTURES) !== null);
  const firstTop = Math.min(...boxes.filter((_, index) => pictures[index]).map(({ top }) => top));
  for (const [index, part] of parts.entries()) {
    const { top, bottom } = boxes[index];
    const isFirst = pictures[index] && top < firstTop + NEAR_END;
    part.toggleAttribute("data-cut", !isFirst && top < edge && bottom > edge);
  }
}

/**
 * Shrink the formulas of a view that are wider than their column.
 * @param {boolean} on
 */
export function fitFormulas(on) {
  for (const formula of document.querySelectorAll(".st-key-workspace .katex-display")) {
    if (!(formula instanceof HTMLElement)) continue;
    formula.style.removeProperty("--formula-fit");
    const widest = Math.max(
      ...[...formula.querySelectorAll(".base")].map((part) => part.getBoundingClientRect().width),
    );
    const fit = formula.getBoundingClientRect().width / widest;
    if (on && fit < 1) formula.style.setProperty("--formula-fit", String(Math.floor(100 * fit) / 100));
  }
}

/** Scroll Streamlit's page. @param {number} by pixels downwards; ±Infinity leads to the edge */
export function scrollPage(by) {
  const page = scroller();
  page?.scrollTo(0, Math.min(Math.max(page.scrollTop + by, 0), page.scrollHeight));
}
