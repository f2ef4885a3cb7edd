// @ts-check
// What every view has in common: mounting, the data that it was given, keys, size, and closing.
import { isShortcut } from "./keys.mjs";
import { sheetsBeside } from "./sheets.mjs";
/** @import { MountArguments, SetTriggerValue } from "./types.mjs" */

/**
 * The default export of a component. Streamlit calls it for new data and when the theme changes, mostly on the same
 * DOM, which then has one view for all of these calls.
 * @template Data
 * @param {(root: HTMLElement, data: Data) => View<Data>} make builds a view in the element with the class "view"
 * @param {string} [url] of a module beside the view's style sheet, if it has one; the view waits for it
 */
export async function mounting(make, url) {
  const sheets = url ? await sheetsBeside(url) : [];
  /** @type {WeakMap<Node, { view: View<Data>, runs: number }>} */
  const mounted = new WeakMap();
  /** @param {MountArguments<Data>} mount */
  return ({ data, parentElement, setTriggerValue }) => {
    const root = parentElement.querySelector(".view");
    if (!(root instanceof HTMLElement)) throw new Error("The component has no element for its view.");
    /** @type {Document | ShadowRoot} */ (root.getRootNode()).adoptedStyleSheets = sheets;
    const before = mounted.get(parentElement);
    if (before && before.view.root !== root) before.view.close(); // its element is no longer on the page
    const known = before?.view.root === root ? before : { view: make(root, data), runs: 0 };
    mounted.set(parentElement, known);
    const run = (known.runs += 1);
    known.view.update(data, setTriggerValue);
    root.dataset.mounted = ""; // for tests: from here on it answers
    return () => {
      if (run !== known.runs) return; // a later run goes on with the view
      known.view.close();
      if (mounted.get(parentElement) === known) mounted.delete(parentElement);
    };
  };
}

/**
 * A part of the page that shows the data that it is given.
 * @template Data
 */
export class View {
  closing = new AbortController();
  /** @type {SetTriggerValue} */
  #setTriggerValue = () => {};

  /**
   * @param {HTMLElement} root an empty element, which the view fills
   * @param {Data} data
   */
  constructor(root, data) {
    this.root = root;
    this.data = data;
  }

  /**
   * New data, the same data again, or another theme.
   * @param {Data} data
   * @param {SetTriggerValue} setTriggerValue
   */
  update(data, setTriggerValue) {
    this.#setTriggerValue = setTriggerValue;
    this.receive(data);
  }

  /**
   * Show the data; a view that waits for a message keeps its picture until then.
   * @param {Data} data
   */
  receive(data) {
    this.data = data;
    this.refresh();
  }

  /** Show everything that follows from the data and the selection. */
  refresh() {}

  /**
   * Send a value to Python, for the one view that speaks with it.
   * @param {string} name
   * @param {unknown} value
   */
  tell(name, value) {
    this.#setTriggerValue(name, value);
  }

  close() {
    this.closing.abort();
  }

  /**
   * Listen until the view closes.
   * @template {keyof HTMLElementEventMap} Type
   * @param {EventTarget} target
   * @param {Type} type
   * @param {(event: HTMLElementEventMap[Type]) => void} handler
   * @param {AddEventListenerOptions} [options]
   */
  listen(target, type, handler, options) {
    const listener = /** @type {EventListener} */ (handler);
    target.addEventListener(type, listener, { signal: this.closing.signal, ...options });
  }

  /**
   * Listen to keys. One that the view answers reaches nothing else: the page has uses of its own for arrow keys.
   * @param {HTMLElement} target
   * @param {(event: KeyboardEvent) => boolean} press returns whether the view answers the key
   */
  listenToKeys(target, press) {
    this.listen(target, "keydown", (event) => {
      if (isShortcut(event) || !press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /**
   * Call back at most once a frame, and never after the view is closed.
   * @param {() => void} draw
   * @returns {() => void} asks for a call in the next frame
   */
  perFrame(draw) {
    return perFrame(() => {
      if (!this.closing.signal.aborted) draw();
    });
  }

  /**
   * Call back when an element has another width, or the window another size or density.
   * @param {HTMLElement} target
   * @param {() => void} resized
   */
  watchSize(target, resized) {
    const soon = this.perFrame(resized);
    let width = target.clientWidth;
    const observer = new ResizeObserver(() => {
      if (target.clientWidth === width) return;
      width = target.clientWidth;
      soon();
    });
    observer.observe(target);
    this.closing.signal.addEventListener("abort", () => observer.disconnect());
    this.listen(window, "resize", soon);
  }
}

/**
 * At most one call a frame, however often it is asked for.
 * @param {() => void} draw
 * @returns {() => void} asks for a call
 */
export function perFrame(draw) {
  let request = 0;
  return () => {
    request ||= requestAnimationFrame(() => {
      request = 0;
      draw();
    });
  };
}
