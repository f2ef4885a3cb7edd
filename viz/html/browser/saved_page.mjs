// A saved page: title, a button for each view, runs and explanations.
import { button, element, setPressed } from "../../components/shared/elements.mjs";
import { isTyped } from "../../components/shared/keys.mjs";
import { selectionOf } from "../../components/shared/page_selection.mjs";
import { optionOf } from "../../components/shared/single_keys.mjs";
import { RunSection, othersIn } from "./run_section.mjs";
/** @import { Contents, ViewName } from "./contents.mjs" */

/** @typedef {"light" | "dark"} ThemeName */

export class SavedPage {
  #selection = selectionOf("encoder");
  #theme;

  /** @param {Contents} contents */
  constructor(contents) {
    this.contents = contents;
    this.view = contents.view;
    this.#theme = themeOf(contents.theme);
    this.sections = contents.runs.map((run) => new RunSection(run, { more: othersIn(contents.runs, run) }));
    this.buttons = contents.views.map(({ name, title }, index) => this.#viewButton(name, title, index + 1));
    this.themeButton = button("", () => this.#switchTheme());
    this.explanation = element("p", "explanation");
    this.#selection.confirm(contents.selection, null);
  }

  /** The layer whose numbers are needed first. */
  get firstLayer() {
    return this.contents.selection.layer;
  }

  /** @param {HTMLElement} root */
  show(root) {
    const { contents } = this;
    const header = element("header", "", element("h1", "", contents.title));
    const views = element("div", "views");
    views.setAttribute("role", "group");
    views.setAttribute("aria-label", "View");
    views.append(...(this.buttons.length > 1 ? this.buttons : []));
    const bar = element("nav", "", views, this.themeButton);
    const footer = element("footer", "", ...contents.notes.map((note) => element("p", "", note)));
    root.replaceChildren(header, bar, ...this.sections.map((section) => section.root), this.explanation, footer);
    this.#refresh();
    document.addEventListener("keydown", (event) => this.#press(event));
    window.addEventListener("resize", () => this.#refresh());
  }

  /** @param {ViewName} name @param {string} title @param {number} key */
  #viewButton(name, title, key) {
    const made = button(title, () => this.#open(name), { className: "tool view-button", title: `Key ${key}` });
    made.dataset.view = name;
    return made;
  }

  /** @param {ViewName} view */
  #open(view) {
    this.view = view;
    this.#refresh();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const option = optionOf(event);
    const { views } = this.contents;
    if (option !== null && option < views.length && !isTyped(event)) this.#open(views[option].name);
  }

  #switchTheme() {
    this.#theme = this.#theme === "dark" ? "light" : "dark";
    this.#refresh();
  }

  #refresh() {
    const { contents } = this;
    document.documentElement.dataset.theme = this.#theme;
    this.themeButton.textContent = this.#theme === "dark" ? "Light" : "Dark";
    this.themeButton.title = `Show the page on a ${this.#theme === "dark" ? "light" : "dark"} background`;
    for (const each of this.buttons) setPressed(each, each.dataset.view === this.view);
    for (const section of this.sections) section.show(this.view, contents.themes[this.#theme]);
    this.explanation.replaceChildren(...this.#explanation());
  }

  #explanation() {
    const words = this.contents.views.find(({ name }) => name === this.view);
    if (!words) return [];
    const how = element("b", "", "How to read it. ");
    const not = element("b", "", "What it does not show. ");
    return [how, `${words.how_to_read} `, not, words.does_not_show];
  }
}

/** @param {"auto" | ThemeName} theme @returns {ThemeName} */
export function themeOf(theme) {
  if (theme !== "auto") return theme;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
