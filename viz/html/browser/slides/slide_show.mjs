// A tour as slides: one at a time on the screen, one a page on paper.
import { coloursOf } from "../../../components/shared/colour.mjs";
import { button, element, setPressed } from "../../../components/shared/elements.mjs";
import { download } from "../../../components/shared/save.mjs";
import { toggleFullScreen } from "../../../components/stage/fit.mjs";
import { DarkScreen, Pointer } from "../../../components/stage/overlays.mjs";
import { progressOf } from "../../../components/stage/tour.mjs";
import { closeDefinition, themeOf } from "../saved_page.mjs";
import { fileNames, nameOf } from "./file_names.mjs";
import { svgsOfPlots } from "../plots.mjs";
import { Slide } from "./slide.mjs";
import { picturesOf } from "./pictures.mjs";
import { actionOf, hashOf, isOfClicker, visitAfter, visitIn } from "./visits.mjs";
import { zipOf } from "./zip.mjs";
/** @import { Visit } from "../../../components/stage/tour.mjs" */
/** @import { SlidesContents } from "../contents.mjs" */
/** @import { Action } from "./visits.mjs" */

const TYPES = "input, select, textarea"; // all keys are theirs
const PRESSES = "a, button, summary"; // Space is theirs
const SMALL = { width: 1536, height: 864 }; // pixels of a window up to which nothing is enlarged
const MODIFIERS = ["Shift", "Control", "Alt", "Meta"];

export class SlideShow {
  #theme = themeOf("auto");
  #isOnPaper = false;
  /** @type {Visit | null} */
  #visit = null;
  #dark = new DarkScreen();
  #pointer = new Pointer();

  /** @param {SlidesContents} contents @param {HTMLElement} root with a section for each slide */
  constructor(contents, root) {
    this.contents = contents;
    const sections = [...root.querySelectorAll("section")];
    this.slides = contents.slides.map((slide, index) => new Slide(sections[index], slide, contents.runs, index + 1));
    this.back = button("Back", () => this.#act({ by: -1 }), { title: "Keys: ←, Page Up" });
    this.next = button("Next", () => this.#act({ by: 1 }), { title: "Keys: →, Space, Page Down" });
    this.place = element("span", "place");
    this.progress = element("progress");
    this.notes = button("Notes", () => this.#act("notes"), { title: "Notes for the speaker. Key: N" });
    this.paper = button("Print", () => window.print(), { title: "Print, or save as PDF: one stop a page, with notes" });
    this.save = button("Pictures", () => void this.#savePictures(), { title: "Save every picture as SVG, in one zip" });
    this.themeButton = button("", () => this.#act("theme"));
    this.full = button("Full screen", () => this.#act("full screen"), { title: "Key: F" });
    this.paper.disabled = this.save.disabled = true; // until all numbers have been read
    this.status = element("p", "status");
    this.status.setAttribute("role", "status");
  }

  /** The layer whose numbers are needed first. */
  get firstLayer() {
    const { at } = visitIn(window.location.hash, this.contents.slides);
    return this.contents.slides[at - 1].picture?.selection.layer ?? 0;
  }

  /** @param {HTMLElement} root */
  show(root) {
    const bar = element("nav", "bar");
    bar.setAttribute("aria-label", "Slides");
    this.progress.max = this.slides.length;
    this.progress.setAttribute("aria-label", "Stops");
    bar.append(this.progress, this.back, this.place, this.next, this.status);
    bar.append(this.notes, this.paper, this.save, this.themeButton, this.full);
    root.after(bar, this.#dark.root, this.#pointer.root);
    document.addEventListener("pointermove", (event) => this.#pointer.follow(event));
    document.documentElement.dataset.slides = "";
    document.addEventListener("keydown", (event) => isOfClicker(event.key) && this.#press(event), { capture: true });
    document.addEventListener("keydown", (event) => this.#press(event));
    window.addEventListener("hashchange", () => this.#go(visitIn(window.location.hash, this.contents.slides)));
    window.addEventListener("resize", () => this.#fit([root, bar]));
    window.addEventListener("beforeprint", () => this.#layOutOnPaper());
    window.addEventListener("afterprint", () => this.#leavePaper());
    this.#fit([root, bar]);
    this.#go(visitIn(window.location.hash, this.contents.slides));
  }

  /** Enlarge everything in a window larger than a small projector's. @param {readonly HTMLElement[]} parts */
  #fit(parts) {
    const zoom = Math.max(1, Math.min(window.innerWidth / SMALL.width, window.innerHeight / SMALL.height));
    for (const part of parts) part.style.zoom = String(zoom);
    document.documentElement.style.setProperty("--zoom", String(zoom));
    this.#refresh();
  }

  /** All numbers have been read: everything can be printed and saved. */
  async finish() {
    for (const slide of this.slides) await slide.preparePaper();
    this.paper.disabled = this.save.disabled = false;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (this.#dark.isOpen && !MODIFIERS.includes(event.key)) {
      this.#dark.toggle(false);
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const [target] = event.composedPath();
    const takers = event.key === " " ? `${TYPES}, ${PRESSES}` : TYPES;
    const isTaken = target instanceof Element && target.matches(takers) && !isOfClicker(event.key);
    const action = event.defaultPrevented || isTaken ? null : actionOf(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    this.#act(action);
  }

  /** @param {Action} action */
  #act(action) {
    if (action === "notes") document.documentElement.toggleAttribute("data-notes");
    else if (action === "theme") this.#theme = this.#theme === "dark" ? "light" : "dark";
    else if (action === "full screen") void toggleFullScreen();
    else if (action === "dark") this.#dark.toggle();
    else if (action === "pointer") this.#pointer.toggle();
    else if (this.#visit) this.#go(visitAfter(this.contents.slides, this.#visit, action) ?? this.#visit);
    if (typeof action === "string") this.#refresh();
  }

  /** @param {Visit} visit */
  #go(visit) {
    const before = this.#visit;
    if (before?.at === visit.at && before.answered === visit.answered) return;
    this.#visit = visit;
    closeDefinition();
    window.history.replaceState(null, "", hashOf(visit, this.contents.slides));
    this.status.textContent = "";
    this.#refresh(before?.at !== visit.at);
    if (before && before.at !== visit.at) this.#read(this.slides[visit.at - 1]);
  }

  /** Scroll to the top, and let a screen reader read the title. @param {Slide} slide */
  #read(slide) {
    const title = slide.root.querySelector("h2");
    if (!title) return;
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  #refresh(arrives = false) {
    if (!this.#visit) return;
    const { at, answered } = this.#visit;
    const { documentElement: page } = document;
    page.dataset.theme = this.#theme;
    this.slides.forEach(({ root }, index) => root.classList.toggle("now", index === at - 1));
    this.slides[at - 1].show({ answered, arrives, theme: this.#colours });
    this.place.textContent = progressOf({ at, answered }, this.slides.length);
    this.progress.value = at;
    this.next.textContent = answered ? "Next" : "Answer";
    this.next.disabled = answered && at === this.slides.length;
    this.back.disabled = !visitAfter(this.contents.slides, this.#visit, { by: -1 });
    this.themeButton.textContent = this.#theme === "dark" ? "Light" : "Dark";
    this.themeButton.title = `Show the slides on a ${this.#theme === "dark" ? "light" : "dark"} background. Key: T`;
    setPressed(this.notes, page.hasAttribute("data-notes"));
  }

  get #colours() {
    return this.contents.themes[this.#theme];
  }

  /** Paper is white, and has all slides with their answers. */
  #layOutOnPaper() {
    const theme = this.contents.themes.light;
    document.documentElement.dataset.theme = "light";
    for (const slide of this.slides) slide.reveal(true);
    if (this.#isOnPaper) return;
    this.slides.forEach((slide, index) => {
      slide.printPictures(picturesOf(slide.contents, this.contents.runs, theme), `slide-${index + 1}`);
      slide.fitWordsToPaper();
    });
    this.#isOnPaper = !this.save.disabled;
  }

  #leavePaper() {
    this.slides.forEach((slide, index) => {
      slide.reveal(index + 1 !== this.#visit?.at || this.#visit.answered);
    });
    this.#refresh();
  }

  async #savePictures() {
    const { background } = coloursOf(document.body);
    const files = [];
    for (const [index, { contents, root }] of this.slides.entries()) {
      const { pictures } = picturesOf(contents, this.contents.runs, this.#colours);
      const texts = [...pictures, ...(await svgsOfPlots(root, this.#theme, background))];
      const names = fileNames(index + 1, contents.title, texts.length);
      files.push(...texts.map((text, picture) => ({ name: names[picture], text })));
    }
    const numbers = new Set(files.map(({ name }) => Number(name.split("-")[0])));
    const without = this.slides.flatMap((_, index) => (numbers.has(index + 1) ? [] : [index + 1]));
    if (files.length) download(`${nameOf(this.contents.title)}.zip`, await zipOf(files));
    const none = without.length ? ` No picture: stop ${without.join(", ")}.` : "";
    this.status.textContent = `${files.length} ${files.length === 1 ? "picture" : "pictures"} saved.${none}`;
  }
}
