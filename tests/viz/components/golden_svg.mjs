// Compares what a view renders with an SVG file next to its tests. After an intended change record the files again:
// `RECORD_SVG=1 node --test 'tests/viz/components/**/*.test.mjs'`, and review the diff.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { SvgPainter } from "../../../viz/components/shared/svg_painter.mjs";
import { COLOURS } from "./recording_painter.mjs";
/** @import { Painter } from "../../../viz/components/shared/types.mjs" */

/** A canvas that appears in the SVG under a name instead of its pixels. @param {string} name */
export function namedCanvas(name) {
  return /** @type {HTMLCanvasElement} */ (/** @type {unknown} */ ({ toDataURL: () => name }));
}

/**
 * @param {string} url of the test module: import.meta.url
 * @param {string} state which names the file
 * @param {{ width: number, height: number }} size @param {(painter: Painter) => void} draw
 */
export function assertGolden(url, state, { width, height }, draw) {
  const painter = new SvgPainter(width, height, COLOURS.background, COLOURS.font);
  draw(painter);
  const svg = `${painter.toString().replaceAll("><", ">\n<")}\n`;
  const file = join(dirname(fileURLToPath(url)), "golden", `${state}.svg`);
  if (env.RECORD_SVG === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, svg);
    assert.fail(`${state}.svg is recorded; run again without RECORD_SVG`);
  }
  assert.equal(svg, readFileSync(file, "utf8"), `${state}.svg differs; see golden_svg.mjs`);
}
