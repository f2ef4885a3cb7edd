// The token strip. The payload is described in __init__.py; token text reaches the page through textContent only.
import { element, tipPlace } from "../shared/elements.mjs";
import { Link } from "../shared/link.mjs";

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
  return token.word === null || token.continues ? "" : (tags[token.word] ?? "");
}

/** What the tooltip says about a token: pairs of term and value. */
export function facts(token, words, nSentences) {
  const list = [
    ["piece", token.piece],
    ["position", token.position],
    ["id", token.id],
    ["token type", token.type],
  ];
  if (token.special) list.push(["special token", "added by the tokenizer"]);
  if (token.word !== null) list.push(["word", words[token.word] ?? ""]);
  if (token.sentence !== null && nSentences > 1) list.push(["sentence", LETTERS[token.sentence]]);
  return list.map(([term, value]) => [term, String(value)]);
}

/** One line for a screen reader. */
export function spokenName(token, words, nSentences) {
  return facts(token, words, nSentences)
    .map(([term, value]) => `${term} ${value}`)
    .join(", ");
}

/** The pointer beats the keyboard's focus. */
export function shownPosition(hovered, focused) {
  return hovered ?? focused;
}

function chip(token, data) {
  const made = element("span", "token");
  made.classList.toggle("special", token.special);
  made.classList.toggle("continues", token.continues);
  made.dataset.position = token.position;
  made.setAttribute("role", data.choose ? "option" : "listitem");
  made.setAttribute("aria-label", spokenName(token, data.words, data.n_sentences));
  made.tabIndex = -1;
  const label = element("span", "label", token.label);
  label.dir = "auto";
  made.append(label, element("span", "id", String(token.id)));
  // Every chip has the row, so that all stay equally high; a word's tag stands under its first piece.
  if (data.tags.length > 0) made.append(element("span", "tag", tagOf(token, data.tags)));
  return made;
}

function draw(root, data) {
  const list = element("div", "tokens");
  list.classList.toggle("long", data.tokens.length > LONG);
  list.setAttribute("role", data.choose ? "listbox" : "list");
  const choice = data.choose ? ", Enter chooses a word" : "";
  list.setAttribute("aria-label", `${data.tokens.length} tokens; the arrow keys move between them${choice}`);
  list.classList.toggle("choosable", Boolean(data.choose));
  let sentence = null;
  for (const positions of wordGroups(data.tokens)) {
    const first = data.tokens[positions[0]];
    const letter = sentenceLetter(first.sentence, data.n_sentences);
    const word = element("span", "word");
    word.setAttribute("role", "presentation");
    if (first.sentence !== null) word.dataset.sentence = LETTERS[first.sentence];
    if (letter && first.sentence !== sentence) {
      const badge = element("span", "badge", letter);
      badge.title = `Sentence ${letter} starts here`;
      word.append(badge);
      sentence = first.sentence;
    }
    word.append(...positions.map((position) => chip(data.tokens[position], data)));
    list.append(word);
  }
  const tip = element("div", "tip");
  tip.setAttribute("role", "tooltip");
  tip.setAttribute("popover", "manual"); // the top layer: no container of the page can clip it
  root.replaceChildren(list, tip);
  const start = list.querySelector(".token");
  if (start) start.tabIndex = 0;
}

/** Show which word is chosen. */
function mark(root, tokens, word) {
  for (const chosen of root.querySelectorAll(".token")) {
    const own = tokens[Number(chosen.dataset.position)].word;
    const is = own !== null && own === word;
    chosen.classList.toggle("chosen", is);
    if (chosen.getAttribute("role") === "option") chosen.setAttribute("aria-selected", String(is));
  }
}

/** Hover, focus and keys; `choose(word)` is told of a click on a word. */
function listen(root, data, signal, choose) {
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
    const { left, top } = tipPlace(chipAt(position).getBoundingClientRect(), tip.getBoundingClientRect(), viewport);
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
    tip.replaceChildren(
      ...rows.flatMap(([term, value]) => [element("span", "term", term), element("span", "value", value)]),
    );
    if (!open) tip.showPopover();
    place();
  };

  const pick = (position, event) => {
    const word = position === null ? null : data.tokens[position].word;
    if (!data.choose || word === null) return;
    event.preventDefault();
    choose(word);
  };

  const on = (target, type, handler, options = {}) => target.addEventListener(type, handler, { signal, ...options });
  on(list, "pointerover", (event) => {
    hovered = positionOf(event);
    update();
  });
  on(list, "pointerleave", () => {
    hovered = null;
    update();
  });
  on(list, "focusin", (event) => {
    list.querySelector('.token[tabindex="0"]')?.setAttribute("tabindex", "-1");
    event.target.setAttribute("tabindex", "0");
    focused = event.target.matches(":focus-visible") ? positionOf(event) : null; // a mouse click pins nothing
    update();
  });
  on(list, "click", (event) => pick(positionOf(event), event));
  on(list, "focusout", () => {
    focused = null;
    update();
  });
  on(list, "keydown", (event) => {
    const position = positionOf(event);
    if (event.key === "Escape") {
      hovered = focused = null;
      update();
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      pick(position, event);
      return;
    }
    const next = position === null ? null : nextPosition(event.key, position, data.tokens.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // the page has uses of its own for arrow keys
    hovered = null;
    chipAt(next).focus();
  });
  on(window, "scroll", place, { capture: true, passive: true });
  signal.addEventListener("abort", () => {
    if (tip.matches(":popover-open")) tip.hidePopover();
  });
}

const OTHER = { at_a: "at_b", at_b: "at_a" };
const mounted = new WeakMap(); // parentElement -> { controller, signature, link, latest }

/** Called again on the same DOM for new data and for a change of theme, which the style sheet handles alone. */
export default function ({ data, parentElement, setTriggerValue }) {
  const { selection, answered, ...drawn } = data;
  const signature = JSON.stringify(drawn);
  const root = parentElement.querySelector(".strip");
  const known = mounted.get(parentElement) ?? { link: new Link() };
  known.latest = { data, setTriggerValue };
  const show = () => mark(root, data.tokens, known.link.merged(known.latest.data)[data.choose] ?? null);
  if (known.signature !== signature || root.querySelector(".tokens") === null) {
    known.controller?.abort();
    known.controller = new AbortController();
    draw(root, data);
    listen(root, data, known.controller.signal, (word) => {
      known.link.send({ [data.choose]: word, [OTHER[data.choose]]: -1 }, known.latest.setTriggerValue);
      show();
    });
    known.signature = signature;
    mounted.set(parentElement, known);
  }
  if (data.choose) show();
  return () => {
    mounted.get(parentElement)?.controller.abort();
    mounted.delete(parentElement);
  };
}
