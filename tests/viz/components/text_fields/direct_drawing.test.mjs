// @ts-check
import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { KnownTexts } from "../../../../viz/components/shared/known_texts.mjs";
import { selectionOf } from "../../../../viz/components/shared/page_selection.mjs";
import { DirectDrawing } from "../../../../viz/components/text_fields/direct_drawing.mjs";
import { Exchange } from "../../../../viz/components/text_fields/exchange.mjs";
/** @import { Selection } from "../../../../viz/components/shared/types.mjs" */

const PINS = { query: -1, key: -1, pinned_in: "A" };
/** @type {Selection} */
const SELECTION = { layer: 2, head: 4, heads: "", ...PINS, sentences: "all", scale: "auto" };
const MARKS = { a: { read: "dogs", cut: false, pieces: [] } };

/** @type {{ body: string, answer: (response: Response) => void }[]} */
let requests = [];

beforeEach(() => {
  requests = [];
  Object.assign(globalThis, { window: { location: { search: "?layer=2" } } });
  globalThis.fetch = (_, options = {}) =>
    new Promise((resolve, reject) => {
      requests.push({ body: String(options.body), answer: resolve });
      options.signal?.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    });
  selectionOf("encoder").confirm(SELECTION, null);
});

/** @param {string} text */
function drawingOf(text) {
  const exchange = new Exchange();
  exchange.edit({ a: text });
  const known = new KnownTexts();
  known.put({ marks: {}, answered: null, slow: null, linked: null, direct: "/drawn" });
  let marked = 0;
  const drawing = new DirectDrawing(exchange, known, () => (marked += 1));
  return { exchange, known, drawing, marked: () => marked };
}

/** An answer that has no pictures, but says what is marked. */
function answer() {
  const told = new TextEncoder().encode(JSON.stringify({ texts: [], strips: [], marks: MARKS, messages: 0 }));
  return new Response(new Uint8Array([...new Uint8Array(new Uint32Array([told.length]).buffer), ...told]));
}

test("a picture is possible where Python has said where, and what is selected", () => {
  const { known, drawing } = drawingOf("dogs");
  assert.equal(drawing.isPossible, true);
  known.put({ marks: {}, answered: null, slow: null, linked: null, direct: null });
  assert.equal(drawing.isPossible, false);
});

test("the runs and the marks of an answer are shown, under the number of the message that follows", async () => {
  const { exchange, known, drawing, marked } = drawingOf("dogs");
  const drawn = drawing.drawWhole();
  const { client, ...asked } = JSON.parse(requests[0].body);
  assert.deepEqual(asked, { query: "?layer=2", texts: { a: "dogs" }, layer: 2 });
  assert.match(client, /^\d+(-\d+){3}$/);
  requests[0].answer(answer());
  assert.equal(await drawn, "drawn");
  assert.deepEqual([known.now.marks, marked()], [MARKS, 1]);
  selectionOf("encoder").dropRuns(exchange.next);
  assert.equal(selectionOf("encoder").runOf(["A"]), undefined);
});

test("what is asked for is not asked for again, and a newer text overtakes it", async () => {
  const { exchange, drawing } = drawingOf("dogs");
  const first = [drawing.draw(), drawing.draw()];
  assert.equal(requests.length, 1);
  exchange.edit({ a: "dogs bark" });
  const second = drawing.draw();
  assert.equal(requests.length, 2);
  requests[1].answer(answer());
  assert.deepEqual(await Promise.all([...first, second]), ["overtaken", "overtaken", "drawn"]);
});

test("an answer that comes after Python's own shows nothing", async () => {
  const { exchange, known, drawing, marked } = drawingOf("dogs");
  const drawn = drawing.draw();
  known.put({ marks: {}, answered: exchange.next, slow: null, linked: null, direct: "/drawn" });
  requests[0].answer(answer());
  assert.equal(await drawn, "drawn");
  assert.deepEqual([known.now.marks, marked()], [{}, 0]);
});

test("where something keeps the server from answering, nothing is asked for any more", async (context) => {
  const warned = context.mock.method(globalThis.console, "warn", () => {});
  const { drawing } = drawingOf("dogs");
  const drawn = drawing.draw();
  requests[0].answer(new Response("", { status: 404 }));
  assert.equal(await drawn, "not drawn");
  assert.equal(drawing.isPossible, false);
  assert.equal(warned.mock.callCount(), 1);
});

for (const status of [408, 503]) {
  test(`a server that cannot answer now (${status}) is asked again`, async () => {
    const { drawing } = drawingOf("dogs");
    const drawn = drawing.draw();
    requests[0].answer(new Response("", { status }));
    assert.equal(await drawn, "not drawn");
    assert.equal(drawing.isPossible, true);
  });
}

test("the requests of a page name it, and those of another page another one", async () => {
  const [one, other] = [drawingOf("dogs"), drawingOf("dogs")];
  for (const { drawing } of [one, one, other]) {
    void drawing.draw();
    drawing.stop();
  }
  const [first, second, third] = requests.map(({ body }) => JSON.parse(body).client);
  assert.equal(first, second);
  assert.notEqual(first, third);
});
