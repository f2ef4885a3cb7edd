// Runs in every page of the benchmark before the page's own scripts: counts what the server sends, and tells when a
// picture is painted.
(() => {
  if (window !== window.top) return;
  const bench = (window.bench = { bytes: 0, done: null, frames: null });
  bench.failed = () => document.querySelector("[data-testid=stException]")?.textContent ?? "";

  window.WebSocket = class extends window.WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        bench.bytes += data.byteLength ?? data.size ?? data.length;
      });
    }
  };

  /** The first match under a node, shadow roots included. */
  function within(node, selector) {
    const found = node.querySelector(selector);
    if (found) return found;
    for (const { shadowRoot } of node.querySelectorAll("*")) {
      const inside = shadowRoot && within(shadowRoot, selector);
      if (inside) return inside;
    }
    return null;
  }

  const numbers = new WeakMap();
  let last = 0;
  function numberOf(thing) {
    if (!numbers.has(thing)) numbers.set(thing, ++last);
    return numbers.get(thing);
  }

  const root = (key) => {
    const holder = document.querySelector(`.st-key-${key}`);
    return holder && within(holder, "[data-painted]");
  };
  const painted = (key) => root(key)?.dataset.painted ?? "";

  /** BertViz draws all its lines in one go, under an element whose id is new in every document. */
  function bertviz() {
    const inside = document.querySelector("[data-testid=stIFrame]")?.contentDocument;
    const drawing = inside?.querySelector("[id^=bertviz-]");
    return drawing?.querySelector("svg line, svg path") ? drawing.id : "";
  }

  function strip() {
    const holder = document.querySelector(".st-key-strip_0");
    return (holder && within(holder, ".strip")?.textContent) ?? "";
  }

  /** What each kind of picture shows now, as a text that changes with it; empty while there is none. */
  bench.pictures = {
    "heat map": () => painted("cell_map_pair"),
    "head view": () => painted("head_view_pair"),
    "model view": () => painted("model_view_pair"),
    map: () => painted("map_pair"),
    "word lens": () => {
      const points = document.querySelector(".st-key-lens_sense-map .js-plotly-plot")?.calcdata; // drawn last
      return points ? String(numberOf(points)) : "";
    },
    bertviz,
    strip,
    inputs: () => (document.querySelector("textarea") ? "there" : ""),
    text: () => document.querySelector("[data-testid=stMarkdownContainer]")?.textContent ?? "",
  };

  /** Call `then` with the time in the second frame after a picture of that kind was seen to be another than `before`. */
  function whenPainted(kind, before, then) {
    const now = bench.pictures[kind]();
    if (now && now !== before) {
      requestAnimationFrame(() => requestAnimationFrame(() => then(performance.now())));
    } else {
      requestAnimationFrame(() => whenPainted(kind, before, then));
    }
  }

  /** Take the time from the next click or Enter until another picture of that kind is painted: `bench.done`. */
  bench.arm = (kind) => {
    const before = bench.pictures[kind]();
    const bytes = bench.bytes;
    bench.done = null;
    const begin = (event) => {
      if (event.type === "keydown" && event.key !== "Enter") return;
      for (const type of ["click", "keydown"]) removeEventListener(type, begin, true);
      whenPainted(kind, before, (now) => (bench.done = { seconds: (now - event.timeStamp) / 1e3, bytes }));
    };
    for (const type of ["click", "keydown"]) addEventListener(type, begin, true);
  };

  /** Take the moment, in seconds since 1970, at which the first picture of that kind is painted. */
  bench.first = (kind) => {
    bench.done = null;
    whenPainted(kind, "", (now) => (bench.done = { seconds: (performance.timeOrigin + now) / 1e3, bytes: 0 }));
  };

  /** Note the length of every frame from now on, and how often the hovered token changed. */
  bench.watchFrames = (key) => {
    const frames = (bench.frames = { lengths: [], hovered: new Set() });
    let before = performance.now();
    const note = (now) => {
      if (bench.frames !== frames) return;
      frames.lengths.push(now - before);
      frames.hovered.add(root(key)?.dataset.hovered);
      before = now;
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  };

  bench.stopFrames = () => {
    const { lengths, hovered } = bench.frames;
    bench.frames = null;
    return { lengths: lengths.slice(1), hovered: hovered.size }; // the first is no whole frame
  };

  /** What a view shows as hovered, after three more frames. */
  bench.hovered = async (key) => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return root(key).dataset.hovered ?? "";
  };

  bench.box = (key) => {
    const { x, y, width, height } = root(key).getBoundingClientRect();
    return { x, y, width, height };
  };
})();
