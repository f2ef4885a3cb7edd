// A text as aligned rows: the elements that `viz/html/token_rows.py` writes.
import { element } from "../../../components/shared/elements.mjs";
import { visibleIn } from "./tokens.mjs";
/** @import { Reading, ReadWord } from "./readings.mjs" */

const BLANK = "\u00a0";
const visible = (/** @type {string} */ text) => Array.from(text, visibleIn).join("");

/** @param {Reading} reading @param {Record<string, string>} changes their titles */
export function tokenRows({ texts, counts }, changes) {
  const shown = Object.keys(changes).filter((change) => counts[change]);
  const marks = shown.flatMap((change) => [
    element("mark", change, `${counts[change].toLocaleString("en")} ${changes[change]}`),
    " ",
  ]);
  const rows = texts.map((words) => {
    const names = ["typed", "normalised", "pieces", "ids", "words"].map((name) => element("span", "", name));
    const head = Object.assign(element("span", "", ...names), { dir: "ltr" });
    return Object.assign(element("div", "read-text", head, ...words.map((word) => wordOf(word, changes))), {
      dir: "auto",
    });
  });
  return element("div", "token-rows", element("p", "", ...marks), ...rows);
}

/** @param {ReadWord} word @param {Record<string, string>} changes */
function wordOf({ names, characters, pieces }, changes) {
  const typed = characters.map(({ typed: text, change }) =>
    change === "kept" ? text : Object.assign(element("mark", change, visible(text)), { title: changes[change] }),
  );
  const read = visible(characters.map((each) => each.read).join(""));
  const isSame = characters.every(({ change }) => change === "kept" || change === "unknown");
  const under = pieces.map(({ label, id, kind }) => element("span", kind, label, element("i", "", String(id))));
  const rows = [
    element("span", "", ...(typed.length ? typed : [BLANK])),
    element("span", isSame ? "same" : "", characters.length ? read || "∅" : BLANK),
    element("span", "", ...(under.length ? under : [element("span", "", BLANK, element("i", "", BLANK))])),
  ];
  const made = element("span", "", ...rows, element("b", "", names.map(visible).join(" ") || BLANK));
  if (!characters.length) made.dir = "ltr";
  return made;
}
