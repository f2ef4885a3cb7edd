// Elements of the page, and where those stand that lie above it.

/** An element with a class and a text; text never goes in as HTML. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function button(text, onClick, { className = "tool", title = "" } = {}) {
  const made = element("button", className, text);
  made.type = "button";
  if (title) made.title = title;
  made.addEventListener("click", onClick);
  return made;
}

/** Where a tooltip stands: below its anchor if there is room, else above it, and within the window. All in CSS pixels. */
export function tipPlace(anchor, tip, viewport, gap = 4) {
  const below = anchor.bottom + gap;
  const top = below + tip.height <= viewport.height ? below : Math.max(0, anchor.top - gap - tip.height);
  return { left: Math.max(gap, Math.min(anchor.left, viewport.width - tip.width - gap)), top };
}
