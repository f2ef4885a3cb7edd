// Headlight's: what BertViz expects around it. require.js would load d3 and jQuery from a CDN; here both are inline.
(function () {
  "use strict";
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const globals = { jquery: window.jQuery, d3: window.d3 };
  window.require = { config() {} };
  window.requirejs = (names, run) => run(...names.map((name) => globals[name]));

  // BertViz asks for d3's ten category colours: by scale in the head view, by list (d3 3 has none) in the model view.
  const { colours, n_heads: nHeads } = settings;
  d3.scale.category10 = () => d3.scale.ordinal().domain(d3.range(nHeads)).range(colours);
  d3.schemeCategory10 = colours.slice(0, 10);
})();
