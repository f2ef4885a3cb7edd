// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { Exchange } from "../../../../viz/components/text_fields/exchange.mjs";

const OLD = { a: "old", b: "" };
const NEW = { a: "new", b: "" };

/** @param {Partial<import("../../../../viz/components/text_fields/exchange.mjs").Answer>} [changes] */
const answer = (changes) => ({ texts: OLD, linked: OLD, answered: null, visit: "v1", ...changes });

/** Fields that Python has sent the old texts. */
function opened() {
  const exchange = new Exchange();
  assert.equal(exchange.receive(answer()), "taken");
  return exchange;
}

test("the fields take Python's texts at first, and those of an example or an address later", () => {
  const exchange = opened();
  assert.deepEqual(exchange.texts, OLD);
  assert.equal(exchange.receive(answer({ texts: NEW })), "taken");
  assert.deepEqual(exchange.texts, NEW);
});

test("an answer overwrites nothing that was typed after its message", () => {
  const exchange = opened();
  exchange.edit({ a: "n", b: "" });
  const first = exchange.message(true);
  exchange.edit({ a: "ne", b: "" });
  assert.equal(exchange.receive(answer({ texts: first.texts, answered: first.number })), "kept"); // not sent yet
  const second = exchange.message(true);
  assert.equal(exchange.receive(answer({ texts: first.texts, answered: first.number })), "kept"); // sent, not read yet
  assert.deepEqual(exchange.texts, { a: "ne", b: "" });
  assert.equal(exchange.receive(answer({ texts: second.texts, answered: second.number })), "kept"); // its own
  assert.ok(second.number > first.number);
});

test("Python's own change counts once it has read the last message", () => {
  const exchange = opened();
  exchange.edit(NEW);
  const { number } = exchange.message(false);
  assert.equal(exchange.receive(answer()), "kept");
  assert.equal(exchange.receive(answer({ texts: { a: "example", b: "" }, answered: number })), "taken");
  assert.deepEqual(exchange.texts, { a: "example", b: "" });
});

test("texts are unsettled until Python knows that they stay", () => {
  const exchange = opened();
  assert.equal(exchange.unsettled, false);
  exchange.edit(NEW);
  assert.equal(exchange.unsettled, true);
  const { number } = exchange.message(true);
  assert.equal(exchange.unsettled, true);
  exchange.receive(answer({ texts: NEW, answered: number }));
  assert.equal(exchange.unsettled, true);
  exchange.message(false);
  assert.equal(exchange.unsettled, false);
});

test("a draft is what the address does not bring back", () => {
  const exchange = opened();
  assert.equal(exchange.draft, null);
  exchange.edit(NEW);
  assert.deepEqual(exchange.draft, { visit: "v1", linked: OLD, texts: NEW });
  const { number } = exchange.message(false);
  exchange.receive(answer({ texts: NEW, linked: NEW, answered: number }));
  assert.equal(exchange.draft, null);
  exchange.edit({ a: "newer", b: "" });
  exchange.message(true);
  exchange.receive(answer({ texts: OLD, answered: number }));
  assert.deepEqual(exchange.draft, { visit: "v1", linked: OLD, texts: { a: "newer", b: "" } });
});

test("a server that has forgotten the page is told of its draft", () => {
  const exchange = opened();
  exchange.edit(NEW);
  const { number } = exchange.message(true);
  assert.equal(exchange.receive(answer({ visit: "v2" })), "restored");
  assert.deepEqual(exchange.texts, NEW);
  assert.equal(exchange.unsettled, true);
  const again = exchange.message(false);
  assert.ok(again.number > number);
  assert.equal(exchange.receive(answer({ texts: NEW, answered: again.number, visit: "v2" })), "kept");
  assert.equal(exchange.unsettled, false);
});

test("a page that was loaded again restores its draft", () => {
  const exchange = new Exchange();
  assert.equal(exchange.receive(answer(), { visit: "v0", linked: OLD, texts: NEW }), "restored");
  assert.deepEqual(exchange.texts, NEW);
});

test("a link with other texts wins over a draft, and so does a session that knows the fields", () => {
  const draft = { visit: "v0", linked: { a: "other", b: "" }, texts: NEW };
  assert.equal(new Exchange().receive(answer(), draft), "taken");
  assert.equal(new Exchange().receive(answer(), { visit: "v1", linked: OLD, texts: NEW }), "taken");
  assert.equal(new Exchange().receive(answer({ texts: NEW }), { visit: "v0", linked: OLD, texts: NEW }), "taken");
});

test("a draft of fields with other names is none", () => {
  const draft = { visit: "v0", linked: { source: "old" }, texts: { source: "new" } };
  assert.equal(new Exchange().receive(answer(), draft), "taken");
});

test("after a forgotten message the fields hear Python again", () => {
  const exchange = opened();
  exchange.edit(NEW);
  exchange.message(true);
  const other = { a: "other", b: "" };
  assert.equal(exchange.receive(answer({ texts: other, linked: other, visit: "v2" })), "taken");
  assert.equal(exchange.receive(answer({ visit: "v2" })), "taken");
  assert.deepEqual(exchange.texts, OLD);
});

test("line breaks of other systems make no draft", () => {
  const exchange = new Exchange();
  const texts = { a: "one\r\ntwo\rthree", b: "" };
  exchange.receive(answer({ texts, linked: texts }));
  assert.deepEqual(exchange.texts, { a: "one\ntwo\nthree", b: "" });
  assert.equal(exchange.draft, null);
});

test("a text is unsent until it is in a message, whose number is known before", () => {
  const exchange = new Exchange();
  assert.equal(exchange.unsent, false);
  exchange.edit({ a: "dogs" });
  assert.equal(exchange.unsent, true);
  const { next } = exchange;
  assert.equal(exchange.message(true).number, next);
  assert.equal(exchange.unsent, false);
  assert.equal(exchange.unsettled, true);
});
