// @ts-check
// Text fields whose texts are run while somebody types. See __init__.py.
import { element } from "../shared/elements.mjs";
import { knownOf } from "../shared/known_texts.mjs";
import { selectionOf } from "../shared/page_selection.mjs";
import { tabStorage } from "../shared/tab_storage.mjs";
import { View, mounting } from "../shared/view.mjs";
import { DirectDrawing } from "./direct_drawing.mjs";
import { keepDraft, keptDraft } from "./drafts.mjs";
import { Exchange } from "./exchange.mjs";
import { Field } from "./field.mjs";
import { partsOf } from "./marked.mjs";
import { Pace } from "./pace.mjs";
/** @import { MountArguments, SetTriggerValue } from "../shared/types.mjs" */
/** @import { Answer } from "./exchange.mjs" */

const PATIENCE = 2000; // milliseconds that Python waits for a picture to be painted before it is told of the text

/** @typedef {Answer & { key: string, fields: { name: string, label: string }[] }} FieldsData */

/**
 * What the fields of each key hold. It outlives them: Streamlit may mount them anew while somebody types.
 * @type {Map<string, Exchange>}
 */
const exchanges = new Map();

/** @param {string} key of the fields */
function exchangeOf(key) {
  const exchange = exchanges.get(key) ?? new Exchange();
  exchanges.set(key, exchange);
  return exchange;
}

/** @extends {View<FieldsData>} */
class TextFields extends View {
  #exchange;
  #pace = new Pace({
    send: (overtakes) => void this.#draw(overtakes),
    tell: () => this.#tell(),
    settle: () => void this.#commit(),
  });
  #storage = tabStorage();
  #note = element("p", "note");
  #isNew = true;
  #drawing;
  selection = selectionOf("encoder");
  #isCommitting = false;
  /** @type {SetTriggerValue} */
  #setStateValue = () => {};

  /** @param {HTMLElement} root @param {FieldsData} data */
  constructor(root, data) {
    super(root, data);
    this.#exchange = exchangeOf(data.key);
    this.fields = data.fields.map(({ name, label }) => new Field(name, label));
    this.known = knownOf(data.key);
    this.#drawing = new DirectDrawing(this.#exchange, this.known, () => this.#mark());
    const stored = keptDraft(this.#storage, data.key, Object.keys(data.texts));
    // Its address may have changed without the fields being told: it loses texts that are too long.
    this.stored = stored && isPageReloaded() ? { ...stored, linked: data.linked } : stored;
    this.#note.setAttribute("role", "status");
    root.replaceChildren(...this.fields.map((field) => field.root), this.#note);
    for (const field of this.fields) {
      field.show(this.#exchange.texts[field.name] ?? "");
      this.#listenTo(field.input);
    }
    this.known.whenPut(() => {
      if (this.known.now.linked) this.#exchange.link(this.known.now.linked);
      this.#keep();
      this.#learn();
    }, this.closing.signal);
    const noteRuns = () => document.documentElement.toggleAttribute("data-direct", !this.selection.isDrawn); // for page.css
    this.closing.signal.addEventListener("abort", this.selection.subscribe(noteRuns));
  }

  /**
   * @override
   * @param {FieldsData} data
   * @param {SetTriggerValue} setStateValue
   */
  update(data, setStateValue) {
    this.#setStateValue = setStateValue;
    const outcome = this.#exchange.receive(data, this.stored);
    if (outcome !== "kept") {
      this.#pace.stop();
      this.#drawing.stop();
      this.selection.dropRuns(Infinity);
      for (const field of this.fields) field.show(this.#exchange.texts[field.name]);
    }
    if (outcome === "restored") this.#send(false, true);
    else if (this.#isNew && this.#exchange.unsettled) this.#pace.touch();
    this.#isNew = false;
    this.#keep();
    this.#learn();
  }

  /** @override */
  close() {
    this.#pace.stop();
    this.#drawing.stop();
    super.close();
  }

  /** @param {HTMLTextAreaElement} input */
  #listenTo(input) {
    this.listen(input, "input", (event) => {
      if (!(/** @type {InputEvent} */ (event).isComposing)) this.#edit();
    });
    // What an input method has not finished is no text yet, and nothing may replace it.
    this.listen(input, "compositionstart", () => {
      this.#pace.stop();
      this.#exchange.edit(this.#texts());
    });
    this.listen(input, "compositionend", () => this.#edit());
    this.listen(input, "blur", () => this.#commitNow());
    this.listen(input, "keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      void this.#commit();
    });
    // Outside, the page takes letters for shortcuts: it cannot see that they are typed into a field.
    for (const type of /** @type {const} */ (["keydown", "keypress", "keyup"])) {
      this.listen(input, type, (event) => event.stopPropagation());
    }
  }

  #texts() {
    return Object.fromEntries(this.fields.map(({ name, input }) => [name, input.value]));
  }

  #edit() {
    this.#exchange.edit(this.#texts());
    this.#keep();
    this.#mark();
    if (this.known.now.slow === null) this.#pace.touch();
  }

  /** Say that the texts stay, unless Python knows it. Their pictures come before the page, which would hold them up. */
  async #commit() {
    this.#pace.stop();
    if (this.#exchange.unsent && this.#drawing.isPossible) {
      const late = new Promise((then) => setTimeout(then, PATIENCE));
      this.#isCommitting = true;
      const outcome = await Promise.race([this.#drawing.drawWhole(), late]);
      this.#isCommitting = false;
      if (outcome === "overtaken") return;
    }
    this.#commitNow();
  }

  /** The same where something else may be sent at the same time. */
  #commitNow() {
    this.#pace.stop();
    if (this.#exchange.unsettled) this.#send(false, this.#isBusy());
  }

  /**
   * Have the texts drawn while another key may follow: without the page, where that is possible.
   * @param {boolean} overtakes
   */
  async #draw(overtakes) {
    if (!this.#drawing.isPossible) return this.#send(true, overtakes);
    const outcome = await this.#drawing.draw();
    if (this.#isCommitting) return; // Python is told of the texts in any case
    if (outcome === "drawn") this.#pace.answer();
    else if (outcome === "not drawn") this.#tell();
  }

  /** Tell Python of texts that it does not know, while another key may follow. */
  #tell() {
    if (this.#exchange.unsent) this.#send(true, this.#isBusy());
  }

  /** Whether Python has not answered the last message. */
  #isBusy() {
    return this.known.now.answered !== this.#exchange.sent;
  }

  /**
   * Send the texts to the part of the page that shows them, where it is drawn by itself. A run that is under way is
   * superseded by one of the whole page only.
   * @param {boolean} held whether another key may follow
   * @param {boolean} supersedes
   */
  #send(held, supersedes) {
    const { send } = this.known;
    const message = this.#exchange.message(held);
    if (send && !supersedes) send(message);
    else this.#setStateValue("typed", message);
  }

  #keep() {
    keepDraft(this.#storage, this.data.key, this.#exchange.draft);
  }

  /** Show what Python found out. */
  #learn() {
    const { answered, slow } = this.known.now;
    this.selection.dropRuns(answered);
    this.#mark();
    const note =
      slow === null
        ? ""
        : `A run takes ${slow.toFixed(1)} s: the text is read at Ctrl+Enter, or when you leave the field.`;
    if (this.#note.textContent !== note) this.#note.textContent = note; // it is read aloud once
    if (answered === this.#exchange.sent) this.#pace.answer();
  }

  #mark() {
    for (const field of this.fields) field.mark(partsOf(field.input.value, this.known.now.marks[field.name]));
  }
}

/** Whether this is the page that was here before, and no link. */
function isPageReloaded() {
  const [navigation] = performance.getEntriesByType("navigation");
  return /** @type {PerformanceNavigationTiming} */ (navigation).type === "reload";
}

const mount = await mounting((root, data) => new TextFields(root, /** @type {FieldsData} */ (data)), import.meta.url);

/**
 * What is typed is state, no trigger: the browser sends it again when it has lost the server and found it.
 * @param {MountArguments<FieldsData> & { setStateValue: SetTriggerValue }} mountArguments
 */
export default function (mountArguments) {
  return mount({ ...mountArguments, setTriggerValue: mountArguments.setStateValue });
}
