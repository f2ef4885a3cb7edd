// A picture's numbers as a table, for screen readers and copying.
import { element } from "./elements.mjs";
/** @import { Table } from "./types.mjs" */

/** The table twin of a picture, initially closed. */
export class TableTwin {
  /** @param {() => Table | null} content called while the table is open; null without content */
  constructor(content) {
    this.content = content;
    this.root = element("details", "twin quiet", element("summary", "", "As a table"));
    this.root.addEventListener("toggle", () => this.update());
  }

  /** Bring an open table up to date. */
  update() {
    this.root.querySelector("table")?.remove();
    const content = this.root.open ? this.content() : null;
    if (content) this.root.append(tableElement(content));
  }
}

/** @param {Table} content */
export function tableElement({ caption, header, rows }) {
  const table = element("table", "table", element("caption", "", caption));
  table
    .createTHead()
    .insertRow()
    .append(...header.map((name) => headerCell(name, "col")));
  const body = table.createTBody();
  for (const [name, ...cells] of rows) {
    body.insertRow().append(headerCell(name, "row"), ...cells.map((cell) => element("td", "", cell)));
  }
  return table;
}

/** @param {string} text @param {"col" | "row"} scope */
function headerCell(text, scope) {
  const cell = element("th", "", text);
  cell.scope = scope;
  return cell;
}
