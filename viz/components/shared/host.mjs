// @ts-check
// Tells Python of changes of the selection: the last state only, when nothing was changed for a moment, at once where a
// view waits for bytes or for Python's picture. One message is on its way at a time. Texts go when their fields say so,
// and a message with a new text supersedes the run of an older one where it is to.
//
// A message has all changes that Python has not read, and goes to the part of the page that is to be drawn anew.
import { selectionOf } from "./page_selection.mjs";
import { storeOf } from "./store.mjs";
/** @import { Draft, PageSelection, TextsTold } from "./page_selection.mjs" */
/** @import { Marks, Scope, Selection, SelectionChanges } from "./types.mjs" */

export const QUIET = 200; // milliseconds
export const PATIENCE = 3000; // milliseconds, after which a message that has no answer is sent again: it may be lost

const HOSTS = Symbol.for("headlight.hosts");

/**
 * `changes` may have texts, and with them `held`: whether another key may follow.
 * @typedef {SelectionChanges & { held?: boolean }} Changes
 * @typedef {{ scope: Scope, number: number, changes: Changes, waiting: boolean }} HostMessage
 * @typedef {(message: HostMessage) => void} Send
 */

/**
 * One timer; setting it again begins anew.
 * @typedef {{ set: (milliseconds: number, callback: () => void) => void, clear: () => void }} Timer
 */

/**
 * What Python tells after the run of the texts.
 * @typedef {object} RunsTold
 * @property {Record<string, Marks>} marks by the field's name
 * @property {number | null} slow seconds that a run takes, where they are too many to run with every pause of the keys
 * @property {string | null} direct where the page's picture of a text can be had without the page
 */

export class Host {
  /** @type {number | null} of the message that has no answer yet */
  #awaited = null;
  /** @type {number | null} of the last message that had texts */
  #sent = null;
  /** The last change of which Python has drawn the texts. */
  drawn = -Infinity;
  /** @type {Omit<RunsTold, "marks">} */
  runs = { slow: null, direct: null };
  /**
   * What a message reaches: the picture that follows it, the runs with all that shows them, or the whole page.
   * @type {{ picture: Send, runs: Send | null, page: Send }}
   */
  #ways = { picture: () => {}, runs: null, page: () => {} };
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
    selection.subscribe(() => queueMicrotask(() => this.deliver())); // when all views have seen the change
  }

  /**
   * What Python told of the selection.
   * @param {{ selection: Selection, answered: number | null, eager: boolean }} told `eager` where Python draws the
   *   picture, which is not to wait
   * @param {Send} send
   */
  receive({ selection, answered, eager }, send) {
    this.#ways.picture = send;
    this.#isEager = eager;
    if (this.#awaited !== null && answered !== null && answered >= this.#awaited) this.#awaited = null;
    this.selection.confirm(selection, answered);
    this.deliver();
  }

  /**
   * What Python told of the texts before it runs them.
   * @param {TextsTold & { answered: number | null }} told
   * @param {Send} send
   * @param {Draft | null} stored
   * @returns {boolean} whether a draft was restored
   */
  receiveTexts({ answered, ...told }, send, stored) {
    this.#ways.page = send;
    return this.selection.confirmTexts(told, answered, stored);
  }

  /**
   * What Python told after the run of the texts. A new session tells of them through the fields first, which may have a
   * draft that is newer.
   * @param {TextsTold & RunsTold & { answered: number | null }} told
   * @param {Send | null} send null where what shows the texts is not drawn by itself
   */
  receiveRuns({ answered, marks, slow, direct, ...told }, send) {
    this.#ways.runs = send;
    this.runs = { slow, direct };
    this.drawn = answered ?? -Infinity;
    if (told.visit === this.selection.visit) this.selection.confirmTexts(told, answered);
    this.selection.confirmRuns(marks, answered);
  }

  /** Whether the last change of a text was not sent. */
  get isUnsent() {
    return (this.selection.typed ?? -Infinity) > (this.#sent ?? -Infinity);
  }

  /** Whether Python has not drawn the texts that were sent last. */
  get isBusy() {
    return this.drawn < (this.#sent ?? -Infinity);
  }

  /** Send what is to be sent, now or in a moment. */
  deliver() {
    if (this.#awaited !== null) return; // its answer goes on from here, or the timer that waits for it
    if (this.selection.unread !== null) {
      if (this.#isEager || this.isWaiting()) this.flush();
      else this.timer.set(QUIET, () => this.flush());
    } else if (this.isWaiting()) {
      this.timer.set(PATIENCE, () => this.#remind());
    } else {
      this.timer.clear();
    }
  }

  /** Send the changes that Python has not read, unless a message is on its way. */
  flush() {
    if (this.selection.unread !== null && this.#awaited === null) this.#sendNow();
  }

  /**
   * Send the texts that the fields hold, unless they were sent.
   * @param {boolean} supersedes whether the run of those that were sent before ends; one of the whole page ends others
   */
  sendTexts(supersedes) {
    if (this.isUnsent) this.#sendNow(supersedes);
  }

  /** A message got lost, or the bytes that were expected. */
  #remind() {
    if (this.selection.unread !== null || this.isWaiting()) this.#sendNow();
  }

  #sendNow(supersedes = this.isBusy) {
    const { isUnsent } = this;
    const { unread, isHeld, news } = this.selection;
    const { number, changes } = news ?? { number: this.selection.nextNumber(), changes: {} };
    if (unread !== null || !isUnsent) {
      this.#awaited = number;
      this.timer.set(PATIENCE, () => this.#remind());
    }
    if (isUnsent) this.#sent = number;
    const { picture, runs, page } = this.#ways;
    const texts = isHeld && !supersedes && runs ? runs : page;
    (isUnsent ? texts : picture)({ scope: this.scope, number, changes, waiting: this.isWaiting() });
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
 * The hosts of a page, or of any other object. They outlive the components: a change may be on its way when the page
 * shows another view.
 * @param {object} owner
 * @returns {Map<Scope, Host>}
 */
export function hostsOf(owner = window) {
  const owners = /** @type {{ [HOSTS]?: Map<Scope, Host> }} */ (owner);
  return (owners[HOSTS] ??= new Map());
}

/**
 * The host of a selection.
 * @param {Scope} scope
 */
export function hostOf(scope) {
  const hosts = hostsOf();
  const isWaiting = () => storeOf().waiting.size > 0;
  const host = hosts.get(scope) ?? new Host({ scope, selection: selectionOf(scope), isWaiting, timer: timerOf() });
  hosts.set(scope, host);
  return host;
}
