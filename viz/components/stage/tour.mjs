// Steps through a tour, and the texts of the speaker's window.
/** @import { Notes } from "./speaker.mjs" */

/**
 * @typedef {{ title: string, question: string, answer: string, notes: string }} Stop missing texts are ""
 */

/**
 * Where a talk is: at a stop, counted from 1, whose question is answered or still open.
 * @typedef {{ at: number, answered: boolean }} Visit
 * @typedef {Visit & { title: string, stops: Stop[], next_picture: string }} Tour
 *   with the address of the next stop's picture; "" for none
 */

/**
 * The next visit: from a question to its answer, then to the next stop; backwards in reverse. Null at both ends.
 * @param {Stop[]} stops @param {Visit} visit
 * @param {number} by 1 on, -1 back
 * @returns {Visit | null}
 */
export function nextVisit(stops, { at, answered }, by) {
  const { question } = stops[at - 1];
  if (question && answered === by < 0) return { at, answered: !answered };
  const next = at + by;
  return stops[next - 1] ? { at: next, answered: by < 0 || !stops[next - 1].question } : null;
}

/**
 * The place in a talk for its audience, "3 of 11"; with the last answer, that it ends.
 * @param {Visit} visit @param {number} count of stops
 */
export function progressOf({ at, answered }, count) {
  return `${at} of ${count}${answered && at === count ? " · the end" : ""}`;
}

/**
 * What the speaker's window shows of a visit.
 * @param {Tour} tour
 * @param {string} seen the line that the audience sees
 * @returns {Notes}
 */
export function notesOf({ stops, at, answered, next_picture: picture }, seen) {
  const { title, question, answer, notes } = stops[at - 1];
  const isAsking = question !== "" && !answered;
  const after = stops[at];
  const next = after ? after.title : "the end";
  return {
    place: `Stop ${at} of ${stops.length}${isAsking ? " · question" : ""}`,
    ...{ title, seen, question, answer: isAsking ? "" : answer, notes },
    next: isAsking ? `the answer: ${answer}` : next,
    next_question: isAsking || !after ? "" : after.question,
    next_picture: isAsking ? "" : picture,
  };
}
