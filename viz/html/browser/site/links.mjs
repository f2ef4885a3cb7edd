// The page's address: what the page shows, by the names and in the spelling of the app's links (`viz/state/fields.py`).
// The page writes it behind "#", which browsers do not send; it reads what the app writes behind "?" as well.
import { MEAN } from "../../../components/shared/selection.mjs";
/** @import { Selection } from "../../../components/shared/types.mjs" */
/** @import { Field, Link } from "../contents.mjs" */

/**
 * What an address asks for, and a remark on what of it the page does not have; null if it names nothing.
 * @param {{ hash: string, search: string }} address @param {readonly Field[]} fields
 */
export function linkIn({ hash, search }, fields) {
  const given = new URLSearchParams(hash.slice(1) || search);
  if (!fields.some(({ name }) => given.has(name))) return null;
  /** @type {Link} */
  const link = Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
  if (given.has("a")) link.b = ""; // a visitor's text never comes with the example's other sentence
  const missing = [];
  for (const { name, pattern, title } of fields) {
    const text = given.get(name) ?? link[name];
    if (new RegExp(`^(?:${pattern})$`, "s").test(text)) link[name] = text;
    else if (title) missing.push(`the ${title} “${text}”`);
  }
  if (!missing.length) return { link, remark: "" };
  const remark = `The link asks for ${missing.join(" and ")}, which this page does not have: it shows the heat map.`;
  return { link: { ...link, view: "heat map" }, remark };
}

/** The address of a link, without "#". @param {Link} link @param {readonly Field[]} fields */
export function addressOf(link, fields) {
  const written = fields.filter(({ name, omitted }) => name in link && link[name] !== omitted);
  return String(new URLSearchParams(written.map(({ name }) => [name, link[name]])));
}

/** What a link selects. @param {Link} link @param {Selection} like a selection, whose numbers are negative for nothing */
export function selectionIn(link, like) {
  const values = Object.entries(like).map(([name, value]) => {
    if (typeof value !== "number") return [name, link[name]];
    return [name, /^\d/.test(link[name]) ? Number(link[name]) : -1];
  });
  return /** @type {Selection} */ (Object.fromEntries(values));
}

/** A selection as a link writes it. @param {Selection} selection @returns {Link} */
export function linkOf(selection) {
  const texts = Object.entries(selection).map(([name, value]) => [name, value === -1 ? "" : String(value)]);
  return { ...Object.fromEntries(texts), ...(selection.head === MEAN && { head: "mean" }) };
}
