import assert from "node:assert/strict";
import { test } from "node:test";
import { CanvasPainter } from "../../../../viz/components/shared/canvas_painter.mjs";
import { SvgPainter, escaped } from "../../../../viz/components/shared/svg_painter.mjs";

test("both painters have the same methods", () => {
  /** @param {Function} painter */
  const calls = (painter) => Object.getOwnPropertyNames(painter.prototype).filter((name) => name !== "toString");
  assert.deepEqual(calls(CanvasPainter).sort(), calls(SvgPainter).sort());
});

test("text in SVG is escaped, and what XML forbids is replaced", () => {
  assert.equal(escaped('a"b&c<d>'), "a&quot;b&amp;c&lt;d&gt;");
  assert.equal(escaped("\ud800\uffff\u0000"), "\ufffd\ufffd\ufffd");
});

test("SVG has what was drawn, with two digits", () => {
  const painter = new SvgPainter(100, 80, "#ffffff", "serif");
  painter.lines([0, 0, 10, 10, 5, 5, 20.006, 5], { colour: "#112233", alpha: 0.5, width: 2 });
  painter.lines([0, 0, 10, 10], { colour: "#112233", bend: 0.4 });
  painter.turned(3, 4, -45, () => painter.text(1, 2, "flies", { colour: "#000000", align: "end" }));
  painter.clip(0, 0, 5, 5, () => painter.rect(1, 1, 2, 2, { stroke: "#445566" }));
  const svg = painter.toString();
  const paths = [...svg.matchAll(/ d="([^"]*)"/g)].map((match) => match[1]);
  assert.deepEqual(paths, ["M0 0L10 10M5 5L20.01 5", "M0 0C4 0 6 10 10 10"]);
  assert.match(
    svg,
    /<g transform="translate\(3 4\) rotate\(-45\)"><text x="1" y="2"[^>]* text-anchor="end"[^>]*>flies</,
  );
  assert.match(
    svg,
    /<g clip-path="url\(#clip0\)"><rect x="1"[^>]* fill="none"[^>]* stroke="#445566"[^>]*\/><\/g><\/svg>$/,
  );
});
