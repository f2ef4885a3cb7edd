// The elements of a head view under its bar, by name.
import { element } from "../shared/elements.mjs";

export function partsOf() {
  const scroller = element("div", "scroller");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "application");
  scroller.setAttribute(
    "aria-label",
    "Attention as lines. Arrow keys choose a token, Enter pins it, Escape releases it.",
  );
  const content = element("div", "content"); // as high as the whole picture
  const pane = element("div", "pane"); // stays in the window while the content scrolls
  const [lines, over, tokens] = ["lines", "over", "tokens"].map((name) => element("canvas", name));
  pane.append(lines, over, tokens);
  content.append(pane);
  scroller.append(content);
  const said = element("div", "said");
  said.setAttribute("aria-hidden", "true"); // changes with the pointer; what the keys reach is spoken
  const spoken = element("div", "spoken");
  spoken.setAttribute("aria-live", "polite");
  return { scroller, content, pane, lines, over, tokens, said, spoken };
}
