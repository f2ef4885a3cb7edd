import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import {
  isAboutSingleKeys,
  isQuestionMark,
  optionOf,
  singleKeysAreOn,
  switchSingleKeys,
} from "../../../../viz/components/shared/single_keys.mjs";
import { storage } from "../made_up.mjs";

/** @param {Partial<Storage>} localStorage */
function keepIn(localStorage) {
  Object.defineProperty(globalThis, "window", { value: { localStorage }, configurable: true });
}

afterEach(() => Reflect.deleteProperty(globalThis, "window"));

test("single keys are on until switched off, which is stored", () => {
  keepIn(storage());
  assert.equal(singleKeysAreOn(), true);
  switchSingleKeys(false);
  assert.equal(singleKeysAreOn(), false);
  switchSingleKeys(true);
  assert.equal(singleKeysAreOn(), true);
});

test("single keys stay on without storage", () => {
  const refuse = () => {
    throw new Error("denied");
  };
  keepIn({ getItem: refuse, setItem: refuse, removeItem: refuse });
  switchSingleKeys(false);
  assert.equal(singleKeysAreOn(), true);
});

test("a change in another window is noticed", () => {
  /** @param {string | null} key */
  const changed = (key) => isAboutSingleKeys(/** @type {StorageEvent} */ ({ key }));
  assert.deepEqual(["headlight-single-keys", null, "theme"].map(changed), [true, true, false]);
});

const plain = { key: "1", ctrlKey: false, metaKey: false, altKey: false, repeat: false, defaultPrevented: false };

/** @param {Partial<KeyboardEvent>} event */
function pressed(event) {
  return optionOf({ ...plain, ...event });
}

test("the keys 1 to 9 choose the first to the ninth option", () => {
  assert.deepEqual(
    [..."123456789"].map((key) => pressed({ key })),
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  );
});

test("other keys choose nothing", () => {
  for (const key of ["0", "a", "10", "F1", "Enter", "٣", ""]) assert.equal(pressed({ key }), null, key);
});

test("shortcuts, handled keys and repeated keys choose nothing", () => {
  for (const event of [
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
    { defaultPrevented: true },
    { repeat: true },
  ]) {
    assert.equal(pressed(event), null, JSON.stringify(event));
  }
});

test("a question mark asks what the keys do, unless Alt is held, too", () => {
  assert.ok(isQuestionMark({ ...plain, key: "?" }));
  assert.ok(!isQuestionMark({ ...plain, key: "?", altKey: true }));
  assert.ok(!isQuestionMark({ ...plain, key: "1" }));
});
