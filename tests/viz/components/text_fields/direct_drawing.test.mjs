import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { Host } from "../../../../viz/components/shared/host.mjs";
import { PageSelection } from "../../../../viz/components/shared/page_selection.mjs";
import { DirectDrawing, partsIn } from "../../../../viz/components/text_fields/direct_drawing.mjs";
import { SELECTION } from "../made_up.mjs";

const MARKS = { a: { read: "dogs", cut: false, pieces: [] } };

/** @type {{ body: string, method?: string, answer: (response: Response) => void, fail: (error: unknown) => void }[]} */
let requests = [];

beforeEach(() => {
  requests = [];
  Object.assign(globalThis, { window: { location: { search: "?layer=2" } } });
  globalThis.fetch = (_, { body, method, signal } = {}) =>
    new Promise((resolve, reject) => {
      requests.push({ body: String(body), method, answer: resolve, fail: reject });
      signal?.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    });
});

/** @param {string} text which is the first change */
function drawingOf(text) {
  const selection = new PageSelection(0);
  selection.confirm({ ...SELECTION, layer: 2 }, null);
  selection.type({ a: text });
  const timer = { set: () => {}, clear: () => {} };
  const host = new Host({ scope: "encoder", selection, isWaiting: () => false, timer });
  /** @type {string[]} */
  const done = [];
  const texts = { texts: {}, linked: {}, held: false, visit: "" };
  host.receiveTexts({ ...texts, answered: null }, () => done.push("sent to Python"), null);
  /** @param {number | null} answered @param {string | null} direct */
  const confirm = (answered, direct = "/direct") =>
    host.receiveRuns({ ...texts, marks: {}, slow: null, direct, answered }, null);
  confirm(null);
  const drawing = new DirectDrawing(host, () => done.push("drawn"));
  return { selection, drawing, confirm, done };
}

/** @param {readonly Uint8Array[]} parts */
function joined(parts) {
  const bytes = parts.flatMap((part) => [...new Uint8Array(new Uint32Array([part.length]).buffer), ...part]);
  return new Uint8Array(bytes);
}

/** @param {object} header */
const inJson = (header) => new TextEncoder().encode(JSON.stringify(header));

/** A message as the server sends it. @param {string} id */
function message(id) {
  const header = inJson({ __metadata__: { extras: JSON.stringify({ id }) } });
  return new Uint8Array([...new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer), ...header]);
}

const HEADER = { texts: [["A"], ["B"]], strips: ["a", "b"], marks: MARKS, mapped: [1], messages: 2 };
const PARTS = [inJson(HEADER), message("layer A"), message("layer B"), message("map B")];
const answer = (parts = PARTS) => new Response(joined(parts));

/** The parts of an answer that arrives in chunks of one size. @param {Uint8Array} bytes @param {number} size */
async function partsOf(bytes, size = bytes.length) {
  const stream = new ReadableStream({
    start(controller) {
      for (let start = 0; start < bytes.length; start += size) controller.enqueue(bytes.subarray(start, start + size));
      controller.close();
    },
  });
  const found = [];
  for await (const part of partsIn(stream)) found.push([...part]);
  return found;
}

test("parts follow their lengths, whatever the chunks", async () => {
  const parts = [new Uint8Array([1, 2, 3]), new Uint8Array(0), new Uint8Array(300).fill(9)];
  const wanted = parts.map((part) => [...part]);
  for (const size of [1, 5, 7, 1000]) assert.deepEqual(await partsOf(joined(parts), size), wanted);
  assert.deepEqual(await partsOf(joined([new Uint8Array(9)]).subarray(0, 8)), []);
});

test("without an address the text goes to Python", async () => {
  const { drawing, confirm, done } = drawingOf("dogs");
  confirm(null, null);
  await drawing.draw(false);
  assert.deepEqual([requests, done, await drawing.finish()], [[], ["sent to Python"], true]);
});

test("layers are shown before the maps, until Python has rendered the text", async () => {
  const { selection, drawing, confirm } = drawingOf("dogs");
  const finished = drawing.finish();
  const [{ body, method, answer: send }] = requests;
  const { client, ...asked } = JSON.parse(body);
  assert.deepEqual([method, asked], ["POST", { query: "?layer=2", texts: { a: "dogs" }, layer: 2 }]);
  assert.match(client, /^\d+(-\d+){3}$/);
  /** @type {unknown[]} */
  const shown = [];
  selection.subscribe(() => shown.push(selection.runOf(["B"])));
  send(answer());
  assert.equal(await finished, true);
  const run = { layers: "layer B", map: null, strip: "b" };
  assert.deepEqual(shown, [run, { ...run, map: "map B" }]);
  assert.deepEqual(selection.marks, MARKS);
  confirm(null);
  assert.deepEqual(selection.marks, MARKS);
  confirm(1);
  assert.deepEqual(selection.marks, {});
});

test("maps that do not arrive are left to the page", async () => {
  const { selection, drawing } = drawingOf("dogs");
  const finished = drawing.finish();
  requests[0].answer(answer(PARTS.slice(0, 3)));
  assert.equal(await finished, true);
  assert.equal(selection.runOf(["A"])?.map, null);
});

test("a newer text supersedes the request in flight", async () => {
  const { selection, drawing, done } = drawingOf("dogs");
  const first = [drawing.draw(false), drawing.draw(false)];
  assert.equal(requests.length, 1);
  const finished = drawing.finish();
  selection.type({ a: "dogs bark" });
  const second = drawing.draw(false);
  assert.equal(requests.length, 2);
  assert.equal(await finished, false);
  requests[1].answer(answer());
  await Promise.all([...first, second]);
  assert.deepEqual(done, ["drawn"]);
});

test("a link whose weight is dragged is drawn until Python has read it", async () => {
  const { selection, drawing, confirm } = drawingOf("dogs");
  confirm(1);
  selection.change({ cut: "A2-1x35" }, { isLive: true });
  const drawn = drawing.drawLinks();
  await drawing.drawLinks();
  assert.equal(requests.length, 1);
  assert.equal(JSON.parse(requests[0].body).cut, "A2-1x35");
  requests[0].answer(answer());
  await drawn;
  assert.notEqual(selection.runOf(["A"]), undefined);
  selection.confirm(SELECTION, 1);
  assert.notEqual(selection.runOf(["A"]), undefined);
  selection.confirm(SELECTION, 2);
  assert.equal(selection.runOf(["A"]), undefined);
});

test("an answer that comes after Python's own shows nothing", async () => {
  const { selection, drawing, confirm, done } = drawingOf("dogs");
  const drawn = drawing.draw(false);
  confirm(1);
  requests[0].answer(answer());
  await drawn;
  assert.deepEqual([done, selection.marks], [["drawn"], {}]);
});

test("texts that stay are sent once, by the caller of finish", async () => {
  const { drawing, done } = drawingOf("dogs");
  const [drawn, finished] = [drawing.draw(false), drawing.finish()];
  requests[0].answer(new Response(null, { status: 204 }));
  await drawn;
  assert.deepEqual([await finished, done], [true, []]);
});

test("after a blocked request no more are sent", async (context) => {
  const warned = context.mock.method(globalThis.console, "warn", () => {});
  const { drawing, done } = drawingOf("dogs");
  const drawn = drawing.draw(false);
  requests[0].answer(new Response("", { status: 404 }));
  await drawn;
  await drawing.draw(false);
  assert.deepEqual([done, requests.length, warned.mock.callCount()], [["sent to Python"], 1, 1]);
});

for (const status of [204, 408, 503, "no connection"]) {
  test(`a server that cannot answer now (${status}) gets the next request`, async () => {
    const { selection, drawing, done } = drawingOf("dogs");
    const drawn = drawing.draw(false);
    if (typeof status === "number") requests[0].answer(new Response(null, { status }));
    else requests[0].fail(new TypeError("Failed to fetch"));
    await drawn;
    assert.deepEqual(done, ["sent to Python"]);
    selection.type({ a: "dogs bark" });
    void drawing.draw(false);
    assert.equal(requests.length, 2);
  });
}

test("the requests of a page name it, and those of another page another one", async () => {
  const [one, other] = [drawingOf("dogs"), drawingOf("dogs")];
  for (const { drawing } of [one, one, other]) {
    void drawing.draw(false);
    drawing.stop();
  }
  const [first, second, third] = requests.map(({ body }) => JSON.parse(body).client);
  assert.equal(first, second);
  assert.notEqual(first, third);
});
