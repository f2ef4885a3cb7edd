// Headlight's: what BertViz leaves out, added after each of its drawings. Its own elements keep their handlers.
(function () {
  "use strict";
  /** @param {string} id */
  const partOf = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  const { view, colours } = /** @type {{ view: "head_view" | "model_view", colours: string[] }} */ (
    JSON.parse(partOf("settings").textContent ?? "")
  );
  const SVG = "http://www.w3.org/2000/svg";
  const vis = partOf("vis");

  /**
   * @template {keyof SVGElementTagNameMap} Name
   * @param {Name} name
   * @param {Record<string, string | number>} attributes
   * @param {string} text
   */
  function element(name, attributes, text = "") {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.textContent = text;
    return made;
  }

  /**
   * Black or white, whichever reads better (WCAG 2 relative luminance; both contrasts are equal at 0.179).
   * @param {string} colour "#rrggbb"
   */
  function inkOn(colour) {
    const [red, green, blue] = [1, 3, 5].map((start) => {
      const part = parseInt(colour.slice(start, start + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
  }

  /**
   * The boxes above the head view: numbers, because colour alone says too little; keys; the state for all to read.
   * @param {SVGSVGElement} svg
   */
  function nameHeadBoxes(svg) {
    const group = /** @type {SVGGElement} */ (svg.lastElementChild);
    const columns = 335; // as wide as page.css makes the drawing
    const boxes = [...group.querySelectorAll("rect")];
    group.setAttribute(
      "transform",
      `translate(${(columns - boxes.length * Number(boxes[0].getAttribute("width"))) / 2}, 0)`,
    );
    boxes.forEach((box, head) => {
      const name = `Head ${head}`;
      const hint = `${name}: click to show or hide, double-click for this head alone`;
      box.classList.add("head-box");
      for (const [key, value] of Object.entries({ role: "checkbox", tabindex: "0", "aria-label": name })) {
        box.setAttribute(key, value);
      }
      box.append(element("title", {}, hint));
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        box.dispatchEvent(new MouseEvent("click"));
      });
      const [x, y, width, height] = ["x", "y", "width", "height"].map((key) => Number(box.getAttribute(key)));
      const number = element("text", { class: "head-number", x: x + width / 2, y: y + height / 2 }, String(head));
      number.style.setProperty("--ink", inkOn(colours[head % colours.length]));
      group.append(number);
    });
    showHeadStates();
  }

  /** BertViz shows by the fill of its box only whether a head is on. */
  function showHeadStates() {
    const boxes = [...vis.querySelectorAll(".head-box")];
    const numbers = [...vis.querySelectorAll(".head-number")];
    boxes.forEach((box, head) => {
      const on = box.getAttribute("fill") === colours[head % colours.length];
      box.setAttribute("aria-checked", String(on));
      numbers[head].classList.toggle("off", !on);
    });
  }

  /**
   * The model view is drawn 970 pixels wide; a view box lets it fill its frame.
   * @param {SVGSVGElement} svg
   */
  function scaleModelView(svg) {
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
    svg.setAttribute("preserveAspectRatio", "xMidYMin meet");
    for (const background of svg.querySelectorAll(".attn_background")) {
      background.parentElement?.lastElementChild?.append(element("title", {}, "Click to enlarge, again to close"));
    }
  }

  function decorate() {
    const svg = vis.querySelector("svg");
    if (!svg) return;
    if (view === "head_view") nameHeadBoxes(svg);
    else scaleModelView(svg);
  }

  decorate();
  new MutationObserver(decorate).observe(vis, { childList: true });
  if (view === "head_view") {
    const fills = { subtree: true, attributes: true, attributeFilter: ["fill"] };
    new MutationObserver(showHeadStates).observe(vis, fills);
  }
})();
