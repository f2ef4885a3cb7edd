// @ts-check
import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { Host } from "../../../../viz/components/shared/host.mjs";
import { PageSelection } from "../../../../viz/components/shared/page_selection.mjs";
import { DirectDrawing } from "../../../../viz/components/text_fields/direct_drawing.mjs";
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
});

/** @param {string} text which is the first change */
function drawingOf(text) {
  const selection = new PageSelection(0);
  selection.confirm(SELECTION, null);
  selection.type({ a: text });
  const timer = { set: () => {}, clear: () => {} };
  const host = new Host({ scope: "encoder", selection, isWaiting: () => false, timer });
  /** @param {number | null} answered @param {string | null} direct */
  const confirm = (answered, direct = "/drawn") => {
    const texts = { texts: {}, linked: {}, held: false, visit: "" };
    host.receiveRuns({ ...texts, marks: {}, slow: null, direct, answered }, null);
  };
  confirm(null);
  return { selection, drawing: new DirectDrawing(host), confirm };
}

/** An answer that has no pictures, but says what is marked. */
function answer() {
  const header = new TextEncoder().encode(JSON.stringify({ texts: [], strips: [], marks: MARKS, messages: 0 }));
  return new Response(new Uint8Array([...new Uint8Array(new Uint32Array([header.length]).buffer), ...header]));
}

test("a picture is possible where Python has said where, and what is selected", () => {
  const { drawing, confirm } = drawingOf("dogs");
  assert.equal(drawing.isPossible, true);
  confirm(null, null);
  assert.equal(drawing.isPossible, false);
});

test("runs and marks of an answer are shown until Python has drawn the text", async () => {
  const { selection, drawing, confirm } = drawingOf("dogs");
  const drawn = drawing.drawWhole();
  const { client, ...asked } = JSON.parse(requests[0].body);
  assert.deepEqual(asked, { query: "?layer=2", texts: { a: "dogs" }, layer: 2 });
  assert.match(client, /^\d+(-\d+){3}$/);
  requests[0].answer(answer());
  assert.equal(await drawn, "drawn");
  assert.deepEqual(selection.marks, MARKS);
  confirm(null);
  assert.deepEqual(selection.marks, MARKS);
  confirm(1);
  assert.deepEqual(selection.marks, {});
});

test("a newer text supersedes the request in flight", async () => {
  const { selection, drawing } = drawingOf("dogs");
  const first = [drawing.draw(), drawing.draw()];
  assert.equal(requests.length, 1);
  selection.type({ a: "dogs bark" });
  const second = drawing.draw();
  assert.equal(requests.length, 2);
  requests[1].answer(answer());
  assert.deepEqual(await Promise.all([...first, second]), ["superseded", "superseded", "drawn"]);
});

test("an answer that comes after Python's own shows nothing", async () => {
  const { selection, drawing, confirm } = drawingOf("dogs");
  const drawn = drawing.draw();
  confirm(1);
  requests[0].answer(answer());
  assert.equal(await drawn, "drawn");
  assert.deepEqual(selection.marks, {});
});

test("after a blocked request no more are sent", async (context) => {
  const warned = context.mock.method(globalThis.console, "warn", () => {});
  const { drawing } = drawingOf("dogs");
  const drawn = drawing.draw();
  requests[0].answer(new Response("", { status: 404 }));
  assert.equal(await drawn, "not drawn");
  assert.equal(drawing.isPossible, false);
  assert.equal(warned.mock.callCount(), 1);
});

for (const status of [408, 503]) {
  test(`a server that cannot answer now (${status}) gets the next request`, async () => {
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
