import assert from "node:assert/strict";
import { test } from "node:test";
import { nextVisit, notesOf, progressOf } from "../../../../viz/components/stage/tour.mjs";

const ASKING = { title: "Twice", question: "Which?", answer: "Both.", notes: "Wait for the room." };
const TELLING = { title: "Left", question: "", answer: "", notes: "" };
const STOPS = [ASKING, TELLING, ASKING];

/** @param {number} by */
function walk(by) {
  const visits = [];
  let visit = by > 0 ? { at: 1, answered: false } : { at: 3, answered: true };
  for (let next = nextVisit(STOPS, visit, by); next; next = nextVisit(STOPS, visit, by)) {
    visit = next;
    visits.push([visit.at, visit.answered]);
  }
  return visits;
}

test("a question comes first, its answer with the next press", () => {
  assert.deepEqual(walk(1), [
    [1, true],
    [2, true],
    [3, false],
    [3, true],
  ]);
});

test("the audience sees the number of the stop, and the end with the last answer", () => {
  const last = { at: 3, answered: false };
  assert.equal(progressOf({ at: 1, answered: true }, 3), "1 of 3");
  assert.equal(progressOf(last, 3), "3 of 3");
  assert.equal(progressOf({ ...last, answered: true }, 3), "3 of 3 · the end");
});

test("the speaker reads the notes, and what the next press brings", () => {
  const tour = { title: "Flies", stops: STOPS, at: 1, answered: false, next_picture: "/still/1" };
  const asking = notesOf(tour, "layer 0");
  assert.deepEqual(asking, {
    place: "Stop 1 of 3 · question",
    title: "Twice",
    seen: "layer 0",
    question: "Which?",
    answer: "",
    notes: "Wait for the room.",
    next: "the answer: Both.",
    next_question: "",
    next_picture: "",
  });
  const before = notesOf({ ...tour, at: 2, answered: true }, "");
  assert.deepEqual([before.next, before.next_question], ["Twice", "Which?"]);
  assert.deepEqual(
    [notesOf({ ...tour, answered: true }, "").next, notesOf({ ...tour, at: 3, answered: true }, "").next],
    ["Left", "the end"],
  );
  const answered = notesOf({ ...tour, answered: true }, "");
  assert.deepEqual([answered.place, answered.question, answered.answer], ["Stop 1 of 3", "Which?", "Both."]);
  assert.equal(answered.next_picture, "/still/1");
});
