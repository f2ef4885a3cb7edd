// The elements of the heat map on the page.
import { button, element } from "../shared/elements.mjs";
import { TableTwin, saveButtons } from "../shared/page.mjs";
import { STEP } from "./input.mjs";
import { tableOf } from "./words.mjs";

/** Puts them into an empty root and returns those that change; `map` is the view that the buttons and the table ask. */
export function partsOf(root, map) {
  const zooming = element("div", "zooming");
  zooming.append(
    button("−", () => map.zoom(1 / STEP), { title: "Zoom out (−)" }),
    button("+", () => map.zoom(STEP), { title: "Zoom in (+)" }),
    button("Fit", () => map.fit(), { title: "Show all cells (0)" }),
  );
  const bar = element("div", "bar");
  bar.append(zooming, ...saveButtons(() => map.picture()));
  const stage = element("div", "stage");
  const cells = element("canvas");
  const over = element("canvas", "over");
  over.tabIndex = 0;
  over.setAttribute("role", "application");
  over.setAttribute("aria-roledescription", "heat map");
  stage.append(bar, cells, over);
  const note = element("p", "note");
  const how = element("p", "how");
  const spoken = element("div", "spoken");
  spoken.setAttribute("aria-live", "polite");
  const tip = new Tip();
  const table = () => tableOf(map.scene, map.pinned.row);
  const twin = new TableTwin(
    () => table().caption,
    () => table().header,
    () => table().rows,
  );
  root.replaceChildren(stage, note, how, spoken, tip.root, twin.root);
  return { root, stage, zooming, cells, over, note, how, spoken, tip, twin };
}

/** Beside the pointer and within the window. All in CSS pixels. */
export function tipBeside(pointer, tip, viewport, gap = 14) {
  const beside = pointer.x + gap + tip.width <= viewport.width;
  const left = beside ? pointer.x + gap : Math.max(pointer.x - gap - tip.width, 0);
  const top = Math.max(Math.min(pointer.y + gap, viewport.height - tip.height - 4), 0);
  return { left, top };
}

/** The tooltip: a few lines beside the pointer. */
export class Tip {
  constructor() {
    this.root = element("div", "tip");
    this.root.setAttribute("role", "tooltip");
    this.root.setAttribute("popover", "manual"); // the top layer: no container of the page can clip it
  }

  show(lines, pointer) {
    const drawn = lines.map(([before, name, after]) => {
      const line = element("div", "line", before);
      const bold = element("b", "", name);
      bold.dir = "auto";
      line.append(bold, after);
      return line;
    });
    this.root.replaceChildren(...drawn);
    if (!this.root.matches(":popover-open")) this.root.showPopover();
    const viewport = { width: window.innerWidth, height: window.innerHeight };
    const { left, top } = tipBeside(pointer, this.root.getBoundingClientRect(), viewport);
    Object.assign(this.root.style, { left: `${left}px`, top: `${top}px` });
  }

  hide() {
    if (this.root.matches(":popover-open")) this.root.hidePopover();
  }
}
