import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, PATIENCE, QUIET } from "../../../../viz/components/shared/host.mjs";
import { PageSelection } from "../../../../viz/components/shared/page_selection.mjs";
import { SELECTION } from "../made_up.mjs";
/** @import { HostMessage } from "../../../../viz/components/shared/host.mjs" */

/** A timer that a test advances. */
class Timer {
  milliseconds = Infinity;
  callback = () => {};

  /** @param {number} milliseconds @param {() => void} callback */
  set(milliseconds, callback) {
    Object.assign(this, { milliseconds, callback });
  }

  clear() {
    this.set(Infinity, () => {});
  }

  pass() {
    const { callback } = this;
    this.clear();
    callback();
  }
}

const UPDATE = { texts: { a: "dogs", b: "" }, linked: {}, held: false, visit: "v1", answered: null };

/** A host whose selection is confirmed, and the messages that it sends. @param {{ eager?: boolean }} options */
function setUp({ eager = false } = {}) {
  const [selection, timer] = [new PageSelection(0), new Timer()];
  const waits = { forBytes: false };
  const host = new Host({ scope: "encoder", selection, timer, isWaiting: () => waits.forBytes });
  /** @type {HostMessage[]} */
  const sent = [];
  /** @param {number | null} answered @param {object} changes */
  const confirm = (answered, changes = {}) =>
    host.receive({ selection: { ...SELECTION, ...changes }, answered, eager }, (message) => sent.push(message));
  confirm(null);
  return { host, selection, timer, waits, sent, confirm };
}

/** When microtasks have run. */
const soon = () => Promise.resolve();

test("changes are debounced into one message", async () => {
  const { selection, timer, sent } = setUp();
  for (const head of [1, 2, 3]) {
    selection.change({ head });
    await soon();
    assert.equal(timer.milliseconds, QUIET);
  }
  assert.deepEqual(sent, []);
  timer.pass();
  assert.deepEqual(sent, [
    { scope: "encoder", number: 3, changes: { head: 3 }, typed: null, held: false, waiting: false },
  ]);
});

test("waiting views and eager pages skip the debounce", async () => {
  const { selection, waits, sent } = setUp();
  waits.forBytes = true;
  selection.change({ layer: 5 });
  await soon();
  assert.deepEqual(sent.map(({ changes, waiting }) => [changes, waiting]), [[{ layer: 5 }, true]]); // prettier-ignore
  const eager = setUp({ eager: true });
  eager.selection.change({ layer: 5 });
  await soon();
  assert.equal(eager.sent.length, 1);
});

test("a cut is sent at once, and a weight that is dragged when it rests", async () => {
  const { host, selection, timer, sent } = setUp();
  host.receiveTexts(UPDATE, (message) => sent.push(message), null);
  selection.change({ cut: "A2-1x35" }, { isLive: true });
  await soon();
  assert.deepEqual([sent.length, timer.milliseconds], [0, QUIET]);
  selection.change({ cut: "A2-1" });
  await soon();
  assert.deepEqual(sent.map(({ changes }) => changes), [{ cut: "A2-1" }]); // prettier-ignore
});

test("one message is in flight; the next has the later changes", async () => {
  const { selection, waits, sent, confirm } = setUp();
  waits.forBytes = true;
  for (const layer of [1, 2, 3]) {
    selection.change({ layer });
    await soon();
  }
  assert.equal(sent.length, 1);
  confirm(sent[0].number, { layer: 1 });
  assert.deepEqual(sent.map(({ changes }) => changes), [{ layer: 1 }, { layer: 3 }]); // prettier-ignore
  assert.equal(selection.chosen?.layer, 3);
});

test("a run that began before the change does not answer it", async () => {
  const { selection, timer, sent, confirm } = setUp();
  selection.change({ head: 7 });
  await soon();
  timer.pass();
  confirm(null);
  assert.equal(selection.chosen?.head, 7);
  assert.equal(sent.length, 1);
  confirm(sent[0].number, { head: 7 });
  assert.equal(selection.unread, null);
  assert.equal(timer.milliseconds, Infinity);
});

test("a message that has no answer is sent again", async () => {
  const { selection, timer, sent, confirm } = setUp();
  selection.change({ head: 7 });
  await soon();
  timer.pass();
  assert.equal(timer.milliseconds, PATIENCE);
  timer.pass();
  assert.equal(sent.length, 2);
  assert.deepEqual(sent[0], sent[1]);
  confirm(sent[1].number, { head: 7 });
  assert.equal(timer.milliseconds, Infinity);
});

test("missing bytes are requested again", () => {
  const { timer, waits, sent, confirm } = setUp();
  waits.forBytes = true;
  confirm(null);
  assert.equal(timer.milliseconds, PATIENCE);
  timer.pass();
  assert.deepEqual(sent, [{ scope: "encoder", number: 1, changes: {}, typed: null, held: false, waiting: true }]);
  waits.forBytes = false;
  confirm(sent[0].number);
  assert.equal(timer.milliseconds, Infinity);
});

test("bytes that came late need no reminder", () => {
  const { timer, waits, sent, confirm } = setUp();
  waits.forBytes = true;
  confirm(null);
  waits.forBytes = false;
  timer.pass();
  assert.deepEqual(sent, []);
});

test("changes reach a restarted server", async () => {
  const { host, selection, timer, sent, confirm } = setUp();
  selection.change({ head: 7 });
  await soon();
  timer.pass();
  confirm(sent[0].number, { head: 7 });
  confirm(null, { head: 7 });
  selection.change({ head: 8 });
  await soon();
  host.flush();
  assert.deepEqual(sent.map(({ changes }) => changes), [{ head: 7 }, { head: 8 }]); // prettier-ignore
});

test("a pending selection is sent before the next interaction", async () => {
  const { host, selection, sent } = setUp();
  host.flush();
  assert.deepEqual(sent, []);
  selection.change({ head: 7 });
  await soon();
  host.flush();
  host.flush();
  assert.equal(sent.length, 1);
});

// --- texts ---

const RUNS = { marks: {}, slow: null, direct: null };

/** A host of texts, and the messages by route: the fragment of the runs, or the whole page. */
function setUpTexts() {
  const page = setUp();
  /** @type {[string, Partial<HostMessage>][]} */
  const routes = [];
  /** @param {string} route @returns {(message: HostMessage) => void} */
  const by =
    (route) =>
    ({ changes, typed, held }) =>
      routes.push([route, { changes, typed, held }]);
  page.host.receiveTexts(UPDATE, by("page"), null);
  /** @param {number | null} answered @param {boolean} alone */
  const draw = (answered, alone = true) =>
    page.host.receiveRuns({ ...UPDATE, ...RUNS, answered }, alone ? by("runs") : null);
  draw(null);
  /** @param {string} a */
  const type = (a) => page.selection.type({ a, b: "" });
  return { ...page, routes, draw, type };
}

/** The message of a text. @param {string} a @param {number} typed @param {boolean} held @param {object} others */
const sentOf = (a, typed, held, others = {}) => ({ changes: { ...others, a, b: "" }, typed, held });

test("a text is sent once, to the fragment of its run", async () => {
  const { host, timer, routes, type } = setUpTexts();
  type("dogs bark");
  await soon();
  timer.pass();
  assert.deepEqual([routes, host.isUnsent], [[], true]);
  host.sendTexts();
  host.sendTexts();
  assert.deepEqual([routes, host.isUnsent, host.isBusy], [[["runs", sentOf("dogs bark", 1, true)]], false, true]);
});

test("a text that stays or supersedes a run goes to the whole page", () => {
  const { host, selection, routes, draw, type } = setUpTexts();
  type("dogs bark");
  host.sendTexts(false);
  type("dogs bark now");
  host.sendTexts(true);
  draw(2);
  assert.equal(host.isBusy, false);
  selection.settle();
  draw(2, false);
  type("cats");
  host.sendTexts(false);
  assert.deepEqual(routes.map(([route]) => route), ["runs", "page", "page"]); // prettier-ignore
  host.sendTexts(false);
  selection.settle();
  host.sendTexts(false);
  assert.deepEqual(routes.at(-1), ["page", sentOf("cats", 4, false)]);
});

test("a cut goes to the fragment of the runs, if they have one, unless it supersedes a run", async () => {
  const { host, selection, routes, draw, type } = setUpTexts();
  /** @param {string} cut */
  const change = async (cut) => {
    selection.change({ cut });
    await soon();
    host.receive({ selection: SELECTION, answered: selection.unread, eager: false }, () => {});
  };
  await change("A2-1");
  draw(null, false);
  await change("A3-1");
  draw(null);
  type("dogs bark");
  host.sendTexts();
  await change("A4-1");
  assert.deepEqual(routes.map(([route, { changes }]) => [route, changes?.cut]), [["runs", "A2-1"], ["page", "A3-1"], ["runs", undefined], ["page", "A4-1"]]); // prettier-ignore
});

test("a change of the selection has the texts that Python has not read", async () => {
  const { host, selection, sent, routes, draw, timer, type } = setUpTexts();
  type("dogs bark");
  selection.change({ head: 7 });
  await soon();
  timer.pass();
  assert.deepEqual(routes, [["runs", sentOf("dogs bark", 1, true, { head: 7 })]]);
  selection.change({ head: 8 });
  host.receive({ selection: SELECTION, answered: 2, eager: false }, (message) => sent.push(message));
  timer.pass();
  assert.deepEqual([sent.at(-1)?.changes, sent.at(-1)?.typed], [{ head: 8, a: "dogs bark", b: "" }, 1]);
  draw(1);
  assert.deepEqual(selection.unreadChanges, { number: 3, changes: { head: 8 } }); // the view acknowledges the head
});

test("a restarted server is not busy with a text sent to the last one", () => {
  const { host, draw, type } = setUpTexts();
  type("dogs bark");
  host.sendTexts();
  assert.equal(host.isBusy, true);
  host.receiveTexts({ ...UPDATE, linked: { a: "cats" }, visit: "v2" }, () => {}, null);
  draw(null);
  assert.deepEqual([host.isBusy, host.isUnsent], [false, false]);
});

test("runs that are drawn send nothing", async () => {
  const { host, timer, selection } = setUpTexts();
  await soon();
  let calls = 0;
  timer.clear = () => calls++;
  selection.confirmRuns({}, null);
  await soon();
  assert.equal(calls, 0);
  assert.equal(host.isBusy, false);
});

test("a new session sends the texts through their fields first", () => {
  const { host, selection } = setUp();
  host.receiveRuns({ ...UPDATE, ...RUNS }, null);
  const draft = { visit: "v0", linked: {}, texts: { a: "dogs bark", b: "" } };
  assert.equal(
    host.receiveTexts(UPDATE, () => {}, draft),
    true,
  );
  assert.deepEqual(selection.texts, draft.texts);
});
