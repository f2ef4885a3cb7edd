// The speaker's window: the stop's notes, the next stop and a clock. The page writes into it; it loads only the next
// stop's picture.
import { clockOf, elapsedOf } from "./words.mjs";

const NAME = "headlight-speaker"; // of the window, so that N reuses it
const SIZE = "popup,width=960,height=760";
const TICK = 250; // milliseconds
const DELAY = 500; // milliseconds until a picture is loaded: the stage comes first
const STYLE = `
  :root { color-scheme: light dark; }
  body { display: grid; gap: 1rem; margin: 1.25rem 1.5rem; font: 1.25rem/1.5 system-ui, sans-serif; }
  header { display: flex; justify-content: space-between; gap: 1rem; font-variant-numeric: tabular-nums; }
  h1, h2, p { margin: 0; }
  h1 { font-size: 1.5rem; line-height: 1.25; }
  h2 { font-size: 1rem; font-weight: 600; opacity: 0.75; }
  .question { font-weight: 600; }
  .notes { font-size: 1.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  footer { display: grid; grid-template-columns: 1fr auto; align-content: start; gap: 0 1rem; }
  footer > :not(.next_picture) { grid-column: 1; }
  .next_picture { grid-area: 1 / 2 / span 4; width: 360px; height: 203px; overflow: hidden; border: 1px solid #8888; }
  .next_picture:empty { display: none; }
  iframe { width: 960px; height: 540px; border: 0; scale: 0.375; transform-origin: 0 0; pointer-events: none; }
`;

/**
 * What the window shows; texts that are "" take no room.
 * @typedef {object} Notes
 * @property {string} place "Stop 3 of 10"
 * @property {string} title
 * @property {string} seen the line that the audience sees
 * @property {string} question
 * @property {string} answer "" until it is revealed
 * @property {string} notes
 * @property {string} next what comes next
 * @property {string} next_question of the next stop
 * @property {string} next_picture its address
 */

/** @type {Notes} */
export const NOTHING = {
  ...{ place: "", title: "", seen: "", question: "", answer: "", notes: "" },
  ...{ next: "", next_question: "", next_picture: "" },
};

export class SpeakerWindow {
  /** @type {Window | null} */
  #window = null;
  #notes = NOTHING;
  #started = 0;
  #picture = ""; // the address in the window
  #loading = 0;

  /** @param {(event: KeyboardEvent) => void} press handles keys as the page does */
  constructor(press) {
    this.press = press;
  }

  /** Start the talk's clock. */
  start() {
    this.#started = Date.now();
  }

  /** Open or focus the window. @returns {boolean} whether the browser allows it */
  open() {
    const opened = window.open("", NAME, SIZE);
    if (!opened) return false;
    if (opened !== this.#window) this.#furnish(opened);
    this.#window = opened;
    opened.focus();
    this.#write();
    return true;
  }

  /** @param {Notes} notes */
  show(notes) {
    this.#notes = notes;
    this.#write();
  }

  close() {
    this.#window?.close();
    this.#window = null;
  }

  /** @param {Window} opened a window, perhaps left by another page */
  #furnish(opened) {
    const { document: page } = opened;
    page.documentElement.lang = "en";
    const style = page.createElement("style");
    style.textContent = STYLE;
    page.head.replaceChildren(style);
    page.title = "Headlight: notes";
    /** @type {(tag: string, name: string) => HTMLElement} */
    const part = (tag, name) => {
      const made = page.createElement(tag);
      made.className = name;
      return made;
    };
    const header = page.createElement("header");
    header.append(part("span", "place"), part("span", "elapsed"), part("span", "clock"));
    const main = page.createElement("main");
    main.append(
      part("h1", "title"),
      part("p", "seen"),
      ...["question", "answer", "notes"].map((name) => part("p", name)),
    );
    const after = page.createElement("footer");
    after.append(part("h2", "then"), part("p", "next"), part("p", "next_question"), part("div", "next_picture"));
    this.#picture = "";
    page.body.replaceChildren(header, main, after);
    page.addEventListener("keydown", this.press);
    opened.setInterval(() => this.#tick(), TICK);
    this.#window = opened;
    this.#tick();
  }

  #tick() {
    this.#put("clock", clockOf(new Date()));
    this.#put("elapsed", elapsedOf(Date.now() - this.#started));
  }

  #write() {
    const { next_picture: picture, ...texts } = this.#notes;
    for (const [name, text] of Object.entries(texts)) this.#put(name, text);
    this.#put("then", texts.next && "Next");
    this.#show(picture);
  }

  /** Load the next stop's picture, in a frame that cannot reach the page. @param {string} picture its address */
  #show(picture) {
    const place = this.#window?.document.querySelector(".next_picture");
    if (!place || picture === this.#picture) return;
    this.#picture = picture;
    window.clearTimeout(this.#loading);
    place.replaceChildren();
    if (!picture) return;
    this.#loading = window.setTimeout(() => {
      const frame = place.ownerDocument.createElement("iframe");
      frame.title = "The next stop's picture";
      frame.sandbox.add("allow-scripts");
      frame.inert = true;
      frame.src = `${new URL(picture, window.location.href).href}#1a`; // with its answer
      place.append(frame);
    }, DELAY);
  }

  /** @param {string} name @param {string} text */
  #put(name, text) {
    const part = this.#window?.document.querySelector(`.${name}`);
    if (part && part.textContent !== text) part.textContent = text;
  }
}
