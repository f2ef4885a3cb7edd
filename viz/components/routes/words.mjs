// Texts of the routes.
import { MEAN, headInWords } from "../shared/selection.mjs";
/** @import { Table } from "../shared/types.mjs" */
/** @import { Line, RouteExtras } from "./scene.mjs" */

/** @param {number} count */
const grouped = (count) => count.toLocaleString("en");

/** A number with its sign. @param {number} value */
function signed(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toPrecision(2)}`;
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

/** @param {RouteExtras} extras @param {number} value of the output */
function outputOf({ unit }, value) {
  return unit === "probability" ? `${(100 * value).toFixed(0)} %` : value.toFixed(3);
}

/**
 * "40 of 3,528 links kept: “positive” 84 % (95 % with all, 20 % without these)".
 * @param {RouteExtras} extras @param {number} place among the counts
 * @param {readonly number[] | null} cut the output without so many links, if known
 */
export function keptSentence(extras, place, cut) {
  const { counts, kept, name } = extras;
  const [count, all] = [counts[place], counts.length - 1];
  const without = cut && counts[place] ? `, ${outputOf(extras, cut[place])} without these` : "";
  const whole = place === all ? "" : ` (${outputOf(extras, kept[all])} with all${without})`;
  return `${grouped(count)} of ${grouped(counts[all])} links kept: ${name} ${outputOf(extras, kept[place])}${whole}`;
}

/** How many links have no line, if any: only the strongest are sent. @param {number} count @param {number} sent */
export function undrawnNote(count, sent) {
  return count > sent ? `The strongest ${grouped(sent)} of them are drawn.` : "";
}

/** @param {RouteExtras} extras @param {number} unit */
export function tokenName({ labels, positions }, unit) {
  return `“${labels[unit]}” (${positions[unit][0]})`;
}

/** One sentence about a line. @param {RouteExtras} extras @param {Line} line */
export function lineSentence(extras, { layer, head, query, key, value, weight, links }) {
  const where = head === MEAN ? `layer ${layer}, all heads` : headInWords({ layer, head });
  const looks = `${tokenName(extras, query)} looks at ${tokenName(extras, key)}`;
  const how = links === 1 ? `weight ${weight.toFixed(3)}` : `${links} links`;
  const does = value < 0 ? "lowers" : "raises";
  const share = percent(Math.abs(value) / extras.total);
  return `In ${where}, ${looks} (${how}): ${does} ${extras.name} by ${signed(value)} ${extras.adds}, ${share} of all contributions.`;
}

/** One sentence about what leads to a token. @param {RouteExtras} extras @param {number} unit @param {Iterable<Line>} upstream */
export function tokenSentence(extras, unit, upstream) {
  const found = [...upstream];
  const sum = found.reduce((total, { value }) => total + value, 0);
  if (!found.length) return `${tokenName(extras, unit)}: no kept link leads here.`;
  const many = `${found.length} ${found.length === 1 ? "line leads" : "lines lead"}`;
  return `${tokenName(extras, unit)}: ${many} here, together ${signed(sum)} ${extras.adds}.`;
}

/** The lines as a table. @param {RouteExtras} extras @param {readonly Line[]} lines @returns {Table} */
export function tableOf(extras, lines) {
  return {
    caption: `What the kept links add to ${extras.name}`,
    header: ["From (query)", "To (key)", "Layer", "Head", "Links", "Weight", extras.adds],
    rows: lines.map(({ layer, head, query, key, value, weight, links }) => [
      tokenName(extras, query),
      tokenName(extras, key),
      String(layer),
      head === MEAN ? "all" : String(head),
      String(links),
      links === 1 ? weight.toFixed(4) : "",
      signed(value),
    ]),
  };
}
