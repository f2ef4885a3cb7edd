// The stage: the page shown to an audience. See __init__.py for the data, keys.mjs for the keys.
import { button, element } from "../shared/elements.mjs";
import { isTyped } from "../shared/keys.mjs";
import { selectionOf } from "../shared/page_selection.mjs";
import { clamped } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
import { singleKeysAreOn } from "../shared/single_keys.mjs";
import { View, mounting } from "../shared/view.mjs";
import {
  continuesBelow,
  fitFormulas,
  fitPage,
  hideCutParts,
  scrollPage,
  toggleFullScreen,
  whenContentGrows,
  whenPageMoves,
} from "./fit.mjs";
import { actionOf, disturbs } from "./keys.mjs";
import { DarkScreen, KeyList, Pointer } from "./overlays.mjs";
import { openedDrawer, toggleDrawer } from "./drawers.mjs";
import { NOTHING, SpeakerWindow } from "./speaker.mjs";
import { nextVisit, notesOf, progressOf } from "./tour.mjs";
import { lineOf } from "./words.mjs";
/** @import { Scope } from "../shared/types.mjs" */
/** @import { Action, Command, Drawer } from "./keys.mjs" */
/** @import { Tour, Visit } from "./tour.mjs" */
/** @import { Seen } from "./words.mjs" */

const CHOICES = "[role=radio], [role=slider], [role=option], [role=tab]";
const PRESSED = `button, a[href], summary, ${CHOICES}`;

/**
 * Whether the focused element handles a key: text input, arrows, Home and End in a choice, Space and Enter on a
 * button.
 * @param {KeyboardEvent} event
 */
function isAnsweredElsewhere(event) {
  if (isTyped(event)) return true;
  const [target] = event.composedPath();
  if (!(target instanceof Element)) return false;
  if (event.key === " " || event.key === "Enter") return target.matches(PRESSED);
  return /^(Arrow|Home$|End$)/u.test(event.key) && target.matches(CHOICES);
}

/** Blur the focused element, unless it is a text field. */
function releaseFocus() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (focused instanceof HTMLElement && !focused.matches("input, textarea, select, dialog *")) focused.blur();
}

/** @param {boolean} isResting */
function restPointer(isResting) {
  document.documentElement.toggleAttribute("data-pointer-rests", isResting);
}

/**
 * Whether the pointer moved, rather than the page under it.
 * @param {Pick<PointerEvent, "movementX" | "movementY">} event
 */
function isMovement({ movementX, movementY }) {
  return movementX !== 0 || movementY !== 0;
}

const PATIENCE = 3000; // milliseconds without an answer, after which a step counts as lost and is sent again
const SCROLL = 120; // pixels that a key scrolls
const BLOCKED = "The browser blocked the second window. Allow pop-ups for this page, and press N again.";
const MODIFIERS = ["Shift", "Control", "Alt", "Meta"];
const OF_A_DIALOG = ["Tab", "Enter", " ", "Escape"];

/**
 * @typedef {{ on: boolean, scope: Scope, layers: number, heads: number, seen: Seen, tour: Tour | null }} StageData
 */

/** @extends {View<StageData>} */
class Stage extends View {
  dark = new DarkScreen();
  pointer = new Pointer();
  keys = new KeyList();
  speaker = new SpeakerWindow((event) => this.#press(event));
  wasOn = false;
  picture = "";
  shown = "";
  /** @type {Visit | null} target of the last step, until Python has rendered it */
  wanted = null;
  #reminder = 0;
  #subscription = new AbortController();

  /** @param {HTMLElement} root @param {StageData} data */
  constructor(root, data) {
    super(root, data);
    this.seen = element("p", "seen");
    this.seen.setAttribute("aria-live", "polite");
    this.line = element("div", "line");
    const tools = element(
      "div",
      "tools",
      button("Keys", () => this.#do("keys"), { title: "What the keys do (?)" }),
      button("Full screen", () => this.#do("full screen"), { title: "Full screen, and back (F)" }),
      button("End", () => this.#do("end"), { title: "Back to the full page (Esc)" }),
    );
    this.place = element("span", "place");
    this.line.append(this.seen, this.place, tools);
    this.more = element("p", "more", "More below: Shift + ↓");
    root.replaceChildren(this.line, this.more, this.dark.root, this.pointer.root, this.keys.root);
    this.closing.signal.addEventListener("abort", () => {
      this.#subscription.abort();
      this.#want(null);
      this.speaker.close();
      fitPage(false);
      restPointer(false);
    });
    this.#listen();
    whenPageMoves(() => this.#showMore(), this.closing.signal);
    whenContentGrows(() => this.data.on && window.dispatchEvent(new Event("resize")), this.closing.signal);
  }

  #showMore() {
    this.more.hidden = !(this.data.on && continuesBelow());
    fitFormulas(this.data.on);
    hideCutParts(this.data.on);
  }

  #listen() {
    for (const type of /** @type {const} */ (["keydown", "keypress", "keyup"])) {
      this.listen(window, type, (event) => this.#shield(event), { capture: true });
    }
    this.listen(document, "keydown", (event) => this.#press(event));
    this.listen(document, "pointermove", (event) => {
      this.pointer.follow(event);
      if (isMovement(event)) restPointer(false);
    });
    this.listen(document, "pointerdown", () => restPointer(false), { capture: true });
    this.listen(document, "click", ({ target }) => {
      if (this.data.on) releaseFocus();
      if (target instanceof Element && target.closest("[role=menuitem]")) toggleDrawer(null);
    });
    this.listen(window, "resize", () => fitPage(this.data.on));
    this.listen(window, "blur", () => {
      // A BertViz iframe would capture all keys.
      if (this.data.on && document.activeElement?.matches("iframe")) releaseFocus();
    });
  }

  /** @override */
  refresh() {
    const { on, scope, seen, tour } = this.data;
    if (!tour || (tour.at === this.wanted?.at && tour.answered === this.wanted.answered)) this.#want(null);
    this.#subscription.abort();
    this.#subscription = new AbortController();
    selectionOf(scope).subscribe((what) => what === "selection" && this.#say(), this.#subscription.signal);
    this.line.hidden = !on;
    this.#showMore();
    this.#say();
    const wasOn = this.wasOn;
    if (on !== wasOn) this.#enter(on);
    const picture = `${seen.shows} ${tour?.at}`;
    if (picture !== this.picture) {
      scrollPage(-Infinity);
      toggleDrawer(null);
    }
    this.picture = picture;
    const shown = `${on} ${picture} ${tour?.answered}`;
    if (shown !== this.shown) restPointer(on || wasOn); // at the end it rests on “Present”, which has a tooltip
    this.shown = shown;
  }

  /** @param {boolean} on */
  #enter(on) {
    this.wasOn = on;
    for (const overlay of [this.dark, this.pointer, this.keys]) overlay.toggle(false);
    toggleDrawer(null);
    if (on) {
      releaseFocus();
      this.speaker.start();
    } else {
      this.speaker.close();
    }
    fitPage(on);
    requestAnimationFrame(() => window.dispatchEvent(new Event("resize"))); // the views' heights follow
  }

  #say() {
    const { seen, scope, tour } = this.data;
    const line = lineOf(seen, selectionOf(scope).shown);
    if (this.seen.textContent !== line) this.seen.textContent = line;
    this.place.textContent = tour ? progressOf(tour, tour.stops.length) : "";
    this.speaker.show(tour ? notesOf(tour, line) : { ...NOTHING, seen: line });
  }

  // --- keys ---

  /** Stop keys while an overlay is open, and Streamlit's shortcuts always. @param {KeyboardEvent} event */
  #shield(event) {
    if (!this.data.on) return;
    const { key, type } = event;
    const isDown = type === "keydown";
    if (key === "Enter" && type === "keyup" && openedDrawer() === "views") window.setTimeout(() => toggleDrawer(null));
    if (this.dark.isOpen && !MODIFIERS.includes(key)) {
      if (isDown) this.dark.toggle(false);
      event.preventDefault();
    } else if (this.keys.isOpen && !OF_A_DIALOG.includes(key)) {
      if (isDown && key === "?") this.keys.toggle(false);
    } else if (key === "Escape" && openedDrawer()) {
      if (isDown) toggleDrawer(null);
    } else if (!disturbs(event) || isAnsweredElsewhere(event)) return;
    event.stopImmediatePropagation();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (this.keys.isOpen || isAnsweredElsewhere(event)) return;
    if (!this.data.on && !singleKeysAreOn()) return;
    const action = actionOf(event, { on: this.data.on, hasTour: this.data.tour !== null });
    if (action === null || (openedDrawer() === "views" && action !== "views")) return; // the list is about to have the keys
    event.preventDefault();
    this.#do(action);
  }

  /** @param {Action} action */
  #do(action) {
    if (typeof action === "string") this.#commands[action]();
    else if ("scroll" in action) scrollPage(action.scroll * SCROLL);
    else if ("tour" in action) this.#stepTour(action.tour);
    else if ("layer" in action) this.#choose(action.layer, 0);
    else if ("head" in action) this.#choose(0, action.head);
  }

  /** @type {Readonly<Record<Command, () => void>>} */
  #commands = {
    present: () => this.#ask(true),
    end: () => this.#ask(false),
    blank: () => this.dark.toggle(),
    pointer: () => this.pointer.toggle(),
    keys: () => this.keys.toggle(),
    "full screen": () => void toggleFullScreen(),
    notes: () => this.#openNotes(),
    views: () => toggleDrawer("views"),
    texts: () => toggleDrawer("texts"),
  };

  /** @param {boolean} on */
  #ask(on) {
    this.sendToPython("asked", { stage: on });
  }

  #openNotes() {
    if (!this.speaker.open()) this.seen.textContent = BLOCKED;
  }

  /** Step through the tour, from the last step's target, so that fast presses are not lost. @param {number} by */
  #stepTour(by) {
    const { tour, scope } = this.data;
    const next = tour && nextVisit(tour.stops, this.wanted ?? tour, by);
    if (!next) return;
    this.#want(next);
    const after = selectionOf(scope).nextNumber(); // the step overrides earlier selections
    const sendStep = () => this.sendToPython("asked", { stop: next.at, answered: next.answered, scope, after });
    this.#reminder = window.setTimeout(sendStep, PATIENCE);
    sendStep();
  }

  /** @param {Visit | null} visit */
  #want(visit) {
    window.clearTimeout(this.#reminder);
    this.wanted = visit;
  }

  /**
   * Select another layer or head, if the view follows them; the mean comes before the first head.
   * @param {number} down by so many layers
   * @param {number} across by so many heads
   */
  #choose(down, across) {
    const { scope, layers, heads, seen } = this.data;
    const source = selectionOf(scope);
    const { chosen } = source;
    if (!chosen || !seen.follows) return;
    const layer = clamped(chosen.layer + down, 0, layers - 1);
    const head = clamped(chosen.head + across, MEAN, heads - 1);
    if (layer !== chosen.layer || head !== chosen.head) source.change({ layer, head, heads: "" });
  }
}

export default await mounting((root, data) => new Stage(root, /** @type {StageData} */ (data)), import.meta.url);
