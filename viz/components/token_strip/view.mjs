// The token strip. The payload is described in __init__.py; token text reaches the page through textContent only.

const LETTERS = ["A", "B"];
const LONG = 80; // tokens, which fill more than three rows: the picture below needs the room

/** Positions grouped into words: a token that continues its predecessor's word joins it. */
export function wordGroups(tokens) {
  const groups = [];
  tokens.forEach((token, position) => {
    if (token.continues && groups.length > 0) groups[groups.length - 1].push(position);
    else groups.push([position]);
  });
  return groups;
}

/** Where a key moves the focus, or null if it is not ours. */
export function nextPosition(key, position, count) {
  const moves = { ArrowRight: position + 1, ArrowLeft: position - 1, Home: 0, End: count - 1 };
  if (!Object.hasOwn(moves, key)) return null;
  return Math.min(Math.max(moves[key], 0), count - 1);
}

/** "A" or "B" where the sentences need telling apart, else "". */
export function sentenceLetter(sentence, nSentences) {
  return sentence === null || nSentences < 2 ? "" : LETTERS[sentence];
}

/** The tag of a token's word where the token begins it, else "". */
export function tagOf(token, tags) {
  return token.word === null || token.continues ? "" : tags[token.word] ?? "";
}

/** What the tooltip says about a token: pairs of term and value. */
export function facts(token, words, nSentences) {
  const list = [["piece", token.piece], ["position", token.position], ["id", token.id], ["token type", token.type]];
  if (token.special) list.push(["special token", "added by the tokenizer"]);
  if (token.word !== null) list.push(["word", words[token.word] ?? ""]);
  if (token.sentence !== null && nSentences > 1) list.push(["sentence", LETTERS[token.sentence]]);
  return list.map(([term, value]) => [term, String(value)]);
}

/** One line for a screen reader. */
export function spokenName(token, words, nSentences) {
  return facts(token, words, nSentences).map(([term, value]) => `${term} ${value}`).join(", ");
}

/** The pointer beats the keyboard's focus. */
export function shownPosition(hovered, focused) {
  return hovered ?? focused;
}

/** Below the token if there is room, else above it, and within the window. All in CSS pixels. */
export function tooltipPlace(anchor, tip, viewport, gap = 6) {
  const below = anchor.bottom + gap;
  const top = below + tip.height <= viewport.height ? below : Math.max(anchor.top - gap - tip.height, 0);
  const left = Math.min(Math.max(anchor.left, gap), Math.max(viewport.width - tip.width - gap, 0));
  return { left, top };
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function chip(token, data) {
  const element = make("span", "token");
  element.classList.toggle("special", token.special);
  element.classList.toggle("continues", token.continues);
  element.dataset.position = token.position;
  element.setAttribute("role", "listitem");
  element.setAttribute("aria-label", spokenName(token, data.words, data.n_sentences));
  element.tabIndex = -1;
  const label = make("span", "label", token.label);
  label.dir = "auto";
  element.append(label, make("span", "id", String(token.id)));
  // Every chip has the row, so that all stay equally high; a word's tag stands under its first piece.
  if (data.tags.length > 0) element.append(make("span", "tag", tagOf(token, data.tags)));
  return element;
}

function draw(root, data) {
  const list = make("div", "tokens");
  list.classList.toggle("long", data.tokens.length > LONG);
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", `${data.tokens.length} tokens; the arrow keys move between them`);
  let sentence = null;
  for (const positions of wordGroups(data.tokens)) {
    const first = data.tokens[positions[0]];
    const letter = sentenceLetter(first.sentence, data.n_sentences);
    const word = make("span", "word");
    word.setAttribute("role", "presentation");
    if (first.sentence !== null) word.dataset.sentence = LETTERS[first.sentence];
    if (letter && first.sentence !== sentence) {
      const badge = make("span", "badge", letter);
      badge.title = `Sentence ${letter} starts here`;
      word.append(badge);
      sentence = first.sentence;
    }
    word.append(...positions.map((position) => chip(data.tokens[position], data)));
    list.append(word);
  }
  const tip = make("div", "tip");
  tip.setAttribute("role", "tooltip");
  tip.setAttribute("popover", "manual"); // the top layer: no container of the page can clip it
  root.replaceChildren(list, tip);
  const start = list.querySelector(".token");
  if (start) start.tabIndex = 0;
}

/** Hover, focus and keys. A later click behaviour needs one more listener here. */
function listen(root, data, signal) {
  const list = root.querySelector(".tokens");
  const tip = root.querySelector(".tip");
  let hovered = null;
  let focused = null;
  const positionOf = (event) => {
    const token = event.target.closest?.(".token");
    return token ? Number(token.dataset.position) : null;
  };
  const chipAt = (position) => list.querySelector(`.token[data-position="${position}"]`);

  const place = () => {
    const position = shownPosition(hovered, focused);
    if (position === null) return;
    const viewport = { width: window.innerWidth, height: window.innerHeight };
    const { left, top } = tooltipPlace(chipAt(position).getBoundingClientRect(), tip.getBoundingClientRect(), viewport);
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  };
  const update = () => {
    const position = shownPosition(hovered, focused);
    const open = tip.matches(":popover-open");
    if (position === null) {
      if (open) tip.hidePopover();
      return;
    }
    const rows = facts(data.tokens[position], data.words, data.n_sentences);
    tip.replaceChildren(...rows.flatMap(([term, value]) => [make("span", "term", term), make("span", "value", value)]));
    if (!open) tip.showPopover();
    place();
  };

  const on = (target, type, handler, options = {}) => target.addEventListener(type, handler, { signal, ...options });
  on(list, "pointerover", (event) => { hovered = positionOf(event); update(); });
  on(list, "pointerleave", () => { hovered = null; update(); });
  on(list, "focusin", (event) => {
    list.querySelector('.token[tabindex="0"]')?.setAttribute("tabindex", "-1");
    event.target.setAttribute("tabindex", "0");
    focused = event.target.matches(":focus-visible") ? positionOf(event) : null; // a mouse click pins nothing
    update();
  });
  on(list, "focusout", () => { focused = null; update(); });
  on(list, "keydown", (event) => {
    const position = positionOf(event);
    if (event.key === "Escape") { hovered = focused = null; update(); return; }
    const next = position === null ? null : nextPosition(event.key, position, data.tokens.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // the page has uses of its own for arrow keys
    hovered = null;
    chipAt(next).focus();
  });
  on(window, "scroll", place, { capture: true, passive: true });
  signal.addEventListener("abort", () => { if (tip.matches(":popover-open")) tip.hidePopover(); });
}

const mounted = new WeakMap(); // parentElement -> { controller, signature }

/** Called again on the same DOM for new data and for a change of theme, which the style sheet handles alone. */
export default function ({ data, parentElement }) {
  const signature = JSON.stringify(data);
  const root = parentElement.querySelector(".strip");
  const before = mounted.get(parentElement);
  const same = before?.signature === signature && root.querySelector(".tokens") !== null;
  if (!same) {
    before?.controller.abort();
    const controller = new AbortController();
    draw(root, data);
    listen(root, data, controller.signal);
    mounted.set(parentElement, { controller, signature });
  }
  return () => {
    mounted.get(parentElement)?.controller.abort();
    mounted.delete(parentElement);
  };
}
