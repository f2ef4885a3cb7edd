// @ts-check
// The elements of a head view under its bar, by name.
import { element, makeFocusable } from "../shared/elements.mjs";
import { scrolledTo } from "./layout.mjs";
/** @import { Layout, Token } from "./layout.mjs" */

export function partsOf() {
  const scroller = element("div", "scroller");
  makeFocusable(scroller, {
    role: "application",
    label: "Attention as lines. Arrow keys choose a token, Enter pins it, Escape releases it.",
  });
  const content = element("div", "content"); // as high as the whole picture
  const pane = element("div", "pane"); // stays in the window while the content scrolls
  const [lines, over, tokens] = ["lines", "over", "tokens"].map((name) => element("canvas", name));
  pane.append(lines, over, tokens);
  content.append(pane);
  scroller.append(content);
  const said = element("div", "said");
  said.setAttribute("aria-hidden", "true"); // changes with the pointer; what the keys reach is spoken
  return { scroller, content, pane, lines, over, tokens, said };
}

/**
 * Make the elements as high as the picture, and as the part of it that is on the screen.
 * @param {Record<"scroller" | "pane" | "content", HTMLElement>} parts
 * @param {Layout} layout
 */
export function fitParts({ scroller, pane, content }, { height, shown }) {
  scroller.style.height = `${shown}px`;
  pane.style.height = `${shown}px`;
  content.style.height = `${height}px`;
}

/**
 * Bring a token into view, where it is not.
 * @param {HTMLElement} scroller
 * @param {Layout} layout
 * @param {Token} token
 */
export function scrollTo(scroller, layout, token) {
  const { scrollTop, clientHeight } = scroller;
  const top = scrolledTo(layout, token, { top: scrollTop, height: clientHeight });
  if (top !== scrollTop) scroller.scrollTop = top;
}
