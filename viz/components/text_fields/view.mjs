// Text fields whose texts are run while the user types. See __init__.py.
import { element } from "../shared/elements.mjs";
import { hostOf } from "../shared/host.mjs";
import { isEqual, selectionOf } from "../shared/page_selection.mjs";
import { tabStorage } from "../shared/tab_storage.mjs";
import { View, mounting } from "../shared/view.mjs";
import { DirectDrawing } from "./direct_drawing.mjs";
import { keepDraft, keptDraft } from "./drafts.mjs";
import { partsOf } from "./marked.mjs";
import { Pace } from "./pace.mjs";
/** @import { TextsUpdate } from "../shared/page_selection.mjs" */
/** @import { MountArguments, Scope, SetTriggerValue } from "../shared/types.mjs" */
/** @import { Part } from "./marked.mjs" */

/** A labelled field with an overlay for marks, which lets the pointer through. */
class Field {
  /** @param {string} name @param {string} label */
  constructor(name, label) {
    this.name = name;
    this.root = element("label", "field");
    this.input = element("textarea");
    this.input.rows = 1; // where a browser cannot size a field by its content
    this.input.dir = "auto";
    this.input.spellcheck = false; // its red lines would look like marks
    this.marks = element("div", "marks");
    this.marks.dir = "auto";
    this.marks.setAttribute("aria-hidden", "true");
    const box = element("div", "box", this.input, this.marks);
    this.root.append(element("span", "name", label), box);
    this.input.addEventListener("scroll", () => this.#follow(), { passive: true });
  }

  /** @param {string} text */
  show(text) {
    if (this.input.value !== text) this.input.value = text; // keeps caret and undo history if equal
  }

  /** @param {readonly Part[]} parts */
  mark(parts) {
    this.marks.replaceChildren(...parts.map(({ text, kind }) => element("span", kind, text)));
    this.#follow();
  }

  #follow() {
    this.marks.scrollTop = this.input.scrollTop;
  }
}

/**
 * @typedef {{ key: string, scope: Scope, fields: { name: string, label: string }[], answered: number | null }} Options
 * @typedef {TextsUpdate & Options} FieldsData
 */

/** @extends {View<FieldsData>} */
class TextFields extends View {
  #storage = tabStorage();
  #note = element("p", "note");
  #isNew = true;
  #isComposing = false;
  #pace;

  /** @param {HTMLElement} root @param {FieldsData} data */
  constructor(root, data) {
    super(root, data);
    this.host = hostOf(data.scope);
    this.selection = selectionOf(data.scope);
    this.drawing = new DirectDrawing(this.host, () => this.#pace.answer());
    this.#pace = new Pace({
      send: (supersedes) => void this.drawing.draw(supersedes),
      notify: () => this.host.sendTexts(),
      settle: () => void this.#commit(),
    });
    this.fields = data.fields.map(({ name, label }) => new Field(name, label));
    const stored = keptDraft(this.#storage, data.key, Object.keys(data.texts));
    // Its address may have changed without notifying the fields: it loses texts that are too long.
    this.stored = stored && isPageReloaded() ? { ...stored, linked: data.linked } : stored;
    this.#note.setAttribute("role", "status");
    root.replaceChildren(...this.fields.map((field) => field.root), this.#note);
    for (const { input } of this.fields) this.#listenTo(input);
    this.selection.subscribe((what) => {
      if (what === "runs") this.#learn();
      else if (this.selection.isLive) void this.drawing.drawLinks();
    }, this.closing.signal);
  }

  /** @override @param {FieldsData} data @param {SetTriggerValue} setStateValue */
  update(data, setStateValue) {
    const before = this.selection.texts;
    const isRestored = this.host.receiveTexts(data, (message) => setStateValue("selection", message), this.stored);
    if (!isEqual(before, this.selection.texts)) {
      this.#pace.stop();
      this.drawing.stop();
    }
    if (isRestored) this.#send();
    else if (this.#isNew && this.#isUnsettled) this.#pace.touch();
    this.#isNew = false;
    this.#learn();
  }

  /** @override */
  close() {
    this.#pace.stop();
    this.drawing.stop();
    super.close();
  }

  /** @param {HTMLTextAreaElement} input */
  #listenTo(input) {
    this.listen(input, "input", (event) => {
      if (!(/** @type {InputEvent} */ (event).isComposing)) this.#edit();
    });
    // An unfinished composition is not sent, and nothing may replace it.
    this.listen(input, "compositionstart", () => {
      this.#pace.stop();
      this.#isComposing = true;
      this.selection.type(this.#texts());
    });
    this.listen(input, "compositionend", () => {
      this.#isComposing = false;
      this.#edit();
    });
    this.listen(input, "blur", () => this.#commitNow());
    this.listen(input, "keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      void this.#commit();
    });
    // The page would treat letters as shortcuts: it cannot see the field inside the shadow root.
    for (const type of /** @type {const} */ (["keydown", "keypress", "keyup"])) {
      this.listen(input, type, (event) => event.stopPropagation());
    }
  }

  #texts() {
    return Object.fromEntries(this.fields.map(({ name, input }) => [name, input.value]));
  }

  #edit() {
    this.selection.type(this.#texts());
    if (this.host.runs.slow === null) this.#pace.touch(); // first, so that the server works during the rest
    this.#mark();
    this.#keep();
  }

  /** Whether Python lacks the texts, or has them only as held. */
  get #isUnsettled() {
    return this.host.isUnsent || this.selection.isHeld;
  }

  /** Commit the texts once they are rendered. */
  async #commit() {
    this.#pace.stop();
    if (await this.drawing.finish()) this.#commitNow();
  }

  /** Commit the texts without waiting for direct runs. */
  #commitNow() {
    this.#pace.stop();
    if (this.#isUnsettled) this.#send();
  }

  #send() {
    this.selection.settle();
    this.host.sendTexts();
  }

  /** Store the draft. */
  #keep() {
    keepDraft(this.#storage, this.data.key, this.selection.draft);
  }

  /** Show the texts and what is known about their runs. */
  #learn() {
    const { slow } = this.host.runs;
    for (const field of this.#isComposing ? [] : this.fields) field.show(this.selection.texts[field.name]);
    this.#mark();
    this.#keep();
    document.documentElement.toggleAttribute("data-direct", !this.selection.isDrawn); // for page.css
    const note =
      slow === null
        ? ""
        : `A run takes ${slow.toFixed(1)} s, so the text runs on Ctrl+Enter or when you leave the field.`;
    if (this.#note.textContent !== note) this.#note.textContent = note; // a screen reader announces every change
    if (!this.host.isBusy) this.#pace.answer();
  }

  #mark() {
    for (const field of this.fields) field.mark(partsOf(field.input.value, this.selection.marks[field.name]));
  }
}

/** Whether the page was reloaded, not opened by a link. */
function isPageReloaded() {
  const [navigation] = performance.getEntriesByType("navigation");
  return /** @type {PerformanceNavigationTiming} */ (navigation).type === "reload";
}

const mount = await mounting((root, data) => new TextFields(root, /** @type {FieldsData} */ (data)), import.meta.url);

/**
 * Typed text is state, not a trigger: the browser sends it again after a reconnect.
 * @param {MountArguments<FieldsData> & { setStateValue: SetTriggerValue }} mountArguments
 */
export default function (mountArguments) {
  return mount({ ...mountArguments, setTriggerValue: mountArguments.setStateValue });
}
