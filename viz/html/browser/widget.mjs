// The notebook's side of `headlight.Widget`: fields for the texts, and the page in a frame, which loads nothing. Every
// trait that the page's selection has is set from either side.

/**
 * The part of anywidget's model that is used.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(names: string, callback: () => void) => void} on
 * @property {(names: string, callback: () => void) => void} off
 */

const QUIET = 400; // milliseconds after the last key
const NONE = -1; // how the page writes that no token is pinned
const SHARED = ["view", "layer", "head", "query", "key", "links"];

/** The state of the traits in the page's form. @param {Model} model */
function stateOf(model) {
  const [view, layer, head, query, key] = SHARED.map((name) => model.get(name));
  return { view, layer, head, query: query ?? NONE, key: key ?? NONE };
}

/** Whether the notebook is dark, by the colour of its text. @param {HTMLElement} el */
function themeOf(el) {
  const [red, green, blue] = (getComputedStyle(el).color.match(/[\d.]+/g) ?? []).map(Number);
  return red + green + blue > 382 ? "dark" : "light";
}

/** Set the traits from the page. @param {Model} model @param {Record<string, any>} state */
function setState(model, { view, layer, head, query, key, cut }) {
  const isPinned = (/** @type {number} */ position) => (position === NONE ? null : position);
  const values = { view, layer, head, query: isPinned(query), key: isPinned(key) };
  const links = cut === undefined ? {} : { links: cut.split("_").filter(Boolean) };
  for (const [name, value] of Object.entries({ ...values, ...links })) model.set(name, value);
  model.save_changes();
}

/** @param {Model} model @param {number} index of the text @param {() => void} typed */
function fieldOf(model, index, typed) {
  const field = document.createElement("input");
  field.type = "text";
  field.placeholder = index ? "Sentence B, or nothing" : "A sentence";
  field.ariaLabel = `Sentence ${"AB"[index]}`;
  field.value = model.get("texts")[index] ?? "";
  field.addEventListener("input", typed);
  return field;
}

/** @param {{ model: Model, el: HTMLElement }} given */
function render({ model, el }) {
  const closing = new AbortController();
  let timer = 0;
  const fields = [0, 1].map((index) =>
    fieldOf(model, index, () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        const [a, b] = fields.map(({ value }) => value);
        model.set("texts", b.trim() ? [a, b] : [a]);
        model.save_changes();
      }, QUIET);
    }),
  );
  const texts = document.createElement("div");
  texts.className = "headlight-texts";
  texts.hidden = !model.get("takes_texts");
  texts.append(...fields);
  const message = document.createElement("p");
  message.className = "headlight-message";
  message.role = "status";
  const frame = document.createElement("iframe");
  frame.title = "Headlight";
  frame.sandbox.value = "allow-scripts allow-downloads";
  el.classList.add("headlight-widget");
  el.replaceChildren(texts, message, frame);

  let isNew = true; // the page has not been sent its theme
  const showPage = () => {
    isNew = true;
    frame.srcdoc = model.get("page");
  };
  const showMessage = () => (message.textContent = model.get("message"));
  const sendState = () => frame.contentWindow?.postMessage({ headlight: stateOf(model) }, "*");
  const showTexts = () => {
    const given = model.get("texts");
    if (!fields.some((field) => field === document.activeElement)) {
      fields.forEach((field, index) => (field.value = given[index] ?? ""));
    }
  };
  window.addEventListener(
    "message",
    ({ source, data }) => {
      if (source !== frame.contentWindow || !data?.headlight) return;
      if (isNew) frame.contentWindow?.postMessage({ headlight: { ...stateOf(model), theme: themeOf(el) } }, "*");
      else setState(model, data.headlight);
      isNew = false;
    },
    { signal: closing.signal },
  );
  const names = SHARED.map((name) => `change:${name}`).join(" ");
  model.on("change:page", showPage);
  model.on("change:message", showMessage);
  model.on("change:texts", showTexts);
  model.on(names, sendState);
  showPage();
  showMessage();
  return () => {
    closing.abort();
    model.off("change:page", showPage);
    model.off("change:message", showMessage);
    model.off("change:texts", showTexts);
    model.off(names, sendState);
  };
}

export default { render };
