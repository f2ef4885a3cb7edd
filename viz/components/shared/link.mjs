// The way back to Python: what somebody selects in a view.
//
// A click shows at once, and Python hears of it a moment later. Until it has answered, what it still believes must not
// undo the click: every message has a number, Python sends back the last one that it read, and changes that are not
// answered yet are laid over what it says.

export class Link {
  #number = Date.now(); // a view that is mounted anew must not repeat the numbers of the one before it
  #sent = null;
  #pending = {};

  /** Send changes, and those that were sent and not answered yet: two quick clicks may reach Python as one. */
  send(changes, setTriggerValue) {
    this.#pending = { ...this.#pending, ...changes };
    this.#sent = ++this.#number;
    setTriggerValue("selection", { number: this.#sent, changes: this.#pending });
  }

  /** The selection to show, from what Python sent: { selection, answered }. */
  merged({ selection, answered }) {
    if (answered === this.#sent) this.#pending = {};
    return { ...selection, ...this.#pending };
  }
}
