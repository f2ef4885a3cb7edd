// @ts-check
// Runs in every page of the benchmark before the page's own scripts: counts what the server sends, and tells when a
// picture is painted.

/**
 * What the benchmark reads when a picture is painted.
 * @typedef {{ seconds: number, bytes: number }} Painted
 */

/**
 * An element that Plotly draws in; `calcdata` is set when it has.
 * @typedef {HTMLElement & {
 *   calcdata?: object,
 *   data: Record<"x" | "y" | "z" | "text", unknown>[],
 *   layout: { annotations?: { text: string }[] },
 * }} Chart
 */

/**
 * The length of every frame in milliseconds, and every token that was hovered.
 * @typedef {{ lengths: number[], hovered: Set<string | undefined> }} Frames
 */

(() => {
  if (window !== window.top) return;
  const LEAST_COLOURS = 8; // of letters with smooth edges

  /**
   * The first match under a node, shadow roots included.
   * @param {ParentNode} node
   * @param {string} selector
   * @returns {HTMLElement | null}
   */
  function within(node, selector) {
    const found = node.querySelector(selector);
    if (found instanceof HTMLElement) return found;
    for (const { shadowRoot } of node.querySelectorAll("*")) {
      const inside = shadowRoot && within(shadowRoot, selector);
      if (inside) return inside;
    }
    return null;
  }

  /** @param {string} key of Streamlit's, or the class of an element of a page without a server */
  const rootOf = (key) => {
    const holder = document.querySelector(`.st-key-${key}, .${key}`);
    return holder && within(holder, "[data-painted]");
  };

  /** @param {string} key */
  const painted = (key) => rootOf(key)?.dataset.painted ?? "";

  /**
   * A view of the page's one run, or of both where it has two.
   * @param {string} view
   */
  function paintedRuns(view) {
    const apart = ["A", "B"].map((place) => painted(`${view}_${place}`));
    return painted(`${view}_pair`) || (apart.every(Boolean) ? apart.join(" ") : "");
  }

  /** BertViz draws all its lines in one go, under an element whose id is new in every document. */
  function bertviz() {
    const frame = document.querySelector("[data-testid=stIFrame]");
    const inside = frame instanceof HTMLIFrameElement ? frame.contentDocument : null;
    const drawing = inside?.querySelector("[id^=bertviz-]");
    return drawing?.querySelector("svg line, svg path") ? drawing.id : "";
  }

  function strip() {
    const holder = document.querySelector(".st-key-strip_0");
    return (holder && within(holder, ".strip")?.textContent) ?? "";
  }

  /** The heat maps of a page without a server. */
  const siteMaps = () =>
    [...document.querySelectorAll(".picture .cell_map")]
      .map((view) => view.shadowRoot?.querySelector("[data-painted]"))
      .map((root) => (root instanceof HTMLElement && root.dataset.painted) || "");

  /**
   * The letters of the first text that a heat map shows: its tokens without what frames and joins them.
   * @param {string} shown what it has painted
   */
  function typedText(shown) {
    const [id] = shown.split("|");
    const { messages } = /** @type {any} */ (window)[Symbol.for("headlight.store")] ?? {};
    const { labels = [], b_start: end } = messages?.get(id)?.message.extras ?? {};
    return labels
      .slice(1, (end ?? labels.length) - 1)
      .map((/** @type {string} */ label) => label.replace(/^##/, ""))
      .join("");
  }

  /**
   * The numbers and words of a chart, once Plotly has drawn them: Streamlit draws the same chart several times.
   * @param {string} key
   */
  function chart(key) {
    const plot = /** @type {Chart | null} */ (document.querySelector(`.st-key-${key} .js-plotly-plot`));
    if (!plot?.calcdata) return "";
    const { data, layout } = plot;
    return JSON.stringify([
      data.map(({ x, y, z, text }) => [x, y, z, text]),
      layout.annotations?.map(({ text }) => text),
    ]);
  }

  /** Where the map of a word has its first point: the numbers of thousands would take longer to compare. */
  function firstOccurrence() {
    const rail = document.querySelector(".js-plotly-plot .slider-container");
    const plot = /** @type {Chart | null | undefined} */ (rail?.closest(".js-plotly-plot"));
    const [first] = plot?.calcdata ? plot.data : [];
    return first ? JSON.stringify([first.x, first.y].map((places) => /** @type {number[]} */ (places)[0])) : "";
  }

  /** The first rows of the first table in sight, as a number; empty until they are painted. */
  function tableRows() {
    const canvases = [...document.querySelectorAll("[data-testid=stDataFrame] canvas")];
    const canvas = canvases.find((each) => each.checkVisibility());
    const context = canvas instanceof HTMLCanvasElement && canvas.width ? canvas.getContext("2d") : null;
    if (!canvas || !context) return "";
    const { data } = context.getImageData(0, 40, context.canvas.width, 100); // below the header
    const colours = new Set();
    let sum = 0;
    for (let index = 0; index < data.length; index += 4) {
      const grey = data[index] + data[index + 1] + data[index + 2];
      colours.add(grey);
      sum = (sum * 31 + grey) % 2147483647;
    }
    return colours.size > LEAST_COLOURS ? String(sum) : "";
  }

  /**
   * What each kind of picture shows now, as a text that changes with it; empty while there is none.
   * @type {Record<string, () => string>}
   */
  const pictures = {
    "heat map": () => paintedRuns("cell_map"),
    "head view": () => paintedRuns("head_view"),
    "model view": () => paintedRuns("model_view"),
    map: () => paintedRuns("map"),
    bare: () => painted("bare"),
    "card details": () =>
      within(document, ".details table") ? (within(document, ".details h3")?.textContent ?? "") : "",
    "found sentences": () => within(document, ".search [role=status]")?.textContent ?? "",
    "ranked heads": () => within(document, ".linking ol")?.textContent ?? "",
    "word lens": () => chart("lens_sense-map"), // in a fold, which the links of bench/lens.py open
    predictions: () => chart("predictions_probabilities_pair"),
    why: () => chart("why_words"),
    "why here": () => chart("why_here_score-terms-query_pair"),
    routes: () => painted("routes"),
    cut: () => document.querySelector(".st-key-cuts [data-testid=stMarkdownContainer] strong")?.textContent ?? "",
    "similar because": () => chart("similar_similar-because-pairs"),
    compare: () => chart("compare_attention-difference"),
    "word map": firstOccurrence,
    bertviz,
    strip,
    table: tableRows,
    "typed text": () => typedText(painted("cell_map_pair")),
    "typed source": () => typedText(painted("decoder_heat_map")),
    site: () => siteMaps().join(" "),
    "site text": () => typedText(siteMaps()[0] ?? ""),
    inputs: () => (within(document, "textarea") ? "there" : ""),
    text: () => document.querySelector("[data-testid=stMarkdownContainer]")?.textContent ?? "",
  };

  /**
   * Whether a picture shows a text, whatever spaces and letters' case.
   * @param {string} kind
   * @param {string} wanted
   */
  const shows = (kind, wanted) => pictures[kind]() === wanted.toLowerCase().replaceAll(/\s/g, "");

  /**
   * Call back with the time in the second frame after the picture was seen to be the one that is waited for.
   * @param {() => boolean} isPainted
   * @param {(now: number) => void} callback
   */
  function whenPainted(isPainted, callback) {
    if (isPainted()) requestAnimationFrame(() => requestAnimationFrame(() => callback(performance.now())));
    else requestAnimationFrame(() => whenPainted(isPainted, callback));
  }

  const bench = {
    bytes: 0,
    /** @type {Painted | null} */
    done: null,
    /** @type {Frames | null} */
    frames: null,
    pictures,

    /** What the page shows when its script failed. */
    failed: () => document.querySelector("[data-testid=stException]")?.textContent ?? "",

    shows,

    /**
     * Measure the time from the next click or key, from a text that is put into a field, or from the end of a drag, until
     * another picture of that kind is painted, or the wanted one: `bench.done`.
     * @param {string} kind
     * @param {string} key "input" for a text as a whole, "mouseup" for a drag
     * @param {string} wanted
     */
    arm: (kind, key = "Enter", wanted = "") => {
      const before = pictures[kind]();
      const isPainted = () => (wanted ? shows(kind, wanted) : !["", before].includes(pictures[kind]()));
      const types = ["input", "mouseup"].includes(key) ? [key] : ["click", "keydown"];
      const { bytes } = bench;
      bench.done = null;
      /** @param {Event} event */
      const begin = (event) => {
        if (event instanceof KeyboardEvent && event.key !== key) return;
        for (const type of types) removeEventListener(type, begin, true);
        whenPainted(isPainted, (now) => (bench.done = { seconds: (now - event.timeStamp) / 1e3, bytes }));
      };
      for (const type of types) addEventListener(type, begin, true);
    },

    /**
     * Measure the time from the next click or key until the view with that key of Streamlit's notes another picture, and
     * the frame with it is over: `bench.done`.
     * @param {string} key
     */
    armChange: (key) => {
      const root = rootOf(key);
      if (!root) throw new Error(`There is no picture in ${key}.`);
      const { bytes } = bench;
      let start = 0;
      bench.done = null;
      /** @param {Event} event */
      const begin = (event) => {
        start ||= event.timeStamp;
        for (const type of ["click", "keydown"]) removeEventListener(type, begin, true);
      };
      for (const type of ["click", "keydown"]) addEventListener(type, begin, true);
      const observer = new MutationObserver(() => {
        observer.disconnect();
        const { port1, port2 } = new MessageChannel(); // a message comes when the frame is over
        port1.onmessage = () => (bench.done = { seconds: (performance.now() - start) / 1e3, bytes });
        port2.postMessage(null);
      });
      observer.observe(root, { attributeFilter: ["data-painted"] });
    },

    /**
     * Note the moment, in seconds since 1970, at which the first picture of that kind is painted.
     * @param {string} kind
     */
    first: (kind) => {
      bench.done = null;
      const isPainted = () => pictures[kind]() !== "";
      whenPainted(isPainted, (now) => (bench.done = { seconds: (performance.timeOrigin + now) / 1e3, bytes: 0 }));
    },

    /**
     * Note the length of every frame from now on, and how often the hovered token changed.
     * @param {string} key
     */
    watchFrames: (key) => {
      /** @type {Frames} */
      const frames = (bench.frames = { lengths: [], hovered: new Set() });
      let before = performance.now();
      /** @param {number} now */
      const note = (now) => {
        if (bench.frames !== frames) return;
        frames.lengths.push(now - before);
        frames.hovered.add(rootOf(key)?.dataset.hovered);
        before = now;
        requestAnimationFrame(note);
      };
      requestAnimationFrame(note);
    },

    stopFrames: () => {
      const { lengths, hovered } = /** @type {Frames} */ (bench.frames);
      bench.frames = null;
      return { lengths: lengths.slice(1), hovered: hovered.size }; // the first is no whole frame
    },

    /**
     * What a view shows as hovered, after three more frames.
     * @param {string} key
     */
    hovered: async (key) => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      return rootOf(key)?.dataset.hovered ?? "";
    },

    /**
     * Where a view is.
     * @param {string} key
     */
    box: (key) => {
      const { x, y, width, height } = /** @type {HTMLElement} */ (rootOf(key)).getBoundingClientRect();
      return { x, y, width, height };
    },
  };

  window.WebSocket = class extends window.WebSocket {
    /** @param {ConstructorParameters<typeof WebSocket>} options */
    constructor(...options) {
      super(...options);
      this.addEventListener("message", ({ data }) => {
        bench.bytes += data.byteLength ?? data.size ?? data.length;
      });
    }
  };
  Object.assign(window, { bench });
})();
