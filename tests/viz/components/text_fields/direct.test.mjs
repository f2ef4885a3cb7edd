// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { askDirectly, partsOf } from "../../../../viz/components/text_fields/direct.mjs";

const ASKED = { query: "?layer=2", texts: { a: "dogs", b: "" }, layer: 2 };
const { signal } = new AbortController();

/** @param {readonly Uint8Array[]} parts */
function joined(parts) {
  const bytes = parts.flatMap((part) => [...new Uint8Array(new Uint32Array([part.length]).buffer), ...part]);
  return new Uint8Array(bytes).buffer;
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

test("parts stand behind their lengths", () => {
  const parts = [new Uint8Array([1, 2, 3]), new Uint8Array(0), new Uint8Array(300).fill(9)];
  assert.deepEqual(
    partsOf(joined(parts)).map((part) => [...part]),
    parts.map((part) => [...part]),
  );
  assert.deepEqual(partsOf(new ArrayBuffer(0)), []);
});

test("the page's address, the texts and the layer are asked for", async () => {
  const told = new TextEncoder().encode(JSON.stringify({ texts: [], strips: [], marks: { a: { pieces: [] } } }));
  const asked = serverThat(new Response(joined([told])));
  assert.deepEqual(await askDirectly("/direct", ASKED, signal), { runs: new Map(), marks: { a: { pieces: [] } } });
  const [[address, { method, body }]] = asked;
  assert.deepEqual([address, method, JSON.parse(String(body))], ["/direct", "POST", ASKED]);
});

test("where the page has something to say, or nobody answers now, there is no picture and no error", async () => {
  const answers = [204, 500, 502].map((status) => new Response(null, { status }));
  for (const answer of [...answers, new TypeError("Failed to fetch")]) {
    serverThat(answer);
    assert.equal(await askDirectly("/direct", ASKED, signal), null);
  }
});

test("what else is answered is an error, and so is a question that was taken back", async () => {
  serverThat(new Response(null, { status: 404 }));
  await assert.rejects(askDirectly("/direct", ASKED, signal), /404/);
  serverThat(new DOMException("aborted", "AbortError"));
  await assert.rejects(askDirectly("/direct", ASKED, signal), { name: "AbortError" });
});
