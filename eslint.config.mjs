// Rules for JavaScript: what runs in the browser, and its tests, which run in Node.
import js from "@eslint/js";

// Only what is used is listed: `name`, `event` or `top` without a declaration is then an error, not window.name.
const browser = [
  ...[
    "document",
    "window",
    "console",
    "performance",
    "requestAnimationFrame",
    "getComputedStyle",
    "structuredClone",
    "setTimeout",
    "queueMicrotask",
  ],
  ...[
    "addEventListener",
    "removeEventListener",
    "AbortController",
    "Blob",
    "CSS",
    "ImageData",
    "JSON",
    "KeyboardEvent",
    "MouseEvent",
  ],
  ...["clearTimeout", "crypto", "CSSStyleSheet", "CustomEvent", "DOMException", "Event", "EventTarget", "fetch"],
  ...[
    "Document",
    "Element",
    "HTMLElement",
    "MessageChannel",
    "CompressionStream",
    "Worker",
    "DecompressionStream",
    "FormData",
    "HTMLButtonElement",
    "HTMLInputElement",
    "HTMLScriptElement",
    "HTMLSelectElement",
    "HTMLTemplateElement",
    "HTMLTextAreaElement",
    "MutationObserver",
    "Response",
    "atob",
    "ResizeObserver",
    "ShadowRoot",
    "SVGElement",
    "TextDecoder",
    "TextEncoder",
    "URLSearchParams",
    "URL",
  ],
];
const tests = [
  ...["AbortController", "DOMException", "Event", "EventTarget", "ReadableStream", "Response"],
  ...["TextEncoder", "URLSearchParams"],
];

const readonly = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

const rules = {
  curly: ["error", "multi-line"],
  eqeqeq: "error",
  "no-implicit-globals": "error",
  "no-shadow": ["error", { builtinGlobals: true }],
  "no-use-before-define": ["error", { functions: false, classes: false }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

export default [
  { ignores: [".venv/", "site/", "viz/html/*.js", "viz/components/views.js"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  { rules },
  {
    files: ["viz/components/**/*.mjs", "viz/html/browser/**/*.mjs"],
    languageOptions: { globals: readonly(browser) },
  },
  {
    files: ["viz/html/browser/site/*.mjs"],
    languageOptions: { globals: readonly(["caches", "navigator", "Request", "TransformStream", "WebAssembly"]) },
  },
  {
    files: ["viz/html/bundle.mjs"],
    languageOptions: { globals: readonly(["process"]) },
  },
  {
    files: ["viz/components/bertviz/*.js", "bench/*.js"],
    languageOptions: {
      sourceType: "script",
      globals: readonly([...browser, "HTMLCanvasElement", "HTMLIFrameElement", "KeyboardEvent"]),
    },
  },
  {
    files: ["tests/**/*.mjs"],
    languageOptions: { globals: readonly(tests) },
  },
];
