import assert from "node:assert/strict";
import test from "node:test";
import { partsOf } from "../../../../viz/components/text_fields/marked.mjs";

/** @type {import("../../../../viz/components/shared/types.mjs").Marks} */
const MARKS = {
  read: "an embedding of xylophones",
  cut: false,
  pieces: [
    [3, 5],
    [5, 8],
    [8, 12],
    [16, 20],
    [20, 26],
  ],
};
/** @param {string} text @param {typeof MARKS} [marks] */
const pieces = (text, marks = MARKS) =>
  partsOf(text, marks)
    .filter(({ kind }) => kind === "piece")
    .map((part) => part.text);

test("the pieces of a text that was run are marked", () => {
  const parts = partsOf(MARKS.read, MARKS);
  assert.equal(parts.map(({ text }) => text).join(""), MARKS.read);
  assert.deepEqual(pieces(MARKS.read), ["em", "bed", "ding", "xylo", "phones"]);
  assert.deepEqual(parts[0], { text: "an ", kind: "" });
});

test("without marks nothing is", () => {
  assert.deepEqual(partsOf("anything", undefined), []);
});

test("before a run the words before the change keep their marks", () => {
  assert.deepEqual(pieces("an embedding of xylophone"), ["em", "bed", "ding"]);
  assert.deepEqual(pieces("an embedding"), []); // it could go on
  assert.deepEqual(pieces("an embedding "), ["em", "bed", "ding"]);
  assert.deepEqual(pieces("an embeddings of xylophones"), []);
  assert.deepEqual(pieces("something else"), []);
  assert.deepEqual(pieces(""), []);
});

test("words after the change have no marks", () => {
  assert.deepEqual(pieces("an embedding for xylophones"), ["em", "bed", "ding"]);
});

const CUT = { ...MARKS, cut: true };

test("text that is cut off is marked up to the end, with text typed there", () => {
  for (const rest of [" and more", " and much more"]) {
    const parts = partsOf(MARKS.read + rest, CUT);
    assert.deepEqual(parts.at(-1), { text: rest, kind: "cut" });
    assert.equal(parts.map(({ text }) => text).join(""), MARKS.read + rest);
  }
});

test("a text that lost its end or changed before it marks no cut", () => {
  for (const text of [MARKS.read, "no embedding of xylophones and more"]) {
    assert.ok(partsOf(text, CUT).every(({ kind }) => kind !== "cut"));
  }
});

test("a sentence of which nothing is left is cut entirely", () => {
  assert.deepEqual(partsOf("gone", { read: "", cut: true, pieces: [] }), [{ text: "gone", kind: "cut" }]);
});
