// Sends changes of the selection to Python. Sending is debounced, unless a view waits for bytes or for a view that
// Python renders, another view was chosen, or a link was cut. One message is in flight at a time. The text fields decide when texts are sent, and whether a new
// text supersedes the run of an older one.
//
// A message holds every change that Python has not read. It goes to the part of the page that has to rerun.
import { selectionOf } from "./page_selection.mjs";
import { storeOf } from "./store.mjs";
/** @import { Draft, PageSelection, TextsUpdate } from "./page_selection.mjs" */
/** @import { Marks, Scope, Selection, SelectionChanges, Texts } from "./types.mjs" */

export const QUIET = 200; // milliseconds
export const PATIENCE = 3000; // milliseconds without an answer, after which a message counts as lost and is sent again

/**
 * @typedef {object} HostMessage
 * @property {Scope} scope
 * @property {number} number of the last change in it
 * @property {SelectionChanges | Texts} changes of both
 * @property {number | null} typed number of the last change of the texts in it, which Python may have read since; null
 *   without texts
 * @property {boolean} held whether typing may continue
 * @property {boolean} waiting whether a view waits for bytes
 *
 * @typedef {(message: HostMessage) => void} Send
 */

/**
 * One timer; `set` restarts it.
 * @typedef {{ set: (milliseconds: number, callback: () => void) => void, clear: () => void }} Timer
 */

/**
 * What Python sends after the run of the texts.
 * @typedef {object} RunsUpdate
 * @property {Record<string, Marks>} marks by the field's name
 * @property {number | null} slow seconds that a run takes, if that is too long to run at every pause in typing
 * @property {string | null} direct URL that renders a text without a rerun of the page
 */

export class Host {
  /** @type {number | null} number of the unanswered message */
  #awaited = null;
  /** @type {number | null} number of the last change of a text that was sent */
  #sent = null;
  /** The last change whose texts Python has rendered. */
  drawn = -Infinity;
  /** @type {Omit<RunsUpdate, "marks">} */
  runs = { slow: null, direct: null };
  /**
   * Where messages go: to the main view's fragment, to the fragment of the runs, or to the whole page.
   * @type {{ view: Send, runs: Send | null, page: Send }}
   */
  #routes = { view: () => {}, runs: null, page: () => {} };
  #isEager = false;

  /**
   * @param {object} options
   * @param {Scope} options.scope
   * @param {PageSelection} options.selection
   * @param {() => boolean} options.isWaiting whether a view waits for bytes
   * @param {Timer} options.timer
   */
  constructor({ scope, selection, isWaiting, timer }) {
    this.scope = scope;
    this.selection = selection;
    this.isWaiting = isWaiting;
    this.timer = timer;
    selection.subscribe((what) => {
      if (what === "selection") queueMicrotask(() => this.scheduleSend()); // after all views have seen the change
    });
  }

  /**
   * Apply the selection that Python sent.
   * @param {{ selection: Selection, answered: number | null, eager: boolean }} update `eager` skips the
   *   debounce where Python renders the view
   * @param {Send} send
   */
  receive({ selection, answered, eager }, send) {
    this.#routes.view = send;
    this.#isEager = eager;
    if (this.#awaited !== null && answered !== null && answered >= this.#awaited) this.#awaited = null;
    this.selection.confirm(selection, answered);
    this.scheduleSend();
  }

  /**
   * Apply the texts that Python sent before their run.
   * @param {TextsUpdate & { answered: number | null }} update @param {Send} send @param {Draft | null} stored
   * @returns {boolean} whether a draft was restored
   */
  receiveTexts({ answered, ...update }, send, stored) {
    this.#routes.page = send;
    if (update.visit !== this.selection.visit) this.#sent = null;
    return this.selection.confirmTexts(update, answered, stored);
  }

  /**
   * Apply what Python sent after the run of the texts. In a new session the fields' message comes first, because a draft
   * may be newer.
   * @param {TextsUpdate & RunsUpdate & { answered: number | null }} update
   * @param {Send | null} send null where the runs have no fragment of their own
   */
  receiveRuns({ answered, marks, slow, direct, ...update }, send) {
    this.#routes.runs = send;
    this.runs = { slow, direct };
    this.drawn = answered ?? -Infinity;
    if (update.visit === this.selection.visit) this.selection.confirmTexts(update, answered);
    this.selection.confirmRuns(marks, answered);
  }

  /** Whether the last change of a text is unsent. */
  get isUnsent() {
    return (this.selection.typed ?? -Infinity) > (this.#sent ?? -Infinity);
  }

  /** Whether Python has yet to render the texts sent last. */
  get isBusy() {
    return this.drawn < (this.#sent ?? -Infinity);
  }

  /** Send unread changes now, or schedule them. */
  scheduleSend() {
    if (this.#awaited !== null) return; // the answer or the timer continues from here
    if (this.selection.unread !== null) {
      const isAsked = "view" in this.selection.pending || this.selection.asksForCut;
      if (this.#isEager || this.isWaiting() || isAsked) this.flush();
      else this.timer.set(QUIET, () => this.flush());
    } else if (this.isWaiting()) {
      this.timer.set(PATIENCE, () => this.#resend());
    } else {
      this.timer.clear();
    }
  }

  /** Send unread changes, unless a message is in flight. */
  flush() {
    if (this.selection.unread !== null && this.#awaited === null) this.#sendNow();
  }

  /**
   * Send the fields' texts, unless they were sent.
   * @param {boolean} supersedes whether to cancel the run of earlier texts, by a rerun of the whole page
   */
  sendTexts(supersedes = this.isBusy) {
    if (this.isUnsent) this.#sendNow(supersedes);
  }

  /** Repeat a lost message, or request lost bytes. */
  #resend() {
    if (this.selection.unread !== null || this.isWaiting()) this.#sendNow();
  }

  #sendNow(supersedes = this.isBusy) {
    const { isUnsent } = this;
    const { unread, typed, isHeld, unreadChanges } = this.selection;
    const { number, changes } = unreadChanges ?? { number: this.selection.nextNumber(), changes: {} };
    if (unread !== null || !isUnsent) {
      this.#awaited = number;
      this.timer.set(PATIENCE, () => this.#resend());
    }
    this.#sent = typed ?? this.#sent;
    const { view, runs, page } = this.#routes;
    const alone = supersedes ? page : (runs ?? page);
    const texts = isHeld ? alone : page;
    const changed = "cut" in changes ? alone : view; // all views show the changed run
    const message = { scope: this.scope, number, changes, typed, held: isHeld, waiting: this.isWaiting() };
    (isUnsent ? texts : changed)(message);
  }
}

/** @returns {Timer} */
function timerOf() {
  let running = 0;
  const clear = () => window.clearTimeout(running);
  return {
    clear,
    set: (milliseconds, callback) => {
      clear();
      running = window.setTimeout(callback, milliseconds);
    },
  };
}

/**
 * The hosts of the page. They outlive the components, because a change may be in flight when the page switches views.
 * @type {Map<Scope, Host>}
 */
export const HOSTS = new Map();

/** The host of a selection. @param {Scope} scope */
export function hostOf(scope) {
  const isWaiting = () => storeOf().waiting.size > 0;
  const host = HOSTS.get(scope) ?? new Host({ scope, selection: selectionOf(scope), isWaiting, timer: timerOf() });
  HOSTS.set(scope, host);
  return host;
}
