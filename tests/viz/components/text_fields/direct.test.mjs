// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { requestDirectRun, partsIn } from "../../../../viz/components/text_fields/direct.mjs";

Object.assign(globalThis, { window: globalThis }); // where messages are kept
const ASKED = { query: "?layer=2", texts: { a: "dogs", b: "" }, layer: 2, client: "1-2-3-4" };
const { signal } = new AbortController();

/** @param {readonly Uint8Array[]} parts */
function joined(parts) {
  const bytes = parts.flatMap((part) => [...new Uint8Array(new Uint32Array([part.length]).buffer), ...part]);
  return new Uint8Array(bytes);
}

/** The parts of an answer that comes in pieces of one size. @param {Uint8Array} bytes @param {number} size */
async function partsOf(bytes, size = bytes.length) {
  const stream = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
  const found = [];
  for await (const part of partsIn(stream)) found.push([...part]);
  return found;
}

/** @param {object} header */
function inJson(header) {
  return new TextEncoder().encode(JSON.stringify(header));
}

/** A message as the server makes them. @param {string} id */
function message(id) {
  const header = inJson({ __metadata__: { extras: JSON.stringify({ id }) } });
  return new Uint8Array([...new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer), ...header]);
}

/** @param {Response | Error} response */
function serverThat(response) {
  /** @type {[unknown, RequestInit][]} */
  const asked = [];
  globalThis.fetch = async (address, options = {}) => {
    asked.push([address, options]);
    if (response instanceof Error) throw response;
    return response;
  };
  return asked;
}

test("parts stand behind their lengths, however they are cut on the way", async () => {
  const parts = [new Uint8Array([1, 2, 3]), new Uint8Array(0), new Uint8Array(300).fill(9)];
  const wanted = parts.map((part) => [...part]);
  for (const size of [1, 5, 7, 1000]) assert.deepEqual(await partsOf(joined(parts), size), wanted);
});

test("a truncated part is dropped", async () => {
  assert.deepEqual(await partsOf(new Uint8Array()), []);
  assert.deepEqual(await partsOf(joined([new Uint8Array(9)]).subarray(0, 8)), []);
});

test("a request holds the page's address, the texts and the layer", async () => {
  const header = inJson({ texts: [], strips: [], marks: { a: { pieces: [] } }, messages: 0 });
  const asked = serverThat(new Response(joined([header])));
  const { runs, marks } = (await requestDirectRun("/direct", ASKED, signal)) ?? {};
  assert.deepEqual([runs, marks], [new Map(), { a: { pieces: [] } }]);
  const [[address, { method, body }]] = asked;
  assert.deepEqual([address, method, JSON.parse(String(body))], ["/direct", "POST", ASKED]);
});

test("layers are there before the maps", async () => {
  const header = inJson({ texts: [["A"], ["B"]], strips: ["a", "b"], marks: {}, messages: 2 });
  const { promise, resolve: sendMaps } = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(joined([header, message("layer A"), message("layer B")]));
      await promise;
      controller.enqueue(joined([message("map A"), message("map B")]));
      controller.close();
    },
  });
  serverThat(new Response(body));
  const drawn = await requestDirectRun("/direct", ASKED, signal);
  assert.deepEqual(
    [...(drawn?.runs ?? [])],
    [
      ["A", { layers: "layer A", map: null, strip: "a" }],
      ["B", { layers: "layer B", map: null, strip: "b" }],
    ],
  );
  sendMaps();
  const whole = await drawn?.whole;
  assert.deepEqual(whole?.get("B"), { layers: "layer B", map: "map B", strip: "b" });
});

test("maps that do not arrive are left to the page", async () => {
  const header = inJson({ texts: [["A", "B"]], strips: ["a"], marks: {}, messages: 1 });
  serverThat(new Response(joined([header, message("layer")])));
  const drawn = await requestDirectRun("/direct", ASKED, signal);
  assert.equal(await drawn?.whole, null);
});

test("a temporary failure gives no picture and no error", async () => {
  const answers = [204, 500, 502].map((status) => new Response(null, { status }));
  for (const answer of [...answers, new TypeError("Failed to fetch")]) {
    serverThat(answer);
    assert.equal(await requestDirectRun("/direct", ASKED, signal), null);
  }
});

test("other answers and cancelled requests are errors", async () => {
  serverThat(new Response(null, { status: 404 }));
  await assert.rejects(requestDirectRun("/direct", ASKED, signal), /404/);
  serverThat(new DOMException("aborted", "AbortError"));
  await assert.rejects(requestDirectRun("/direct", ASKED, signal), { name: "AbortError" });
});
