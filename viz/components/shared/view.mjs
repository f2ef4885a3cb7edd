// The base of every view: mounting, data, keys, size, and closing.
import { isShortcut } from "./keys.mjs";
import { sheetsBeside } from "./sheets.mjs";
/** @import { MountArguments, SetTriggerValue } from "./types.mjs" */

/**
 * The default export of a component. Streamlit calls it for new data and theme changes, mostly on the same DOM, which
 * keeps one view for all calls.
 * @template Data
 * @param {(root: HTMLElement, data: Data) => View<Data>} make builds a view in the element with the class "view"
 * @param {string} [url] of a module in the folder of the view's style sheet, if it has one; mounting waits for it
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
    root.dataset.mounted = ""; // for tests: the view is ready
    return () => {
      if (run !== known.runs) return; // a later run owns the view
      known.view.close();
      if (mounted.get(parentElement) === known) mounted.delete(parentElement);
    };
  };
}

/**
 * A part of the page that renders its data.
 * @template Data
 */
export class View {
  closing = new AbortController();
  /** @type {SetTriggerValue} */
  #setTriggerValue = () => {};

  /** @param {HTMLElement} root an empty element, which the view fills @param {Data} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
  }

  /** New data, the same data again, or another theme. @param {Data} data @param {SetTriggerValue} setTriggerValue */
  update(data, setTriggerValue) {
    this.#setTriggerValue = setTriggerValue;
    this.receive(data);
  }

  /** Render the data; a view that waits for a message keeps its picture until then. @param {Data} data */
  receive(data) {
    this.data = data;
    this.refresh();
  }

  /** Render the data and the selection. */
  refresh() {}

  /** Send a value to Python. @param {string} name @param {unknown} value */
  sendToPython(name, value) {
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
   * Listen to keys. A handled key stops here, because the page uses arrow keys too.
   * @param {HTMLElement} target
   * @param {(event: KeyboardEvent) => boolean} press returns whether the view handles the key
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
   * @returns {() => void} requests a call in the next frame
   */
  perFrame(draw) {
    return perFrame(() => {
      if (!this.closing.signal.aborted) draw();
    });
  }

  /**
   * Call back when the element's width or the window's size or density changes.
   * @param {HTMLElement} target @param {() => void} resized
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

/** Coalesce calls to at most one a frame. @param {() => void} draw @returns {() => void} requests a call */
export function perFrame(draw) {
  let request = 0;
  return () => {
    request ||= requestAnimationFrame(() => {
      request = 0;
      draw();
    });
  };
}
