// A saved page: title, a button for each view, runs and explanations.
import { button, describe, element, setPressed } from "../../components/shared/elements.mjs";
import { isTyped } from "../../components/shared/keys.mjs";
import { selectionOf } from "../../components/shared/page_selection.mjs";
import { optionOf } from "../../components/shared/single_keys.mjs";
import { RunSection, othersIn, showAnswer } from "./run_section.mjs";
/** @import { Contents, RunContents, ViewName } from "./contents.mjs" */

/** @typedef {"light" | "dark"} ThemeName */

export class SavedPage {
  #selection = selectionOf("encoder");
  #theme;
  /** @type {HTMLElement | null} */
  header = null;
  /** @type {HTMLElement | null} */
  runs = null;
  onView = () => {};

  /** @param {Contents} contents */
  constructor(contents) {
    this.contents = contents;
    this.view = contents.view;
    this.#theme = themeOf(contents.theme);
    this.sections = sectionsOf(contents.runs);
    this.buttons = contents.views.map(({ name, title }, index) => this.#viewButton(name, title, index + 1));
    this.themeButton = button("", () => this.#switchTheme());
    this.together = element("div", "view-answer");
    this.explanation = element("div", "explanation");
    this.explained = new Map(
      [...document.querySelectorAll("template[data-explanation]")].map((each) => {
        const template = /** @type {HTMLTemplateElement} */ (each);
        return [template.dataset.explanation, template.content];
      }),
    );
    this.#selection.confirm(contents.selection, null);
  }

  get selection() {
    return this.#selection.chosen ?? this.contents.selection;
  }

  /** The layer whose numbers are needed first. */
  get firstLayer() {
    return this.selection.layer;
  }

  /** @param {HTMLElement} root */
  show(root) {
    this.header = this.#header();
    this.runs = this.#runs();
    root.replaceChildren(this.header, this.#bar(), this.runs, this.together, this.explanation, this.#footer());
    this.refresh();
    document.addEventListener("keydown", (event) => this.#press(event));
    window.addEventListener("resize", () => this.refresh());
  }

  /** Show other runs. @param {Pick<Contents, "headline" | "sentences" | "about" | "runs" | "beside" | "setting">} contents */
  replace(contents) {
    for (const section of this.sections) section.close();
    this.contents = { ...this.contents, ...contents };
    this.sections = sectionsOf(contents.runs);
    const [header, runs] = [this.#header(), this.#runs()];
    this.header?.replaceWith(header);
    this.runs?.replaceWith(runs);
    [this.header, this.runs] = [header, runs];
    this.together.ariaBusy = "true"; // it is about other runs, until its answer arrives
    this.refresh();
  }

  /** Show an answer that has arrived. */
  showAnswers() {
    delete this.together.dataset.answer;
    if (this.isAnswer) this.refresh();
  }

  /** Whether the view is an answer in a template. */
  get isAnswer() {
    const { together, runs } = this.contents;
    return [...together, ...runs[0].answers].includes(this.view);
  }

  /** What is seen, and of what. */
  #header() {
    const { headline, sentences, about } = this.contents;
    const lines = sentences.map((sentence) => element("p", "sentence", sentence));
    return element("header", "", element("h1", "", headline), ...lines, ...about.map(paragraph));
  }

  /** The views, or the name of the only one, and the theme. */
  #bar() {
    const [only, ...others] = this.contents.views;
    if (!others.length) return element("nav", "", element("h2", "", only.title), this.themeButton);
    const views = element("div", "views scrolls", ...this.buttons);
    describe(views, "group", "View");
    return element("nav", "", views, this.themeButton);
  }

  /** One below the other, each with its map; or side by side, and then the maps. */
  #runs() {
    const roots = this.sections.map(({ root }) => root);
    if (!this.contents.beside) return element("div", "runs", ...roots);
    const maps = this.sections.map(({ run, left }) =>
      element("div", "", element("h3", "", `All heads in ${run.place}`), left),
    );
    return element("div", "runs beside", ...roots, element("div", "maps", ...maps));
  }

  #footer() {
    const fold = element("details", "", element("summary", "", "About this file"));
    fold.append(...this.contents.notes.map(paragraph));
    return element("footer", "", fold);
  }

  /** @param {ViewName} name @param {string} title @param {number} key */
  #viewButton(name, title, key) {
    const made = button(title, () => this.open(name), { className: "tool view-button", title: `Key ${key}` });
    made.dataset.view = name;
    return made;
  }

  /** @param {ViewName} view */
  open(view) {
    this.view = view;
    this.refresh();
    this.onView();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const option = optionOf(event);
    const { views } = this.contents;
    if (option !== null && option < views.length && !isTyped(event)) this.open(views[option].name);
  }

  #switchTheme() {
    this.setTheme(this.#theme === "dark" ? "light" : "dark");
  }

  /** @param {ThemeName} theme */
  setTheme(theme) {
    this.#theme = theme;
    this.refresh();
  }

  refresh() {
    const { contents } = this;
    document.documentElement.dataset.theme = this.#theme;
    this.themeButton.textContent = this.#theme === "dark" ? "Light" : "Dark";
    this.themeButton.title = `Show the page on a ${this.#theme === "dark" ? "light" : "dark"} background`;
    for (const each of this.buttons) setPressed(each, each.dataset.view === this.view);
    const isTogether = contents.together.includes(this.view);
    this.together.hidden = !isTogether;
    if (this.runs) this.runs.hidden = isTogether;
    if (isTogether) showAnswer(this.together, this.view);
    else for (const section of this.sections) section.show(this.view, contents.themes[this.#theme]);
    const ofSetting = `${this.view} ${contents.setting}`;
    const name = this.explained.has(ofSetting) ? ofSetting : this.view;
    if (this.explanation.dataset.view === name) return; // an open definition stays open
    closeDefinition();
    this.explanation.dataset.view = name;
    this.explanation.replaceChildren(this.explained.get(name)?.cloneNode(true) ?? "");
  }
}

/** @param {readonly RunContents[]} runs */
function sectionsOf(runs) {
  const last = runs.length - 1;
  return runs.map((run, index) => new RunSection(run, { more: othersIn(runs, run), hint: index === last }));
}

/** Close the definition of a term, if one is open. */
export function closeDefinition() {
  const open = document.querySelector(".definition:popover-open");
  if (open instanceof HTMLElement) open.hidePopover();
}

/** @param {string} text */
function paragraph(text) {
  return element("p", "", text);
}

/** @param {"auto" | ThemeName} theme @returns {ThemeName} */
export function themeOf(theme) {
  if (theme !== "auto") return theme;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
