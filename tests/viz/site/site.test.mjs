import assert from "node:assert/strict";
import { test } from "node:test";
import { BrowserEncoder, vectorOf } from "../../../viz/html/browser/site/encoder.mjs";
import { addressOf, linkIn, linkOf, selectionIn } from "../../../viz/html/browser/site/links.mjs";
import { classesIn, distancesOf, normsIn, sharedWord } from "../../../viz/html/browser/site/measures.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "../../../viz/html/browser/site/payloads.mjs";
import { readableText, tokensOf } from "../../../viz/html/browser/site/tokens.mjs";
import { shownAttention, unitsOf } from "../../../viz/html/browser/site/units.mjs";

const UNITS = {
  labels: ["[CLS]", "a", "[SEP]"],
  special: [true, false, true],
  positions: [[0], [1], [2]],
  b_start: null,
};
/** @import { TextTokens } from "../../../viz/html/browser/site/tokens.mjs" */
/** @type {import("../../../viz/html/browser/site/tokens.mjs").Characters} */
const CHARACTERS = [
  [0, "removed"],
  [32, "known"],
  [0x2000, "space"],
  [0x3000, "alone"],
  [0x10000, "inside"],
];
/** @type {import("../../../viz/html/browser/site/tokens.mjs").Characters} */
const LETTERS = [
  [0, "space"],
  [33, "known alone"],
  [65, "known"],
  [91, "known alone"],
  [97, "known"],
  [0x2000, "removed"],
];

test("a word's vector is its whole numbers times its scale", () => {
  const file = new Uint8Array(2 * 8);
  new DataView(file.buffer).setFloat32(8, 0.5, true);
  new Int16Array(file.buffer).set([-3, 32767], 6);
  assert.deepEqual([...vectorOf(file.buffer, 1, 2)], [-1.5, 16383.5]);
});

test("characters are read as the model's own tokenizer reads them", () => {
  assert.equal(readableText("a\u0001b\u2003c 字\u{1f642}ΣΣ", CHARACTERS, "σ"), "ab c  \ua000 \ua000σσ");
  assert.equal(readableText("Σ", CHARACTERS, "Σ"), "Σ");
});

test("a text keeps as many tokens as the model reads, and its end", () => {
  const tokenizer = { encode: () => ({ ids: [1, 5, 6, 7, 2], tokens: ["[CLS]", "x", "y", "z", "[SEP]"] }) };
  const facts = { longest: 4, frame: [1, 2], literal: "\\[CLS\\]", visible: { 6: "⟨y⟩" }, sigma: "σ" };
  const tokens = /** @type {TextTokens} */ (tokensOf(tokenizer, CHARACTERS, ["x y z"], facts));
  assert.deepEqual(tokens.ids, [1, 5, 6, 2]);
  assert.deepEqual(tokens.units.labels, ["[CLS]", "x", "⟨y⟩", "[SEP]"]);
  assert.deepEqual(tokens.cut, [1]);
  assert.deepEqual(tokensOf(tokenizer, CHARACTERS, ["x", " "], facts), { empty: 1 });
});

test("a word goes on across an apostrophe between letters, and is shown as it is written, as far as it is read", () => {
  const tokens = ["[CLS]", "don", "'", "t", "[MASK]", "e", "##s", "[SEP]"];
  const tokenizer = { encode: () => ({ ids: [1, 5, 6, 7, 3, 8, 9, 2], tokens }) };
  const facts = { longest: 12, frame: [1, 2], literal: "\\[MASK\\]", visible: {}, sigma: "σ" };
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

test("attention between words is summed over keys, averaged over queries, and scaled if asked for", () => {
  const weights = { shape: [1, 3, 3], values: Float32Array.of(0.5, 0.25, 0.25, 0.5, 0.5, 0, 0, 0, 1) };
  const units = { labels: ["ab"], special: [false], positions: [[1, 2]], b_start: null };
  const found = (/** @type {"show" | "hide" | "renormalise"} */ special) => shownAttention(weights, units, special);
  assert.deepEqual([found("hide").weights.values[0], found("hide").removed?.values[0]], [0.75, 0.25]);
  assert.deepEqual([found("renormalise").weights.values[0], found("show").removed], [1, undefined]);
  assert.equal(shownAttention(weights, UNITS, "show").weights, weights);
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
  const weights = { shape: [1, 3, 3], values: Float32Array.of(1, 0, 0, 0.25, 0.5, 0.25, 0, 1, 0) };
  const layer = layerMessage({ weights }, UNITS, "run", 2);
  assert.deepEqual([...layer.tensors.weights.values].slice(0, 5), [65535, 0, 0, 32768, 46340]);
  assert.equal(layer.extras.id, "run-L2");
  const array = { shape: [1, 3, 4], values: new Float32Array(12) };
  assert.deepEqual([...neuronsMessage({ query: array, key: array }, UNITS, "run", 0).tensors.scaling.values], [0.5]);
  const { profiles } = mapMessage([weights], UNITS, ["bits", "separators", "itself", "previous", "next"]).tensors;
  assert.deepEqual(profiles.shape, [1, 1, 5]);
  assert.deepEqual(
    [...profiles.values].map((value) => Math.round(value * 12) / 12),
    [0.5, 1 / 12, 0.5, 5 / 12, 1 / 12],
  );
});

test("a word's distance in two runs is that of its mean states", () => {
  const states = [Float32Array.of(9, 9, 1, 0, 1, 0), Float32Array.of(9, 9, 0, 2, 0, 0)];
  const [one, other] = states.map((values) => ({ shape: [3, 2], values }));
  assert.deepEqual([...distancesOf(one, one, [[1, 2]]), ...distancesOf(one, other, [[1, 2]])], [0, 1]);
});

test("norms and cosines are those of a text's states; the longest shared word is read in both", () => {
  const special = [true, false, false, false];
  const positions = [[0], [1], [2], [3]];
  const units = { ...UNITS, labels: ["[CLS]", "ab", "##c", "d"], special, positions };
  const tokens = { units, words: [null, "Abc", "", "d"], types: [0, 0, 0, 1] };
  const states = [
    { shape: [4, 2], values: Float32Array.of(0, 0, 3, 4, 1, 0, 0, 2) },
    { shape: [4, 2], values: Float32Array.of(1, 0, 4, -3, 1, 0, 0, 1) },
  ];
  const read = { tokens, states, vectors: states[0] };
  const { norms, cosines, types } = normsIn(read);
  assert.deepEqual(
    [norms, cosines, types],
    [
      [
        [0, 5, 1, 2],
        [1, 5, 1, 1],
      ],
      [[0, 0, 1, 1]],
      [0, 0, 0, 1],
    ],
  );
  const probes = Float32Array.of(...[1, 0, 0, 0, 0, 1, 0, 0], ...[0, 0, 0, 0]); // two layers of two classes
  const choice = { at: [-1, -1], preferred: "", lemmas: new Map() };
  const found = sharedWord([read, read], probes, choice);
  assert.deepEqual(
    [found?.words, found?.places],
    [
      ["Abc", "Abc"],
      [0, 0],
    ],
  );
  assert.deepEqual(found?.cosines?.map(Math.round), [1, 1]);
  const odds = found?.classes?.A.map(([one, other]) => Math.round(10 * Math.log(one / other)));
  assert.deepEqual(odds, [20, -15]);
  assert.deepEqual(classesIn(read, probes), [1, 0]);
  assert.equal(sharedWord([read], null, choice), null);
  const other = { ...read, tokens: { ...tokens, words: [null, "x", "", "?"] } };
  assert.equal(sharedWord([read, other], null, choice), null);
  const absent = sharedWord([read, other], null, { ...choice, at: [1, -1] });
  assert.deepEqual([absent?.words[0], absent?.absentIn, absent?.places], ["d", "B", [1, -1]]);
  const lemmas = new Map([
    ["abc", "abc"],
    ["x", "abc"],
  ]);
  assert.deepEqual(sharedWord([read, other], null, { ...choice, lemmas })?.words, ["Abc", "x"]);
  assert.deepEqual(sharedWord([read, read], null, { ...choice, at: [-1, 1] })?.places, [1, 1]);
});

test("a part that could not be read is asked for again", async () => {
  let asked = 0;
  const read = async () => {
    asked += 1;
    throw new Error("no network");
  };
  const runtime = /** @type {any} */ ({ InferenceSession: { create: () => ({}) }, Tensor: class {} });
  const encoder = new BrowserEncoder(
    runtime,
    { layers: 0, heads: 1, width: 2, shard: 4, step: "" },
    read,
    async () => {},
  );
  for (const time of [1, 2]) {
    await assert.rejects(
      encoder.run({ ids: [1], types: [0], silenced: [], layer: 0 }, -1, () => true),
      /no network/,
    );
    assert.equal(asked, 2 * time);
  }
});
