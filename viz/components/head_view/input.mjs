// Pointer and keys of the head view, told to `view` as what somebody wants: hover, click, scrolled, leave, release,
// pinCurrent, move. It knows which tokens are `inside` of what is shown.
import { HEADER, tokenAt } from "./layout.mjs";

export function listen(view, signal) {
  const { pane, scroller } = view;
  const on = (target, type, handler, options) => target.addEventListener(type, handler, { signal, ...options });
  let pointer = null;
  const find = () => {
    if (!view.scene || !pointer) return null;
    const box = pane.getBoundingClientRect();
    const y = pointer.y - box.top;
    const top = y < HEADER ? -Infinity : scroller.scrollTop;
    return view.inside(tokenAt(view.scene.layout, pointer.x - box.left, y + top));
  };

  on(pane, "pointermove", ({ clientX, clientY }) => {
    pointer = { x: clientX, y: clientY };
    view.hover(find());
  });
  on(pane, "pointerleave", () => {
    pointer = null;
    view.hover(null);
  });
  on(pane, "click", ({ clientX, clientY }) => {
    pointer = { x: clientX, y: clientY };
    view.click(find());
  });
  on(
    scroller,
    "scroll",
    () => {
      view.hover(find());
      view.scrolled();
    },
    { passive: true },
  );
  on(scroller, "keydown", (event) => {
    if (!view.scene || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") view.release();
    else if (event.key === "Enter" || event.key === " " ? view.pinCurrent() : view.move(event.key))
      event.preventDefault();
  });
  on(scroller, "blur", () => view.leave());
}
