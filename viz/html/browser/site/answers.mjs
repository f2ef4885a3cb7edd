// Answers of typed texts in the page: they become templates of it, as those of the example are.
import { element } from "../../../components/shared/elements.mjs";
import { tokenRows } from "./token_rows.mjs";
/** @import { Filled } from "../contents.mjs" */

/** Add an answer to the page, in place of the one of its name. @param {string} name @param {Filled} filled */
export function addAnswer(name, { html, charts, words, reading, changes }) {
  const made = element("template");
  made.dataset.answer = name;
  made.innerHTML = html; // from Python, without a word of the text
  const texts = document.createTreeWalker(made.content, window.NodeFilter.SHOW_TEXT);
  const withWords = (/** @type {string} */ text) => text.replace(/\{(\w+)\}/g, (whole, word) => words[word] ?? whole);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    text.data = withWords(text.data);
  }
  if (reading && changes) made.content.querySelector(".token-rows")?.replaceWith(tokenRows(reading, changes));
  for (const figure of made.content.querySelectorAll("figure")) figure.ariaLabel = withWords(figure.ariaLabel ?? "");
  for (const script of made.content.querySelectorAll("script")) {
    script.type = "application/json";
    script.textContent = JSON.stringify(charts[script.dataset.plot ?? ""]);
  }
  document.querySelector(`template[data-answer="${CSS.escape(name)}"]`)?.remove();
  document.body.append(made);
}
