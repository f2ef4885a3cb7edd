// @ts-check
// Pointer and keys of the head view, as what somebody wants to do.
import { pointOn } from "../shared/zoom.mjs";
import { HEADER, tokenAt } from "./layout.mjs";
/** @import { View } from "../shared/view.mjs" */
/** @import { Token } from "./layout.mjs" */
/** @import { Scene } from "./scene.mjs" */

/**
 * What the pointer and the keys do.
 * @typedef {object} Actions
 * @property {Scene | null} scene
 * @property {(token: Token | null) => Token | null} existing the token if it is shown and exists
 * @property {(token: Token | null) => void} hover
 * @property {(token: Token | null) => void} click
 * @property {() => void} scrolled
 * @property {() => void} leave the keyboard is elsewhere
 * @property {(key: string) => boolean} press returns whether the key does something
 */

/** @param {View<unknown> & Actions} view @param {{ pane: HTMLElement, scroller: HTMLElement }} parts */
export function listen(view, { pane, scroller }) {
  /** @type {{ clientX: number, clientY: number } | null} */
  let pointer = null;
  const tokenUnderPointer = () => {
    if (!view.scene || !pointer) return null;
    const { x, y } = pointOn(pane, pointer);
    const top = y < HEADER ? -Infinity : scroller.scrollTop;
    return view.existing(tokenAt(view.scene.layout, x, y + top));
  };

  view.listen(pane, "pointermove", ({ clientX, clientY }) => {
    pointer = { clientX, clientY };
    view.hover(tokenUnderPointer());
  });
  view.listen(pane, "pointerleave", () => {
    pointer = null;
    view.hover(null);
  });
  view.listen(pane, "click", ({ clientX, clientY }) => {
    pointer = { clientX, clientY };
    view.click(tokenUnderPointer());
  });
  view.listen(
    scroller,
    "scroll",
    () => {
      view.hover(tokenUnderPointer());
      view.scrolled();
    },
    { passive: true },
  );
  view.listenToKeys(scroller, (event) => view.press(event.key));
  view.listen(scroller, "blur", () => view.leave());
}
