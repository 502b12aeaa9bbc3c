// Response times over time, in windows that begin and end with the events of a scenario: `sojourn.figures.timeline` draws the same of
// results, with their intervals. The colours are those of its theme, which pages turn for dark screens.

import { scale } from "./numbers.js";

/** @typedef {import("./shown.js").Point & { events?: { name: string, begin: number, end: number | null }[] }} Happening a point with its events */
/** @typedef {{ whose: string, point: Happening }} Side */

const TIMELINE = "response_time/timeline";
const [WIDTH, HEIGHT, LOST_HEIGHT] = [620, 170, 80];
const [INK, MUTED, GRID, EVENT] = ["#222222", "#666666", "#E4E4E4", "#E69F00"];
const SIDES = ["#7F7F7F", "#0072B2"];
/** The tail that is drawn: the first whose interval is closed in any window. */
const TAILS = ["p99", "p95"];

/** Whether anything is observed over time in a point: something happens in its scenario. @param {Happening | undefined} point */
export const hasTimeline = point => point?.status === "ok" && point.metrics[TIMELINE] !== undefined;

/**
 * The figure of one or two sides: their median and tail over time, the share of requests that was not answered, events as bands.
 *
 * @param {Side[]} sides
 * @returns {import("./chart.js").Figure}
 */
export function timeline(sides) {
  const rows = sides.flatMap(({ whose, point }) => rowsOf(point.metrics[TIMELINE], sides.length > 1 ? `${whose}, ` : "", whose));
  const [unit, size] = scale("s", Math.max(0, ...rows.map(row => row.value ?? 0)));
  const [begin, end] = [Math.min(...rows.map(row => row.begin)), Math.max(...rows.map(row => row.end))];
  const named = sides[sides.length - 1].point.events ?? [];
  const events = named.filter(one => one.begin < end).map(one => ({ name: one.name, begin: one.begin, end: Math.min(one.end ?? one.begin, end) }));
  const shown = rows.map(row => ({ ...row, value: row.value === null ? null : row.value / size }));
  const domain = sides.map(side => side.whose);
  const color = { field: "whose", scale: { domain, range: SIDES.slice(-domain.length) }, legend: domain.length > 1 ? { title: null, orient: "top" } : null };
  const dash = { field: "statistic", title: null, sort: null, legend: { orient: "top", symbolStrokeColor: INK } };
  const x = { field: "at", type: "quantitative", title: "Time (s)", scale: { domain: [begin, end], nice: false }, axis: { format: "~f", tickCount: 8 } };
  const line = { type: "line", strokeWidth: 1.5, aria: false };
  const times = {
    width: WIDTH,
    height: HEIGHT,
    layer: [
      ...bands(events),
      { data: { values: shown }, mark: line, encoding: { x, y: { field: "value", type: "quantitative", title: `Response time (${unit})` }, color, strokeDash: dash, detail: { field: "series" } } },
    ],
  };
  const isLost = rows.some(row => row.lost > 0);
  const lost = {
    width: WIDTH,
    height: LOST_HEIGHT,
    layer: [
      ...bands(events),
      { data: { values: shown.filter(row => row.lost !== null) }, mark: { ...line, interpolate: "step" }, encoding: { x, y: { field: "lost", type: "quantitative", title: "Not answered (%)", scale: { domain: [0, 100] }, axis: { tickCount: 3 } }, color } },
    ],
  };
  const names = [...new Set(events.map(one => one.name))];
  return {
    title: "Response time over time",
    caption: `${names.length ? `Bands: ${names.join(", ")}. ` : ""}Windows begin and end with the events; requests count where they were sent.`,
    specification: { ...LOOK, vconcat: isLost ? [times, lost] : [times], spacing: 12 },
  };
}

/** A row for each window and statistic. @param {any} found @param {string} before @param {string} whose */
function rowsOf(found, before, whose) {
  const tail = TAILS.find(name => found[`${name}_ci95`]?.some((/** @type {any} */ ends) => ends?.[0] != null && ends[1] != null));
  return ["p50", ...(tail ? [tail] : [])].flatMap(field => found.start.map((/** @type {number} */ begin, /** @type {number} */ index) => {
    const [end, sent] = [found.end[index], found.sent[index]];
    const lost = sent > 0 ? (100 * (sent - found.delivered[index] - (found.in_flight?.[index] ?? 0))) / sent : null;
    const isKnown = field === "p50" || found[`${field}_ci95`][index]?.[1] != null;
    const statistic = field === "p50" ? "median" : field;
    return { begin, end, at: (begin + end) / 2, value: isKnown ? found[field][index] ?? null : null, lost: field === "p50" ? lost : null, statistic, series: before + statistic, whose };
  }));
}

/** The events: bands from their begin to their end, a stroke for one without. @param {{ name: string, begin: number, end: number }[]} events */
function bands(events) {
  const label = { tooltip: [{ field: "name", title: " " }], description: { field: "name" } };
  const x = { field: "begin", type: "quantitative" };
  const [lasting, sudden] = [events.filter(one => one.end > one.begin), events.filter(one => one.end <= one.begin)];
  return [
    ...(lasting.length ? [{ data: { values: lasting }, mark: { type: "rect", opacity: 0.25, color: EVENT }, encoding: { x, x2: { field: "end" }, ...label } }] : []),
    ...(sudden.length ? [{ data: { values: sudden }, mark: { type: "rule", strokeWidth: 2, color: EVENT }, encoding: { x, ...label } }] : []),
  ];
}

const LOOK = {
  $schema: "https://vega.github.io/schema/vega-lite/v6.json",
  background: "transparent",
  padding: 4,
  config: {
    font: "Helvetica, Arial, sans-serif",
    view: { stroke: null },
    axis: { gridColor: GRID, domainColor: MUTED, tickColor: MUTED, labelColor: INK, titleColor: INK, labelFontSize: 11, titleFontSize: 12, titleFontWeight: "normal" },
    legend: { labelColor: INK, labelFontSize: 11 },
  },
};
