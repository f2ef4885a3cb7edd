// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { optionOf } from "../../../../../viz/components/shared/single_keys.mjs";

/** @param {Partial<KeyboardEvent>} event */
function pressed(event) {
  const plain = { key: "1", ctrlKey: false, metaKey: false, altKey: false, repeat: false, defaultPrevented: false };
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

test("shortcuts of the browser, keys that a view has answered and keys held down choose nothing", () => {
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
