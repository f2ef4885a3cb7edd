// One slide: the words, which the page contains, and the views, which are rendered when the user arrives.
import { element } from "../../../components/shared/elements.mjs";
import { selectionOf } from "../../../components/shared/page_selection.mjs";
import { WEIGHTS, pictureName } from "../../../components/shared/quantity.mjs";
import { ROOM, columnsOnPaper, highestOnPaper, sizeOnPaper, svgElement } from "./paper.mjs";
import { drawPlots, svgsOfPlots } from "../plots.mjs";
import { RoomForWords } from "./room_for_words.mjs";
import { ALL_HEADS, RunSection, othersIn } from "../run_section.mjs";
/** @import { DataTheme, Scope } from "../../../components/shared/types.mjs" */
/** @import { LivePicture, RunContents, SlideContents } from "../contents.mjs" */
/** @import { SlidePictures } from "./pictures.mjs" */

const MOST_COLUMNS = 3;

export class Slide {
  /** @type {RunSection[] | null} */
  #sections = null;
  #drawPlots = () => {};
  /** @type {string[]} */
  #plots = [];
  /** @type {RoomForWords} */
  #room;

  /**
   * @param {HTMLElement} root its section of the page
   * @param {SlideContents} contents
   * @param {readonly RunContents[]} runs of all slides
   * @param {number} number
   */
  constructor(root, contents, runs, number) {
    this.root = root;
    this.contents = contents;
    this.runs = runs;
    this.selection = selectionOf(`slide ${number}`);
    this.scope = /** @type {const} */ (`slide ${number}`);
    this.seen = element("p", "seen");
    this.#room = new RoomForWords(root, this.part("said"), () => this.#drawPlots());
    this.selection.subscribe(() => this.#tellSeen());
  }

  /** @param {string} name of a class */
  part(name) {
    const found = this.root.querySelector(`.${name}`);
    if (!(found instanceof HTMLElement)) throw new Error(`The slide has no place for ${name}.`);
    return found;
  }

  /**
   * Show the slide or its answer. On arrival it shows the stop's selection, whatever was selected there before.
   * @param {object} options
   * @param {boolean} options.answered
   * @param {boolean} options.arrives whether another slide was shown before
   * @param {DataTheme} options.theme
   */
  show({ answered, arrives, theme }) {
    const { picture } = this.contents;
    this.reveal(answered);
    this.#drawPlots = () => void drawPlots(this.root, { ringed: answered });
    this.#drawPlots();
    this.#room.watch();
    if (!picture) return;
    this.#sections ??= this.#mounted(picture);
    const points = answered ? picture.selection.points : [];
    this.selection.confirm({ ...picture.selection, points }, arrives ? this.selection.nextNumber() : null);
    for (const section of this.#sections) section.show(picture.view, theme);
  }

  /** Show or hide what comes with the answer. @param {boolean} answered */
  reveal(answered) {
    this.part("revealed").hidden = !answered;
    this.root.classList.toggle("withheld", this.contents.reveals_picture && !answered);
  }

  /** @param {LivePicture} picture */
  #mounted(picture) {
    const sections = sectionsOf(picture, this.runs, this.scope);
    const [live, map] = [this.part("live"), this.part("map")];
    live.append(this.seen);
    for (const { run, parts, right } of sections) {
      const column = element("div", "run");
      if (run.heading) column.append(element("h3", "", run.heading));
      column.append(parts, right);
      live.append(column);
    }
    map.append(sections[0].left); // it selects for all runs
    live.classList.toggle("beside", sections.length > 1);
    live.style.setProperty("--columns", String(Math.min(sections.length, MOST_COLUMNS)));
    return sections;
  }

  /** Render Plotly's figures for paper in advance, because printing cannot wait. */
  async preparePaper() {
    this.#plots = await svgsOfPlots(this.root, "light", "transparent");
  }

  /** Set many words in small type, so that a stop fits on one page. */
  fitWordsToPaper() {
    const said = this.part("said").textContent.length;
    const notes = this.root.querySelector(".notes")?.textContent.length ?? 0;
    this.root.style.setProperty("--said-size", `${sizeOnPaper(said, ROOM.said)}px`);
    this.root.style.setProperty("--notes-size", `${sizeOnPaper(notes, ROOM.notes)}px`);
  }

  /**
   * Put printed pictures in place of the live ones.
   * @param {SlidePictures} drawn
   * @param {string} prefix that no other slide has
   */
  printPictures({ pictures, headings, maps }, prefix) {
    const printed = this.part("printed");
    const svgs = [...pictures, ...this.#plots].map((svg, index) => svgElement(svg, `${prefix}-${index}`));
    const names = [...headings, ...this.#headingsOfPlots];
    const figures = svgs.map((svg, index) =>
      element("figure", "", ...(names[index] ? [element("h3", "", names[index])] : []), svg),
    );
    printed.replaceChildren(...figures);
    const [map] = maps; // that of the second sentence has the same head chosen
    if (map) {
      const small = svgElement(map, `${prefix}-map`);
      small.classList.add("small");
      printed.append(small);
    }
    const sizes = svgs.map((svg) => ({
      width: Number(svg.getAttribute("width")),
      height: Number(svg.getAttribute("height")),
    }));
    const across = columnsOnPaper(sizes);
    printed.classList.toggle("several", across > 1);
    const lines = this.root.querySelectorAll(".token-line").length;
    const words = this.root.querySelectorAll(".view-answer :is(p:not(figcaption p, .twin p), .shaded-words)");
    const paragraphs = [...words].map((each) => each.textContent.length);
    const formulas = this.root.querySelectorAll(".view-answer .formula > *").length;
    const among = { hasMap: Boolean(map), hasHeadings: names.some(Boolean), lines, formulas, paragraphs };
    const highest = highestOnPaper(Math.ceil(sizes.length / across), among);
    printed.style.setProperty("--highest", `${highest}px`);
  }

  /** The heading of each chart on paper: its answer's, above the answer's first chart; else "". */
  get #headingsOfPlots() {
    return [...this.root.querySelectorAll(".plot-figure")].map((figure) => {
      const answer = figure.closest(".view-answer");
      const isFirst = answer?.querySelector(".plot-figure") === figure;
      return (isFirst && answer.querySelector(":scope > h3")?.textContent) || "";
    });
  }

  #tellSeen() {
    const { picture } = this.contents;
    const { shown } = this.selection;
    if (!picture || !shown) return;
    const { view, quantity } = picture;
    const name = pictureName(quantity ?? WEIGHTS, shown.layer, shown.head);
    const ofAllHeads = view === "routes" ? "" : (quantity?.name ?? "");
    this.seen.textContent = ALL_HEADS.includes(view) ? ofAllHeads : name;
  }
}

/**
 * A view of each run of a picture.
 * @param {LivePicture} picture
 * @param {readonly RunContents[]} runs of all slides
 * @param {Scope} scope
 */
export function sectionsOf({ runs: numbers, part, until, marks, marks_name: marksName, follows }, runs, scope) {
  const more = {
    ...(until === null ? {} : { until }),
    ...(marks.length ? { marks, marks_name: marksName } : {}),
  };
  const shown = numbers.map((number) => runs[number]);
  return shown.map((run, index) => {
    const options = { scope, part, more: { ...more, ...othersIn(shown, run) }, hint: false };
    return new RunSection(run, { ...options, follows: follows[index] });
  });
}
