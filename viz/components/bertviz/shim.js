// Headlight's: what BertViz expects around it. require.js would load d3 and jQuery from a CDN; here both are inline.

/**
 * The part of d3 that is changed.
 * @typedef {object} D3
 * @property {{ ordinal: () => Scale, category10: () => Scale }} scale
 * @property {(count: number) => number[]} range
 * @property {string[]} [schemeCategory10]
 */

/**
 * @typedef {object} Scale
 * @property {(values: number[]) => Scale} domain
 * @property {(colours: string[]) => Scale} range
 */

(function () {
  "use strict";
  const page = /** @type {Window & { d3: D3, jQuery: unknown }} */ (/** @type {unknown} */ (window));
  const { colours, n_heads: nHeads } = /** @type {{ colours: string[], n_heads: number }} */ (
    JSON.parse(/** @type {HTMLElement} */ (document.getElementById("settings")).textContent ?? "")
  );
  const { d3, jQuery } = page;
  /** @type {Record<string, unknown>} */
  const libraries = { jquery: jQuery, d3 };
  Object.assign(page, {
    require: { config() {} },
    /** @type {(names: string[], run: (...found: unknown[]) => void) => void} */
    requirejs: (names, run) => run(...names.map((name) => libraries[name])),
  });

  // BertViz asks for d3's ten category colours: by scale in the head view, by list (d3 3 has none) in the model view.
  d3.scale.category10 = () => d3.scale.ordinal().domain(d3.range(nHeads)).range(colours);
  d3.schemeCategory10 = colours.slice(0, 10);
})();
