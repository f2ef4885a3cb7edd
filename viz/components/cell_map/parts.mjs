// @ts-check
// The elements of the heat map on the page.
import { button, element, makeFocusable } from "../shared/elements.mjs";
import { STEP } from "./input.mjs";
import { scaleSelect } from "./scale_select.mjs";
/** @import { Actions } from "./input.mjs" */

/**
 * The elements of the view; the stage holds the bar and both canvases.
 * @param {Pick<Actions, "zoom" | "showAll" | "chooseScale">} actions of the buttons
 * @param {readonly HTMLElement[]} saveButtons
 */
export function partsOf(actions, saveButtons) {
  const zooming = element("div", "zooming");
  zooming.append(
    button("−", () => actions.zoom(1 / STEP), { title: "Zoom out (−)" }),
    button("+", () => actions.zoom(STEP), { title: "Zoom in (+)" }),
    button("Fit", () => actions.showAll(), { title: "Show all cells (0)" }),
  );
  const bar = element("div", "bar");
  const scale = scaleSelect((choice) => actions.chooseScale(choice));
  bar.append(zooming, ...saveButtons, scale);
  const stage = element("div", "stage");
  const cells = element("canvas");
  const over = element("canvas", "over");
  makeFocusable(over, { role: "application" });
  over.setAttribute("aria-roledescription", "heat map");
  stage.append(bar, cells, over);
  return { stage, zooming, scale, cells, over, note: element("p", "note"), how: element("p", "how") };
}

/**
 * Make the stage as wide as the picture, which is in the middle of the view.
 * @param {Record<"stage" | "note", HTMLElement>} parts
 * @param {number} width of the picture
 * @param {number} across width of the view
 */
export function fitParts({ stage, note }, width, across) {
  stage.style.width = `${width}px`;
  note.style.setProperty("--beside", `${(across - width) / 2}px`); // before an audience the note stands over the picture
}
