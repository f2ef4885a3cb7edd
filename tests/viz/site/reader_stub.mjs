// Stands for `text_reader.mjs` and `next_task.mjs`, whose channel would keep Node running, in tests of the order of
// questions.
import { setTimeout as wait } from "node:timers/promises";

export class Refused extends Error {}
export const network = { works: true };
export const nextTask = () => wait(1);

const TOKENS = {
  ...{ ids: [1, 2], types: [0, 0], words: [null, "b"] },
  units: { labels: ["a", "b"], special: [true, false], b_start: null },
};

export class TextReader {
  load = async () => {};
  tokenizer = async () => {};
  movementOf = async () => [];
  lensOf = async () => ({});
  readingOf = async () => ({});

  /** @param {object[]} runs */
  async textsOf(runs) {
    const profiles = [{ shape: [1, 5], values: new Float32Array(5) }];
    return runs.map((run) => ({ ...run, tokens: TOKENS, profiles, reading: { states: [0], layer: 0 } }));
  }

  /** @param {any} text @param {number} until @param {unknown} _ @param {(layer: number, messages: object) => Promise<boolean>} onLayer */
  async read({ reading }, until, _, onLayer) {
    for (; reading.layer <= until; reading.layer += 1) {
      await wait(1);
      if (!(await onLayer(reading.layer, {}))) return;
      reading.states.push(0);
    }
  }

  async answersOf() {
    if (!network.works) throw new Error("no network");
    return { tags: [], answers: {} };
  }

  /** @param {unknown} _ @param {unknown} __ @param {(removed: number, words: number) => boolean} onWord */
  async lossesOf(_, __, onWord) {
    await wait(1);
    return onWord(1, 1) ? { why: 1 } : {};
  }
}
