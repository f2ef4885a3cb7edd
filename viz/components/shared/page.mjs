// Pieces of the page that every view has: buttons that save the picture, and its table twin.
import { button, element } from "./elements.mjs";
import { CanvasPainter, SvgPainter, contextOf } from "./paint.mjs";

/** The page's colours and font, as they are now. */
export function coloursOf(root) {
  const style = getComputedStyle(root);
  const colour = (name) => style.getPropertyValue(`--st-${name}`).trim();
  return {
    text: colour("text-color"),
    background: colour("background-color"),
    raised: colour("secondary-background-color"),
    border: colour("border-color"),
    primary: colour("primary-color"),
    font: style.fontFamily,
  };
}

function download(name, blob) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const SHARP = 2; // saved pictures have two pixels for each of the page
const LARGEST_SIDE = 16_000; // of a canvas that browsers accept

/** Two buttons that save a picture; `picture()` gives { name, width, height, colours, draw(painter) } when clicked. */
export function saveButtons(picture) {
  const png = () => {
    const { name, width, height, colours, draw } = picture();
    const ratio = Math.min(SHARP, LARGEST_SIDE / Math.max(width, height));
    const canvas = document.createElement("canvas");
    const context = contextOf(canvas, width, height, ratio);
    const painter = new CanvasPainter(context, colours.font);
    painter.rect(0, 0, width, height, { fill: colours.background });
    draw(painter);
    canvas.toBlob((blob) => download(`${name}.png`, blob), "image/png");
  };
  const svg = () => {
    const { name, width, height, colours, draw } = picture();
    const painter = new SvgPainter(width, height, colours.background, colours.font);
    draw(painter);
    download(`${name}.svg`, new Blob([painter.toString()], { type: "image/svg+xml" }));
  };
  return [
    button("PNG", png, { title: "Save the picture as PNG" }),
    button("SVG", svg, { title: "Save the picture as SVG" }),
  ];
}

/** The picture as a table, closed until somebody opens it; `rows()` is asked for then. */
export class TableTwin {
  constructor(caption, header, rows) {
    Object.assign(this, { caption, header, rows });
    this.root = element("details", "twin");
    this.root.append(element("summary", "", "As a table"));
    this.root.addEventListener("toggle", () => this.update());
  }

  /** Bring an open table up to date. */
  update() {
    this.root.querySelector("table")?.remove();
    if (!this.root.open) return;
    const table = element("table");
    table.append(element("caption", "", this.caption()));
    const head = table.createTHead().insertRow();
    for (const name of this.header()) {
      const cell = element("th", "", name);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const [name, ...cells] of this.rows()) {
      const row = body.insertRow();
      const first = element("th", "", name);
      first.scope = "row";
      row.append(first, ...cells.map((cell) => element("td", "", cell)));
    }
    this.root.append(table);
  }
}

/** At most one call of `draw` a frame, however often it is asked for. */
export function perFrame(draw) {
  let asked = 0;
  return () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      draw();
    });
  };
}

/** A text cut to a width, with an ellipsis; `measure` gives the width of a text. */
export function fitted(text, width, measure) {
  if (measure(text) <= width) return text;
  const characters = [...text];
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${characters.slice(0, middle).join("")}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return `${characters.slice(0, low).join("")}…`;
}

/**
 * The default export of a view. `make(root)` builds it once for every mount; Streamlit calls the result again for new
 * data and for a change of theme. What it builds has `update(data, setTriggerValue)` and `close()`.
 */
export function mounting(make) {
  const mounted = new WeakMap(); // parentElement -> { view, runs }
  return ({ data, parentElement, setTriggerValue }) => {
    const known = mounted.get(parentElement) ?? { view: make(parentElement.querySelector(".view")), runs: 0 };
    mounted.set(parentElement, known);
    const run = (known.runs += 1);
    known.view.update(data, setTriggerValue);
    return () => {
      if (run !== known.runs) return; // overtaken by a later run, which lives on
      known.view.close();
      mounted.delete(parentElement);
    };
  };
}
