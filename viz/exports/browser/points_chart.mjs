// @ts-check
// Rows of two numbers as points in the plane, in groups that differ in colour and symbol.
import { headOf, seriesColour, symbolCorners } from "./chart_parts.mjs";
import { axesOf } from "./curve_axes.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { ChartPicture, Setting } from "./chart_parts.mjs" */
/** @import { Chart, Series } from "./slide_contents.mjs" */

const [POINT, STAR, NEAR] = [6, 11, 14]; // pixels: of a point and of one that stands out, and from which one is pointed at
const LABEL = 17; // pixels: the size of the letter above a point that stands out
const ROOM = 0.06; // of the range, that points keep from the ends of the axes

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function pointsChart(chart, setting) {
  const { grid, series, groups, hover } = chart;
  const { colours, width } = setting;
  const values = /** @type {number[][]} */ (grid.values);
  const head = headOf(
    chart,
    setting,
    series.map((each) => ({ name: each.name, mark: markOf(each, setting) })),
  );
  const [across, upward] = [0, 1].map((axis) => rangeOf(values.map((row) => row[axis])));
  const [acrossName, upwardName] = grid.columns;
  const onAxes = { ...chart, across: acrossName, value: upwardName, places: across, grid: { ...grid, range: upward } };
  const axes = axesOf(onAxes, setting, head.bottom);
  const points = values.map(([x, y], index) => ({ x: axes.xAt(x), y: axes.yOf(y), series: series[groups[index]] }));

  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    axes.draw(painter);
    for (const { x, y, series: group } of points) {
      const fill = seriesColour(group.colour, setting);
      const stands = group.symbol === "star";
      painter.polygon(symbolCorners(group.symbol || "circle", x, y, stands ? STAR : POINT), { fill });
      if (!stands) continue;
      painter.text(x, y - STAR - LABEL / 2, letterOf(group), {
        ...{ colour: fill, align: "center", size: LABEL, weight: 600 },
      });
    }
  };

  /** @param {number} x @param {number} y */
  const titleAt = (x, y) => {
    const distances = points.map((point) => Math.hypot(point.x - x, point.y - y));
    const nearest = distances.indexOf(Math.min(...distances));
    return distances[nearest] <= NEAR ? hover[nearest] : "";
  };
  return { name: "points", width, height: axes.height, colours, draw, titleAt };
}

/** The last word of a group's name, such as "A" of "sentence A". @param {Series} series */
function letterOf({ name }) {
  return name.split(" ").slice(-1)[0];
}

/** @param {readonly number[]} numbers @returns {[low: number, high: number]} */
function rangeOf(numbers) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const room = ROOM * (high - low) || 1;
  return [low - room, high + room];
}

/** @param {Series} series @param {Setting} setting */
function markOf({ colour, symbol }, setting) {
  const fill = seriesColour(colour, setting);
  /** @param {Painter} painter @param {number} x @param {number} y @param {number} width */
  return (painter, x, y, width) =>
    painter.polygon(symbolCorners(symbol || "circle", x + width / 2, y, POINT), { fill });
}
