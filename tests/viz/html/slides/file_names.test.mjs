import assert from "node:assert/strict";
import { test } from "node:test";
import { fileNames } from "../../../../viz/html/browser/slides/file_names.mjs";

test("files are named by the number and the title of their stop", () => {
  assert.deepEqual(fileNames(3, "Looking to the left", 1), ["03-looking-to-the-left.svg"]);
  assert.deepEqual(fileNames(12, "Größe, 2. Teil!", 2), ["12-größe-2-teil-1.svg", "12-größe-2-teil-2.svg"]);
  assert.deepEqual(fileNames(1, "../..\\:*?", 1), ["01-untitled.svg"]);
  assert.ok(fileNames(1, "a".repeat(500), 1)[0].length < 80);
  assert.deepEqual(fileNames(1, "x", 0), []);
});
