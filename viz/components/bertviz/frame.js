// Headlight's: what BertViz leaves out, added after each of its drawings. Its own elements keep their handlers.
(function () {
  "use strict";
  const { view, colours } = JSON.parse(document.getElementById("settings").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const vis = document.getElementById("vis");

  function element(name, attributes, text = "") {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }

  /** Black or white, whichever reads better on "#rrggbb" (WCAG 2 relative luminance; both contrasts equal at 0.179). */
  function inkOn(colour) {
    const [red, green, blue] = [1, 3, 5].map((start) => {
      const part = parseInt(colour.slice(start, start + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
  }

  /** The boxes above the head view: numbers, because colour alone says too little; keys; the state for all to read. */
  function nameHeadBoxes(svg) {
    const group = svg.lastElementChild;
    const columns = 335; // as wide as page.css makes the drawing
    const boxes = [...group.querySelectorAll("rect")];
    group.setAttribute("transform", `translate(${(columns - boxes.length * boxes[0].getAttribute("width")) / 2}, 0)`);
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

  /** BertViz tells a head that is on from one that is off by the fill of its box only. */
  function showHeadStates() {
    const boxes = [...vis.querySelectorAll(".head-box")];
    const numbers = [...vis.querySelectorAll(".head-number")];
    boxes.forEach((box, head) => {
      const on = box.getAttribute("fill") === colours[head % colours.length];
      box.setAttribute("aria-checked", String(on));
      numbers[head].classList.toggle("off", !on);
    });
  }

  /** The model view is drawn 970 pixels wide; a view box lets it fill its frame. */
  function scaleModelView(svg) {
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
    svg.setAttribute("preserveAspectRatio", "xMidYMin meet");
    for (const background of svg.querySelectorAll(".attn_background")) {
      background.parentNode.lastElementChild.append(element("title", {}, "Click to enlarge, again to close"));
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
