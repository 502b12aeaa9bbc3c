// The response times of a capture over time, the slowest, the lost and those that were sent again marked: as `sojourn.outliers` draws them.

import { framesOf } from "./captured.js";
import { plain, scale } from "./numbers.js";

/** @typedef {import("./captured.js").Tables} Tables */
/** @typedef {import("./captured.js").Row} Row */

const SIZE = { width: 620, height: 240 };
/** Extension of the axis beyond the longest time, where lost transactions are marked. */
const ROOM = 1.5;
/** @type {Record<string, string>} */
const SHAPES = { slowest: "circle", "sent again": "triangle-up", lost: "cross" };

/**
 * A line of means and a mark for each transaction that is listed; nothing where none was answered.
 *
 * @param {Tables} tables
 * @returns {import("./chart.js").Figure | undefined}
 */
export function slowestFigure(tables) {
  const means = tables.steps.filter(step => step.mean_s).map(step => ({ x: step.begin_s, time: step.mean_s }));
  const answered = (/** @type {string} */ kind, /** @type {Row[]} */ rows) => rows.filter(row => row.time).map(row => ({ ...marked(kind, row), time: row.time }));
  const listed = [...answered("slowest", tables.slowest ?? []), ...answered("sent again", tables.retried ?? [])];
  const times = [...means, ...listed].map(one => one.time).sort((one, other) => one - other);
  if (!times.length) return undefined;
  const [least, most] = [times[0] / ROOM, times[times.length - 1] * ROOM];
  const [unit, size] = scale("s", times[times.length >> 1]);
  const rows = [...listed, ...(tables.lost ?? []).map(row => ({ ...marked("lost", row), time: most }))].map(row => ({ ...row, y: row.time / size }));
  const kinds = Object.keys(SHAPES).filter(kind => rows.some(row => row.kind === kind));
  const style = getComputedStyle(document.documentElement);
  const [ink, muted, grid] = ["--ink", "--muted", "--line"].map(name => style.getPropertyValue(name).trim());
  const x = { field: "x", type: "quantitative", title: "Time (s)", scale: { domain: [0, Math.max(tables.seconds, 1e-9)], nice: false }, axis: { format: "~f", tickCount: 8 } };
  const y = { field: "y", type: "quantitative", title: `Response time (${unit})`, scale: { type: "log", domain: [least / size, most / size], nice: false }, axis: { format: "~g", tickCount: 4 } };
  const shape = { field: "kind", type: "nominal", title: null, scale: { domain: kinds, range: kinds.map(kind => SHAPES[kind]) }, legend: { orient: "top", symbolFillColor: ink, symbolStrokeColor: ink } };
  const line = { data: { values: means.map(one => ({ x: one.x, y: one.time / size })) }, mark: { type: "line", aria: false, color: muted, strokeWidth: 1 }, encoding: { x, y } };
  const marks = {
    data: { values: rows },
    mark: { type: "point", filled: true, color: ink, size: 50, opacity: 1 },
    encoding: { x, y, shape, tooltip: [{ field: "label", title: " " }], description: { field: "label" } },
  };
  const axis = { gridColor: grid, domainColor: muted, tickColor: muted, labelColor: ink, titleColor: ink, labelFontSize: 11, titleFontSize: 12, titleFontWeight: "normal" };
  return {
    title: "Response times over time",
    caption: "The line is the mean of the transactions that began in each step of time; lost ones are at the upper edge.",
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      background: "transparent",
      padding: 4,
      config: { font: "Helvetica, Arial, sans-serif", view: { stroke: null }, axis, legend: { labelColor: ink, labelFontSize: 11 } },
      ...SIZE,
      layer: [...(means.length ? [line] : []), ...(rows.length ? [marks] : [])],
    },
  };
}

/** A transaction as a mark. @param {string} kind @param {Row} row */
function marked(kind, row) {
  const took = row.time ? plain(row.time, "s") : "not answered";
  return { kind, x: row.begin, label: `${kind}: ${row.from} to ${row.to}, ${row.service}, frames ${framesOf(row)}, ${took}${row.why ? `, ${row.why}` : ""}` };
}
