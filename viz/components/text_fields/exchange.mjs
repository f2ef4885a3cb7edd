// @ts-check
// What the fields hold, and what Python knows of it: which of the two is newer.
//
// Every message to Python has a number, and Python sends back the number of the last one that it read. Its texts count
// only where that is the last one sent and nothing was typed since.

/**
 * @typedef {Record<string, string>} Texts by the names of their fields
 * @typedef {{ number: number, texts: Texts, held: boolean }} Message `held`: another key may follow
 */

/**
 * What Python sends.
 * @typedef {object} Answer
 * @property {Texts} texts what the page shows
 * @property {Texts} linked what the page's address brings back
 * @property {number | null} answered number of the last message that Python has read
 * @property {string} visit another name than before means that the server has forgotten the page
 */

/**
 * Texts that the address does not bring back, with those that it does.
 * @typedef {{ visit: string, linked: Texts, texts: Texts }} Draft
 */

export class Exchange {
  /** @type {Texts} */
  texts = {};
  /** @type {Texts} */
  #linked = {};
  #visit = "";
  #number = Date.now(); // fields that are mounted anew must not repeat the numbers of those before them
  /** @type {number | null} */
  #sent = null;
  #unsent = false;
  #held = false;

  /** Whether Python has not been told of the texts, or only that another key may follow. */
  get unsettled() {
    return this.#unsent || this.#held;
  }

  /** Number of the last message, or null. */
  get sent() {
    return this.#sent;
  }

  /** Whether Python has not been told of the texts at all. */
  get unsent() {
    return this.#unsent;
  }

  /** Number of the next message. */
  get next() {
    return this.#number + 1;
  }

  /** @param {Texts} texts what the fields hold now */
  edit(texts) {
    this.texts = texts;
    this.#unsent = true;
  }

  /**
   * The next message to Python.
   * @param {boolean} held
   * @returns {Message}
   */
  message(held) {
    this.#sent = ++this.#number;
    this.#unsent = false;
    this.#held = held;
    return { number: this.#sent, texts: this.texts, held };
  }

  /**
   * Take Python's texts, unless those of the fields are newer.
   * @param {Answer} answer
   * @param {Draft | null} stored what the fields held before the page was loaded again
   * @returns {"kept" | "taken" | "restored"} "restored" is a draft of which Python has to be told
   */
  receive({ texts, linked, answered, visit }, stored = null) {
    const forgotten = visit !== this.#visit;
    const draft = this.#visit === "" ? stored : this.draft;
    this.#visit = visit;
    this.#linked = plain(linked);
    if (!forgotten) {
      const isOlder = this.#unsent || answered !== this.#sent;
      if (isOlder || isEqual(this.texts, plain(texts))) return "kept";
    }
    const isRestored = forgotten && isTypedOver(draft, { texts, linked, visit });
    this.texts = isRestored && draft ? draft.texts : plain(texts);
    this.#sent = answered;
    this.#unsent = isRestored;
    this.#held = false;
    return isRestored ? "restored" : "taken";
  }

  /**
   * The page's address has changed.
   * @param {Texts} linked
   */
  link(linked) {
    this.#linked = plain(linked);
  }

  /**
   * What would be lost with the page, or null.
   * @returns {Draft | null}
   */
  get draft() {
    return isEqual(this.texts, this.#linked) ? null : { visit: this.#visit, linked: this.#linked, texts: this.texts };
  }
}

/**
 * Whether a draft was typed over what the page's address brings back, in a session that is over.
 * @param {Draft | null} draft
 * @param {Draft} page
 */
function isTypedOver(draft, { texts, linked, visit }) {
  if (!draft || draft.visit === visit) return false;
  return isEqual(draft.linked, plain(linked)) && !isEqual(draft.texts, plain(texts));
}

/**
 * The texts as a field of the browser gives them back: it knows one kind of line break.
 * @param {Texts} texts
 * @returns {Texts}
 */
function plain(texts) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.replace(/\r\n?/g, "\n")]));
}

/**
 * @param {Texts} one
 * @param {Texts} other
 */
function isEqual(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
