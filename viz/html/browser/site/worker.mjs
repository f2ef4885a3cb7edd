// Runs the encoder beside the page. It answers the last question that it was asked; those before may go unanswered.
import { ModelFiles } from "./files.mjs";
import { nextTask } from "./next_task.mjs";
import { mapMessage } from "./payloads.mjs";
import { stripOf } from "./strip.mjs";
import { Refused, TextReader } from "./text_reader.mjs";
/** @import { SiteFacts } from "../contents.mjs" */
/** @import { Progress } from "./files.mjs" */
/** @import { Asked, Setting, TextRun } from "./text_reader.mjs" */

/**
 * @typedef {{ base: string, facts: SiteFacts, until: number }} Start
 * @typedef {{ number: number, runs: Asked[], setting: Setting, layer: number }} Question with the layer that is open
 * @typedef {Question & { until: number, removes: boolean, notes: string[], texts: TextRun[] | null }} Reached how far it was answered, whether words are removed, and what was read
 * @typedef {{ number: number, run: string, what: "layer" | "neurons" | "map" | "answers" | "strip" | "chosen", message: any }} Part
 * @typedef {Part | { number: number, notes: string[] } | { number: number, refused: string } | Progress} Answer
 */

/** @type {(answer: Answer) => void} */
const answer = (message) => globalThis.postMessage(message);

class Questions {
  #isBusy = false;
  /** @type {Reached | null} */
  #last = null;

  /** @param {Start} start */
  constructor({ base, facts, until }) {
    this.facts = facts;
    this.until = until;
    this.files = new ModelFiles(base, facts, answer);
    this.reader = new TextReader(facts, this.files);
    void this.#begin().catch(() => {}); // the question reports it
  }

  /** Load what the first picture needs, and all that an earlier visit has cached. */
  async #begin() {
    await this.reader.load(this.until);
    const last = this.facts.layers - 1;
    if (await this.files.has(`${this.facts.step}layer-${last}.onnx`)) await this.need(last);
  }

  /** Load the layers as far as this one, and then read the text that far. @param {number} until */
  async need(until) {
    try {
      await this.reader.load(until);
    } catch (error) {
      return refuse(this.#last?.number ?? 0, error);
    }
    this.until = Math.max(this.until, until);
    return this.#work();
  }

  /** @param {Question} question */
  ask(question) {
    this.#last = { ...question, until: -1, removes: false, notes: [], texts: null };
    void this.#work();
  }

  /** Remove the words of the last question's texts, too. */
  remove() {
    if (!this.#last || this.#last.removes) return;
    this.#last.removes = true;
    if (!this.#isBusy) this.#last.until = -1;
    void this.#work();
  }

  /** Answer the last question as far as the needed layer. Both can change meanwhile. */
  async #work() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#last && this.#last.until < this.until) {
      const question = this.#last;
      question.until = this.until;
      try {
        await this.#answer(question);
      } catch (error) {
        refuse(question.number, error);
        question.until = -1; // so that what is asked next, also of this text, tries again
        if (question === this.#last) break;
      }
    }
    this.#isBusy = false;
  }

  /** @param {Reached} question */
  async #answer(question) {
    const { number, runs, setting, layer: open, notes, until } = question;
    const { reader } = this;
    const isLast = () => question === this.#last;
    const show = (/** @type {TextRun} */ { name: run }, /** @type {object} */ messages) => {
      for (const [what, message] of Object.entries(messages)) {
        answer(/** @type {Part} */ ({ number, run, what, message }));
      }
    };
    await reader.tokenizer();
    if (!isLast()) return; // while the model is loaded, a text can be typed to its end
    const texts = (question.texts ??= await reader.textsOf(runs, setting, notes));
    for (const text of texts) {
      // One that is no longer the last is read as far as the open layer alone.
      await reader.read(text, until, setting, async (layer, messages) => {
        show(text, messages);
        await nextTask(); // so that another question can arrive
        return isLast() || layer < open;
      });
    }
    if (!isLast()) return;
    const isWhole = texts.every(({ reading }) => reading.states.length > this.facts.layers);
    const moved = [];
    for (const text of texts) {
      const { tokens, letters } = text;
      const { tags, answers } = isWhole ? await reader.answersOf(text, setting) : { tags: [], answers: {} };
      const strip = stripOf(tokens, letters, Math.max(runs.length, letters.length), tags);
      const read = { ...(await reader.readingOf(text)), ...answers };
      show(text, { map: mapMessage(text.profiles, this.facts.measures), strip, answers: read });
      if (isWhole) moved.push(...(await reader.movementOf(text)));
    }
    if (isWhole) show(texts[0], await reader.lensOf(texts, setting));
    const said = { number, notes: [...notes, ...moved] };
    answer(said);
    for (const text of isWhole && question.removes ? texts : []) {
      const answers = await reader.lossesOf(text, setting, (removed, words) => {
        if (isLast()) answer({ number, notes: [`Removing words: ${removed} of ${words}.`] });
        return isLast();
      });
      if (!isLast()) return;
      show(text, { answers });
      answer(said);
    }
  }
}

/** @param {number} number @param {any} error */
function refuse(number, error) {
  const words = error instanceof Refused ? error.message : `The model cannot be run here: ${error.message}`;
  answer({ number, refused: words });
}

/** @type {Questions | null} */
let questions = null;
globalThis.addEventListener("message", ({ data }) => {
  if (data === "remove") questions?.remove();
  else if ("base" in data) questions = new Questions(data);
  else if ("until" in data) void questions?.need(data.until);
  else questions?.ask(data);
});
