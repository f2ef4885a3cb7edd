// Shrinks the words of a slide until they fit above the bar.
import { boxOf, zoomOf } from "../../../components/shared/zoom.mjs";

const BAR = 48; // pixels at the bottom of the window
const MOST = 4; // steps, of which each makes gaps and type smaller, or gives words more of the width; `room_for_words.css` has them

/** The words of one slide. Their size is observed, because the map among them is rendered later. */
export class RoomForWords {
  #window = "";

  /**
   * @param {HTMLElement} slide @param {HTMLElement} words
   * @param {() => void} changed called when the pictures beside the words have another width
   */
  constructor(slide, words, changed) {
    this.slide = slide;
    this.words = words;
    this.changed = changed;
    this.observer = new ResizeObserver(() => this.#fit());
  }

  /** Start, whenever the slide is shown. */
  watch() {
    const size = `${window.innerWidth} ${window.innerHeight} ${zoomOf(this.words)}`;
    if (size !== this.#window) this.slide.dataset.step = "0";
    this.#window = size;
    this.observer.observe(this.words);
    this.#fit();
  }

  #fit() {
    const before = Number(this.slide.dataset.step);
    let step = before;
    while (step < MOST && this.#isTooLong) {
      step += 1;
      this.slide.dataset.step = String(step);
    }
    if (step !== before) this.changed();
  }

  get #isTooLong() {
    const zoom = zoomOf(this.words);
    const { bottom, height } = boxOf(this.words);
    const end = bottom + window.scrollY / zoom - this.#excess;
    return height > 0 && end > window.innerHeight / zoom - BAR;
  }

  /** By how much the map will become lower when it is rendered in its narrower place. */
  get #excess() {
    const view = [...this.words.querySelectorAll(".map *")].find(({ shadowRoot }) => shadowRoot);
    const canvas = view?.shadowRoot?.querySelector("canvas");
    if (!view || !canvas) return 0;
    const { width, height } = boxOf(canvas);
    return excessHeight({ width, height }, boxOf(view).width);
  }
}

/**
 * By how much a picture becomes lower when it is scaled to the width of its place.
 * @param {{ width: number, height: number }} picture
 * @param {number} room across, in the same pixels
 */
export function excessHeight({ width, height }, room) {
  return width > room ? height * (1 - room / width) : 0;
}
