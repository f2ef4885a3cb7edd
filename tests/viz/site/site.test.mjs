import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { BrowserEncoder, vectorOf } from "../../../viz/html/browser/site/encoder.mjs";
import { addressOf, linkIn, linkOf, selectionIn } from "../../../viz/html/browser/site/links.mjs";
import { ModelFiles } from "../../../viz/html/browser/site/files.mjs";
import { asLists, Graphs } from "../../../viz/html/browser/site/graphs.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "../../../viz/html/browser/site/payloads.mjs";
import { filled } from "../../../viz/html/browser/site/templates.mjs";
import { isUnsegmented, readableText, tokensOf } from "../../../viz/html/browser/site/tokens.mjs";
import { membersOf, unitsOf } from "../../../viz/html/browser/site/units.mjs";
import { sharedWord } from "../../../viz/html/browser/site/words.mjs";

const UNITS = {
  labels: ["[CLS]", "a", "[SEP]"],
  special: [true, false, true],
  positions: [[0], [1], [2]],
  b_start: null,
};
/** @import { TextTokens } from "../../../viz/html/browser/site/tokens.mjs" */
/** @typedef {import("../../../viz/html/browser/site/characters.mjs").CharacterRange} CharacterRange */
/** @type {CharacterRange[]} */
const CHARACTERS = [
  [0, "", "f", 0, false, "r"],
  [32, null, "l", 1, false, "i"],
  [0x3a3, "σ", "l", 1, false, "i"],
  [0x3a4, null, "l", 1, false, "i"],
  [0x2000, " ", "s", 1, false, "s"],
  [0x3000, " \ua000 ", "c", 1, false, "1"],
  [0x10000, "\ua000", "w", 1, false, "i"],
];
/** @type {CharacterRange[]} */
const LETTERS = [
  [0, null, "s", 1, false, "s"],
  [33, null, "p", 1, false, "1"],
  [39, null, "a", 1, false, "1"],
  [40, null, "p", 1, false, "1"],
  [65, null, "l", 1, false, "i"],
  [91, null, "p", 1, false, "1"],
  [97, null, "l", 1, false, "i"],
  [0x2000, "", "f", 1, false, "r"],
];

test("a word's vector is its whole numbers times its scale", () => {
  const file = new Uint8Array(2 * 8);
  new DataView(file.buffer).setFloat32(8, 0.5, true);
  new Int16Array(file.buffer).set([-3, 32767], 6);
  assert.deepEqual([...vectorOf(file.buffer, 1, 2)], [-1.5, 16383.5]);
});

test("characters are read as the model's own tokenizer reads them", () => {
  assert.equal(readableText("a\u0001b\u2003c 字\u{1f642}ΣΣ", CHARACTERS), "ab c  \ua000 \ua000σσ");
});

test("a text in a script without spaces is told from others", () => {
  assert.ok(isUnsegmented(["abc", "a 字"], CHARACTERS));
  assert.ok(!isUnsegmented(["abc", "a"], CHARACTERS));
});

test("a text keeps as many tokens as the model reads, and its end", () => {
  const tokenizer = { encode: () => ({ ids: [1, 5, 6, 7, 2], tokens: ["[CLS]", "x", "y", "z", "[SEP]"] }) };
  const facts = { longest: 4, frame: [1, 2], literal: "\\[CLS\\]", visible: { 6: "⟨y⟩" } };
  const tokens = /** @type {TextTokens} */ (tokensOf(tokenizer, CHARACTERS, ["x y z"], facts));
  assert.deepEqual(tokens.ids, [1, 5, 6, 2]);
  assert.deepEqual(tokens.units.labels, ["[CLS]", "x", "⟨y⟩", "[SEP]"]);
  assert.deepEqual(tokens.cut, [1]);
  assert.deepEqual(tokensOf(tokenizer, CHARACTERS, ["x", " "], facts), { empty: 1 });
});

test("a word goes on across an apostrophe between letters, and is shown as it is written, as far as it is read", () => {
  const tokens = ["[CLS]", "don", "'", "t", "[MASK]", "e", "##s", "[SEP]"];
  const tokenizer = { encode: () => ({ ids: [1, 5, 6, 7, 3, 8, 9, 2], tokens }) };
  const facts = { longest: 12, frame: [1, 2], literal: "\\[MASK\\]", visible: {} };
  const read = () =>
    /** @type {TextTokens} */ (tokensOf(tokenizer, LETTERS, Array(2).fill("Don't [MASK] é\u202es"), facts));
  const pair = read();
  const ofB = ["Don't", "", "", "[MASK]", "é"];
  assert.deepEqual(pair.words, [null, ...ofB.slice(0, 4), null, ...ofB, null]);
  assert.deepEqual(pair.cut, [2, 1]);
  assert.deepEqual(pair.types, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
  const units = unitsOf(pair, "words", "hide");
  assert.deepEqual(units.labels, ["Don't", "[MASK]", "Don't", "[MASK]", "é"]);
  assert.deepEqual([units.positions[2], units.b_start], [[6, 7, 8], 2]);
});

test("graphs get the unit of each token, and how many tokens each unit has", () => {
  const { units, counts } = membersOf({ labels: ["ab"], special: [false], positions: [[1, 2]], b_start: null }, 4);
  assert.deepEqual([...units.values], [1n, 0n, 0n, 1n]);
  assert.deepEqual([...counts.values], [2]);
});

test("an address has what is set, and nothing unreadable", () => {
  /** @type {import("../../../viz/html/browser/contents.mjs").Field[]} */
  const fields = [
    { name: "a", pattern: ".*", title: "", initial: "x", omitted: null },
    { name: "b", pattern: ".*", title: "", initial: "y", omitted: null },
    { name: "layer", pattern: "[0-5]", title: "", initial: "0", omitted: "0" },
    { name: "head", pattern: "[0-9]|mean", title: "", initial: "4", omitted: "4" },
    { name: "key", pattern: "[0-9]?", title: "", initial: "", omitted: "" },
    { name: "scale", pattern: "auto|root", title: "", initial: "auto", omitted: "auto" },
    { name: "view", pattern: "heat map", title: "view", initial: "heat map", omitted: "heat map" },
    { name: "model", pattern: "own", title: "model", initial: "own", omitted: "bundled" },
  ];
  const search = "?a=q%26a&layer=9&head=mean&key=2&view=anatomy";
  const asked = linkIn({ hash: "", search }, fields);
  assert.match(asked?.remark ?? "", /the view “anatomy”, which/);
  const { link } = /** @type {NonNullable<typeof asked>} */ (asked);
  assert.deepEqual([link.a, link.b, link.layer, link.view, link.model], ["q&a", "", "0", "heat map", "own"]);
  const like = /** @type {import("../../../viz/components/shared/types.mjs").Selection} */ (
    /** @type {unknown} */ ({ layer: 0, head: 4, key: -1, scale: "auto" })
  );
  const selection = selectionIn(link, like);
  assert.deepEqual(selection, { layer: 0, head: -1, key: 2, scale: "auto" });
  const address = addressOf({ ...linkOf(selection), a: "q&a", b: "", model: "own" }, fields);
  assert.equal(address, "a=q%26a&b=&head=mean&key=2&model=own");
  assert.equal(linkIn({ hash: "", search: address }, fields)?.link.b, "");
  assert.equal(linkIn({ hash: "", search: "?layer=1" }, fields)?.link.b, "y");
  assert.equal(linkIn({ hash: "#constructor=1", search: "" }, fields), null);
});

test("messages have what Python sends: roots, inputs and measures", () => {
  const roots = { shape: [1, 3, 3], values: new Uint16Array(9) };
  const layer = layerMessage({ roots }, UNITS, "run", 2);
  assert.deepEqual(layer.tensors, { weights: roots });
  assert.deepEqual([layer.extras.id, layer.extras.numbers], ["run-L2", [0, 1, 2]]);
  const array = { shape: [1, 3, 4], values: new Float32Array(12) };
  assert.deepEqual([...neuronsMessage({ query: array, key: array }, UNITS, "run", 0).tensors.scaling.values], [0.5]);
  const found = { shape: [2, 1], values: Float32Array.of(1, 2) };
  const { profiles } = mapMessage([found, found], ["bits"]).tensors;
  assert.deepEqual(profiles, { shape: [2, 2, 1], values: Float32Array.of(1, 2, 1, 2) });
});

test("arrays become numbers and lists of lists", () => {
  const arrays = {
    a: { shape: [2, 1], values: Float32Array.of(1, 2) },
    b: { shape: [], values: BigInt64Array.of(3n) },
  };
  assert.deepEqual(asLists(arrays), { a: [[1], [2]], b: 3 });
});

test("references are replaced by values", () => {
  const values = { a: [3, 4], b: 1, rows: [{ c: 5 }, { c: 6 }] };
  const template = {
    x: ["$", "a.0", ["plus", ["$", "b"]]],
    y: ["$among", ["$", "b"], ["no", ["$", "a.1"]]],
    z: [null, 1],
  };
  assert.deepEqual(filled(template, values), { x: 4, y: 4, z: [null, 1] });
  assert.deepEqual(filled(["$among", ["$", "a"], [0, 1, 2, "d", "e"]], values), ["d", "e"]);
  assert.deepEqual(filled(["$each", "rows", ["$", "c", ["times", 2]]], values), [10, 12]);
});

test("the longest shared word is read in both texts, in the same form or else in another", () => {
  const units = { ...UNITS, labels: ["[CLS]", "ab", "##c", "d"], special: [true, false, false, false] };
  const tokens = { units, words: [null, "Abc", "", "d"] };
  const read = { tokens };
  const choice = { at: [-1, -1], preferred: "", lemmas: new Map() };
  assert.deepEqual(sharedWord([read, read], choice), { places: [0, 0], labels: ["Abc", "Abc"], isOneForm: true });
  assert.deepEqual(sharedWord([read, read], { ...choice, at: [-1, 1] })?.places, [1, 1]);
  assert.equal(sharedWord([read], choice), null);
  const other = { tokens: { ...tokens, words: [null, "x", "", "?"] } };
  assert.equal(sharedWord([read, other], choice), null);
  const absent = sharedWord([read, other], { ...choice, at: [1, -1] });
  assert.deepEqual(
    [absent?.places, absent?.labels],
    [
      [1, -1],
      ["d", "d"],
    ],
  );
  const lemmas = new Map([
    ["abc", "abc"],
    ["x", "abc"],
  ]);
  const inflected = { places: [0, 0], labels: ["Abc", "x"], isOneForm: false };
  assert.deepEqual(sharedWord([read, other], { ...choice, lemmas }), inflected);
});

test("a part that could not be read is asked for again", async () => {
  let asked = 0;
  const read = async () => {
    asked += 1;
    throw new Error("no network");
  };
  const runtime = /** @type {any} */ ({ InferenceSession: { create: () => ({}) }, Tensor: class {} });
  const facts = { layers: 0, heads: 1, width: 2, shard: 4, step: "" };
  const encoder = new BrowserEncoder(new Graphs(runtime, read, async () => {}), facts, read);
  for (const time of [1, 2]) {
    const reading = { ids: [1], types: [0], silenced: [], layer: 0, states: [] };
    await assert.rejects(
      encoder.run(reading, -1, async () => true),
      /no network/,
    );
    assert.equal(asked, 2 * time);
  }
});

test("what broke while it arrived counts as a part to load only once it is tried again", async () => {
  let breaks = true;
  const { fetch } = globalThis;
  globalThis.fetch = async () =>
    breaks
      ? new Response(new ReadableStream({ pull: (body) => body.error(new Error("network changed")) }))
      : new Response(gzipSync("x"));
  /** @type {object[]} */
  const reports = [];
  const facts = { folder: "m", runtime: "r", sizes: { a: 5 } };
  const files = new ModelFiles("http://x/", facts, (progress) => reports.push({ ...progress }));
  await assert.rejects(files.read("a"), /network changed/);
  assert.deepEqual(reports.at(-1), { loaded: 0, total: 0 });
  breaks = false;
  assert.deepEqual([...(await files.read("a"))], [120]);
  assert.deepEqual(reports.at(-1), { loaded: 5, total: 5 });
  globalThis.fetch = fetch;
});
