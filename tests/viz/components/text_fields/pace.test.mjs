import assert from "node:assert/strict";
import test from "node:test";
import { SUPERSEDE_AFTER, Pace, QUIET, SETTLED, TYPING_ENDED } from "../../../../viz/components/text_fields/pace.mjs";

/** A pace on a clock that a test advances; `done` records its actions. */
function paced() {
  /** @type {Map<number, { at: number, callback: () => void }>} */
  const timers = new Map();
  let [now, last] = [0, 0];
  const clock = {
    /** @param {() => void} callback @param {number} milliseconds */
    set(callback, milliseconds) {
      timers.set(++last, { at: now + milliseconds, callback });
      return last;
    },
    /** @param {number} timer */
    clear: (timer) => timers.delete(timer),
  };
  /** @type {[string, number][]} */
  const done = [];
  /** @param {boolean} supersedes */
  const send = (supersedes) => done.push([supersedes ? "supersede" : "send", now]);
  const others = { notify: () => done.push(["notify", now]), settle: () => done.push(["settle", now]) };
  const pace = new Pace({ send, ...others }, clock);
  /** @param {number} milliseconds */
  const pass = (milliseconds) => {
    for (const until = now + milliseconds; now < until;) {
      now += 1;
      for (const [timer, { at, callback }] of [...timers]) {
        if (at !== now || !timers.delete(timer)) continue;
        callback();
      }
    }
  };
  return { pace, pass, done };
}

test("the first key is sent at once, and its text settles after a pause", () => {
  const { pace, pass, done } = paced();
  pace.touch();
  pass(2 * TYPING_ENDED);
  assert.deepEqual(done, [
    ["send", 0],
    ["notify", QUIET],
    ["settle", TYPING_ENDED],
  ]);
});

test("later keys are sent when the keys pause", () => {
  const { pace, pass, done } = paced();
  pace.touch();
  pass(10);
  pace.answer();
  pace.touch();
  pass(SETTLED);
  assert.deepEqual(done, [
    ["send", 0],
    ["send", 10 + SETTLED],
  ]);
});

test("a key held down sends its first letter, then nothing until released", () => {
  const { pace, pass, done } = paced();
  for (let repeat = 0; repeat < 100; repeat++) {
    pace.touch();
    pass(33);
    pace.answer();
  }
  assert.equal(done.length, 1);
  pass(SETTLED);
  assert.equal(done.length, 2);
});

test("while Python runs, the next text waits for the answer or a time limit", () => {
  const { pace, pass, done } = paced();
  pace.touch();
  pace.touch();
  pass(SETTLED + 10);
  assert.equal(done.length, 1);
  pace.answer();
  assert.deepEqual(done[1], ["send", SETTLED + 10]);
  pace.touch();
  pass(SUPERSEDE_AFTER);
  assert.deepEqual(done[2], ["supersede", SETTLED + 10 + SUPERSEDE_AFTER]);
});

test("an answer between two keys sends nothing before the pause", () => {
  const { pace, pass, done } = paced();
  pace.touch();
  pass(10);
  pace.touch();
  pace.answer();
  assert.equal(done.length, 1);
  pass(SETTLED);
  assert.equal(done.length, 2);
});

test("at 5 keys a second every text is sent with its key", () => {
  const { pace, pass, done } = paced();
  for (let key = 0; key < 20; key++) {
    pace.touch();
    pass(120);
    pace.answer();
    pass(80);
  }
  assert.equal(done.length, 20);
  assert.ok(done.every(([what, when], key) => what === "send" && when === 200 * key));
});

test("texts that were sent another way are not sent again", () => {
  const { pace, pass, done } = paced();
  pace.touch();
  pace.touch();
  pace.stop();
  pass(2 * TYPING_ENDED);
  pace.answer();
  assert.deepEqual(done, [["send", 0]]);
});

test("Python is not notified while the user types", () => {
  const { pace, pass, done } = paced();
  for (let key = 0; key < 5; key++) {
    pace.touch();
    pass(QUIET - 1);
    pace.answer();
  }
  assert.ok(done.every(([what]) => what === "send"));
  pass(1);
  assert.deepEqual(done.at(-1), ["notify", 5 * QUIET - 4]);
});
