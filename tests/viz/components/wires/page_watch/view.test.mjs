import assert from "node:assert/strict";
import { test } from "node:test";
import { themeOf } from "../../../../../viz/components/wires/page_watch/view.mjs";

test("the theme follows from the background", () => {
  assert.equal(themeOf("rgb(15, 17, 23)"), "dark");
  assert.equal(themeOf("rgb(255, 255, 255)"), "light");
  assert.equal(themeOf("rgba(200, 240, 255, 0.5)"), "light");
});
