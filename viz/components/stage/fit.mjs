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

/** @returns {Element | null} the scrolling element of Streamlit's page */
const scroller = () => document.querySelector(".stMain");

/**
 * Whether more of the page follows below what is in view.
 * @param {Pick<Element, "scrollTop" | "scrollHeight" | "clientHeight"> | null} [page]
 */
export function continuesBelow(page = scroller()) {
  return page !== null && page.scrollHeight - page.clientHeight - page.scrollTop > NEAR_END;
}

/** Call back when the page scrolls or has another height. @param {() => void} moved @param {AbortSignal} closing */
export function whenPageMoves(moved, closing) {
  const content = document.querySelector(".stMainBlockContainer");
  const observer = new ResizeObserver(moved);
  if (content) observer.observe(content);
  scroller()?.addEventListener("scroll", moved, { passive: true, signal: closing });
  closing.addEventListener("abort", () => observer.disconnect());
}

/** Scroll Streamlit's page. @param {number} by pixels downwards; ±Infinity leads to the edge */
export function scrollPage(by) {
  const page = scroller();
  page?.scrollTo(0, Math.min(Math.max(page.scrollTop + by, 0), page.scrollHeight));
}
