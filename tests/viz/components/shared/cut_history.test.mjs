import assert from "node:assert/strict";
import { test } from "node:test";

import { CUT_HISTORY } from "../../../../viz/components/shared/cut_history.mjs";

test("cuts are undone one by one, and not beyond other texts", () => {
  for (const shown of ["", "A2-1", "A2-1", "A2-1_B2-1"]) CUT_HISTORY.note(shown ? "texts" : "", shown);
  assert.equal(CUT_HISTORY.undo(), "A2-1");
  CUT_HISTORY.note("texts", "A2-1"); // what undoing did is no change
  assert.deepEqual([CUT_HISTORY.undo(), CUT_HISTORY.undo()], ["", null]);
  CUT_HISTORY.note("texts", "A5-5");
  CUT_HISTORY.note("other texts", "");
  assert.equal(CUT_HISTORY.undo(), null);
});
