// The page's address: what the page shows, by the names and in the spelling of the app's links (`viz/state/fields.py`).
// The page writes it behind "#", which browsers do not send; it reads what the app writes behind "?" as well.
/** @import { Selection } from "../../../components/shared/types.mjs" */

/** @typedef {Record<string, string>} Link values by name */
/** @typedef {Record<string, readonly [initial: string, pattern: string, own?: string]>} Fields of a link, with what each can be, and what the page has where no link says it */

const NUMBERS = ["layer", "head", "query", "key", "at_a", "at_b"];
const SHARED = [...NUMBERS, "heads", "pinned_in", "sentences", "scale"]; // by all views

/** What an address asks for, or null if it names nothing. @param {{ hash: string, search: string }} address @param {Fields} fields */
export function linkIn({ hash, search }, fields) {
  const given = new URLSearchParams(hash.slice(1) || search);
  if (![...given.keys()].some((name) => Object.hasOwn(fields, name))) return null;
  const values = Object.entries(fields).map(([name, [initial, pattern, own = initial]]) => {
    const text = given.get(name) ?? (name === "b" && given.has("a") ? "" : own);
    return [name, new RegExp(`^(?:${pattern})$`, "su").test(text) ? text : initial];
  });
  return /** @type {Link} */ (Object.fromEntries(values));
}

/** @param {Link} link @returns {Selection} */
export function selectionIn(link) {
  const numberOf = (/** @type {string} */ text) => (/^\d/.test(text) ? Number(text) : -1); // the mean, or no token
  const values = SHARED.map((name) => [name, NUMBERS.includes(name) ? numberOf(link[name]) : link[name]]);
  return /** @type {Selection} */ (Object.fromEntries(values));
}

/** The address of what is set, without "#". @param {Link} settings @param {Selection} selection @param {Fields} fields */
export function addressOf(settings, selection, fields) {
  const shared = Object.entries(selection).map(([name, value]) => [name, value === -1 ? "" : String(value)]);
  const values = {
    ...Object.fromEntries(shared),
    head: selection.head < 0 ? "mean" : String(selection.head),
    ...settings,
  };
  const names = Object.keys(fields).filter(
    (name) => ["a", "b", "mode"].includes(name) || (values[name] ?? fields[name][0]) !== fields[name][0],
  );
  return String(new URLSearchParams(names.map((name) => [name, values[name]])));
}
