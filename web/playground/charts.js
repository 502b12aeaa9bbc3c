// The figures of results as Vega-Lite specifications. A figure shows one side, or two that are compared.

import { plain, scale, shownUnit } from "../../python/sojourn/web/numbers.js";
import { budget, component, fieldText, fitting } from "../../python/sojourn/web/shown.js";
import { uncertainty } from "../../python/sojourn/web/uncertainty.js";
import { arrows, crosses, openBands, openWhiskers, topOf } from "./open-ends.js";

/** @typedef {import("../../python/sojourn/web/shown.js").Point} Point */
/** @typedef {{ name: string, points: Point[], find?: any, advice?: import("./advice.js").Advice }} Side results of a scenario */
/** @typedef {{ title: string, specification: object }} Figure */
/** @typedef {{ name: string, label: string, unit: string, shown_unit: string | null, shape: string, better: string | null, definition: string }} Metric */
/** @typedef {{ statistic: string, field: string }} Statistic */
/** @typedef {{ metric: string, field: string, limit: number }} Condition a limit in SI units */

/** Okabe and Ito's colours, as the figures of reports, and lighter ones of the same order on a dark page. */
const PALETTES = {
  light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#8C564B", "#B8A800", "#444444"],
  dark: ["#56B4E9", "#F28E2B", "#2CC39B", "#E3A1C5", "#F0C04A", "#A5D8FF", "#A0A0A0", "#C49C94", "#F0E442", "#D0D0D0"],
};
export const palette = () => PALETTES[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
const WIDTH = 620;
/** Fewer values of a number are compared side by side, not along an axis. */
const FEWEST_ALONG = 3;
/** This many values of an axis are its ticks. */
const MOST_TICKS = 8;
/** Beyond this share of the smallest value an axis is logarithmic. */
const WIDE = 50;
/** More panels of a timeline make the reader scroll. */
const MOST_CURVES = 6;

/** @type {Record<string, Statistic[]>} */
const STATISTICS = {
  distribution: [
    { statistic: "Median", field: "p50" },
    { statistic: "Mean", field: "mean" },
    { statistic: "p90", field: "p90" },
    { statistic: "p95", field: "p95" },
    { statistic: "p99", field: "p99" },
  ],
  scalar: [{ statistic: "Value", field: "value" }],
  "time-weighted": [{ statistic: "Mean", field: "mean" }],
};

/** What a point's settings are called, exactly: "2048 B". @param {Point} point @returns {string} */
export function settingOf({ set, units }) {
  const shown = Object.entries(set).map(([key, value]) => {
    if (typeof value !== "number") return String(value);
    const [unit, size] = fitting(value, units?.[key] ?? "1");
    return `${Number((value / size).toPrecision(9))} ${unit}`.trim();
  });
  return shown.join(", ");
}

/** A series: whose point, with which setting. @param {Side} side @param {Point} point @param {number} sides */
const seriesOf = (side, point, sides) => [sides > 1 ? side.name : "", settingOf(point)].filter(Boolean).join(", ") || "This scenario";

/** The metric that results are about: the one asked for, the response time, or the first there is.
 *  @param {Side[]} sides @param {string} asked */
export function mainMetric(sides, asked) {
  const metrics = sides.flatMap(side => side.points).find(point => point.status === "ok")?.metrics ?? {};
  return [asked, "response_time", "throughput", "utilisation", ...Object.keys(metrics)].find(name => name in metrics && hasValue(metrics[name])) ?? "";
}

/** The unit in which a metric is shown. @param {string} name @param {any} metric @param {Map<string, Metric>} registry @returns {string} */
export const unitIn = (name, { unit }, registry) => shownUnit(unit, registry.get(name.split("/")[0])?.shown_unit);

/** @param {any} metric */
const hasValue = metric => metric.mean != null || metric.value != null;

/**
 * The figures of results: times or another metric, and the delay budget.
 *
 * @param {Side[]} sides
 * @param {Map<string, Metric>} registry
 * @param {Condition | undefined} condition what was asked of them
 * @returns {Figure[]}
 */
export function figuresOf(sides, registry, condition) {
  const points = sides.flatMap(side => side.points);
  const name = mainMetric(sides, condition?.metric ?? "");
  const information = registry.get(name.split("/")[0]);
  if (!information) return [];
  const [key] = Object.keys(points.find(point => Object.keys(point.set).length)?.set ?? {});
  const along = key !== undefined && points.every(point => typeof point.set[key] === "number") && points.length >= FEWEST_ALONG;
  const all = STATISTICS[information.shape] ?? STATISTICS.scalar;
  const asked = sides.some(side => side.find) ? all.filter(one => one.field === condition?.field) : [];
  const few = all.length === 1 ? all : all.filter(one => one.field === "mean" || one.field === "p99");
  const statistics = asked.length ? asked : along ? few : all;
  const rows = sides.flatMap(side => side.points.flatMap(point => statisticRows(side, point, name, statistics, key, sides.length, information)));
  if (rows.length === 0) return [];
  const main = along ? overKey(rows, key, information, sides, condition) : compared(rows, information, condition);
  const title = along ? `${information.label} over ${key}` : information.label;
  const budgets = budgetRows(sides);
  const shares = budgets.length ? [{ title: "Delay budget", specification: dressed(budgetBars(budgets)) }] : [];
  return [{ title, specification: dressed(main) }, ...shares];
}

/** @param {Side} side @param {Point} point @param {string} name @param {Statistic[]} statistics @param {string | undefined} key @param {number} sides
 *  @param {Metric} information */
function statisticRows(side, point, name, statistics, key, sides, information) {
  const metric = point.status === "ok" ? point.metrics[name] : undefined;
  if (!metric) return [];
  const series = seriesOf(side, point, sides);
  return statistics.flatMap(({ statistic, field }) => {
    const { kind, value, low, high } = uncertainty(metric, field);
    if (kind !== "not reached" && value === null) return [];
    const label = `${series}: ${statistic} ${fieldText(metric, field, shownUnit(metric.unit, information.shown_unit)).join(" ")}`;
    return [{ series, side: side.name, x: key && point.set[key], statistic, kind, value, low: low ?? value, high: kind === "none" ? value : high, label }];
  });
}

/**
 * The values of rows in a unit that fits them, that unit, and where the axis ends if anything has no upper end.
 *
 * @param {any[]} rows
 * @param {Metric} information
 * @param {Condition | undefined} condition
 */
function inUnit(rows, information, condition) {
  const ends = rows.flatMap(row => [row.value, row.low, row.high]).filter(end => end !== null);
  const values = rows.filter(row => row.value !== null).map(row => row.value);
  const middle = [...(values.length ? values : ends)].sort((one, other) => one - other)[(values.length || ends.length) >> 1] ?? 0;
  const [unit, size] = scale(shownUnit(information.unit, information.shown_unit), middle);
  // an interval that reaches to zero ends at the axis
  const floor = Math.min(...rows.filter(row => row.low > 0).map(row => row.low));
  const title = unit || information.shown_unit ? `${information.label} (${unit || information.shown_unit})` : information.label;
  const type = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > WIDE ? "log" : "linear";
  const lowest = (/** @type {number | null} */ low) => (type === "log" && low !== null ? Math.max(low, floor) : low);
  const sized = (/** @type {number | null} */ value) => (value === null ? null : value / size);
  const shown = rows.map(row => ({ ...row, value: sized(row.value), low: sized(lowest(row.low)), high: sized(row.high) }));
  const plainScale = type === "log" ? { type, nice: false } : { zero: false };
  const isOpen = rows.some(row => row.kind === "open above" || row.kind === "not reached");
  const top = topOf([...ends, limitOf(condition, information) ?? 0], type === "log") / size;
  return { shown, size, title, top, scale: isOpen ? { ...plainScale, domainMax: top, nice: false } : plainScale };
}

/** The limit of a condition on this metric. @param {Condition | undefined} condition @param {Metric} information @returns {number | undefined} */
function limitOf(condition, information) {
  const fits = condition && condition.metric.split("/")[0] === information.name && Number.isFinite(condition.limit);
  return fits ? condition.limit : undefined;
}

// what has no tooltip says nothing to a screen reader either: the points state value and interval
const TOOLTIP = [{ field: "label", title: " " }];

/** Statistics of a few series side by side, with their intervals. @param {any[]} rows @param {Metric} information @param {Condition | undefined} condition */
function compared(rows, information, condition) {
  const { shown, size, title, scale } = inUnit(rows, information, condition);
  const domain = [...new Set(rows.map(row => row.series))];
  const y = { field: "statistic", type: "nominal", sort: null, title: null, axis: { labelFontSize: 12 } };
  const place = { y, yOffset: { field: "series", sort: domain }, color: colour("series", domain) };
  const x = { field: "value", type: "quantitative", title, scale };
  const statistics = new Set(rows.map(row => row.statistic)).size;
  return {
    width: WIDTH,
    height: Math.max(80, statistics * (18 + 14 * domain.length)),
    data: { values: shown },
    layer: [
      ...limitAcross(rows, condition, information, size),
      ...closedOf(shown, { mark: { type: "rule", aria: false, strokeWidth: 2 }, encoding: { ...place, x: { ...x, field: "low" }, x2: { field: "high" } } }),
      { transform: [{ filter: "datum.value !== null" }], mark: { type: "point", filled: true, size: 70, opacity: 1 }, encoding: { ...place, x, tooltip: TOOLTIP, description: { field: "label" } } },
      ...openWhiskers(shown, { ...place, x: { ...x, field: "low" } }),
      ...arrows(shown, { ...place, x: { value: "width" } }, "triangle-right"),
      ...crosses(shown, { ...place, x: { value: "width" } }),
    ],
  };
}

/** Statistics over a number, with bands of their intervals. @param {any[]} rows @param {string} key @param {Metric} information @param {Side[]} sides @param {Condition | undefined} condition */
function overKey(rows, key, information, sides, condition) {
  const { shown, size, title, scale, top } = inUnit(rows, information, condition);
  const statistics = [...new Set(rows.map(row => row.statistic))];
  const names = sides.map(side => side.name);
  const unit = sides.flatMap(side => side.points).map(point => point.units?.[key])[0] ?? "1";
  const [fit, scaleX] = fitting(Math.max(...rows.map(row => row.x)), unit);
  const ticks = [...new Set(rows.map(row => row.x / scaleX))];
  // as they are: an axis rounds its labels to the distance of the ticks that it would have made itself
  const axis = ticks.length <= MOST_TICKS ? { values: ticks, labelExpr: "format(datum.value, '~f')", labelOverlap: "greedy" } : { format: "~f" };
  const dash = names.length > 1 ? { strokeDash: { field: "side", sort: names, title: null, legend: { orient: "top" } } } : {};
  const place = { x: { field: "x", type: "quantitative", title: fit ? `${key} (${fit})` : key, scale: { zero: false }, axis }, color: colour("statistic", statistics), detail: { field: "side" } };
  const y = { field: "value", type: "quantitative", title, scale };
  const placed = shown.map(row => ({ ...row, x: row.x / scaleX })).sort((one, other) => one.x - other.x);
  const colours = Object.fromEntries(statistics.map((statistic, index) => [statistic, palette()[index % palette().length]]));
  return {
    width: WIDTH,
    height: 280,
    data: { values: placed },
    layer: [
      ...limitAlong(rows, condition, information, size, colours),
      ...sides.flatMap(side => foundLine(side, scaleX)),
      ...openBands(placed, top, colours, place.x, y),
      { mark: { type: "line", aria: false, strokeWidth: 2 }, encoding: { ...place, ...dash, y } },
      { transform: [{ filter: "datum.value !== null" }], mark: { type: "point", filled: true, size: 45, opacity: 1 }, encoding: { ...place, y, tooltip: TOOLTIP, description: { field: "label" } } },
      ...arrows(placed, { ...place, y: { value: 6 } }, "triangle-up"),
      ...crosses(placed, { ...place, y: { value: 6 } }),
    ],
  };
}

/** Rows with both ends as the data of a layer. @param {any[]} rows @param {object} layer */
const closedOf = (rows, layer) => {
  const values = rows.filter(row => row.kind === "closed");
  return values.length ? [{ data: { values }, ...layer }] : [];
};

/** The statistic that a condition is about, as rows call it. @param {any[]} rows @param {Condition | undefined} condition @returns {string | undefined} */
function statisticOf(rows, condition) {
  const named = Object.values(STATISTICS).flat().find(one => one.field === condition?.field)?.statistic;
  return rows.some(row => row.statistic === named) ? named : undefined;
}

/**
 * The limit of a condition on one of some statistics: a dashed line across its place alone, with the value.
 *
 * @param {any[]} rows
 * @param {Condition | undefined} condition
 * @param {Metric} information
 * @param {number} size
 */
function limitAcross(rows, condition, information, size) {
  const [limit, statistic] = [limitOf(condition, information), statisticOf(rows, condition)];
  if (limit === undefined || statistic === undefined) return [];
  const shown = plain(limit, shownUnit(information.unit, information.shown_unit));
  const data = { values: [{ statistic, limit: limit / size, text: `limit: ${shown}`, label: `${statistic}: limit ${shown}` }] };
  const color = { value: palette()[1] };
  // the label stands between the marks of the series
  const between = new Set(rows.map(row => row.series)).size === 2 ? 0.5 : 0.1;
  const x = { field: "limit", type: "quantitative" };
  const y = { field: "statistic", type: "nominal" };
  return [
    { data, mark: { type: "rule", strokeDash: [4, 3] }, encoding: { x, y: { ...y, bandPosition: 0 }, y2: { field: "statistic", bandPosition: 1 }, color, tooltip: TOOLTIP, description: { field: "label" } } },
    { data, mark: { type: "text", align: "left", baseline: "middle", dx: 5, fontSize: 11, aria: false }, encoding: { x, y: { ...y, bandPosition: between }, text: { field: "text" }, color } },
  ];
}

/**
 * The same over a key: a dashed line in the colour of the statistic's line, with its name where there are several.
 *
 * @param {any[]} rows
 * @param {Condition | undefined} condition
 * @param {Metric} information
 * @param {number} size
 * @param {Record<string, string>} colours
 */
function limitAlong(rows, condition, information, size, colours) {
  const [limit, statistic] = [limitOf(condition, information), statisticOf(rows, condition)];
  if (limit === undefined || statistic === undefined) return [];
  const of = Object.keys(colours).length > 1 ? ` of ${statistic}` : "";
  const data = { values: [{ limit: limit / size, text: `limit${of}: ${plain(limit, shownUnit(information.unit, information.shown_unit))}` }] };
  const color = { value: colours[statistic] };
  const y = { field: "limit", type: "quantitative" };
  return [
    { data, mark: { type: "rule", strokeDash: [4, 3] }, encoding: { y, color, tooltip: [{ field: "text", title: " " }], description: { field: "text" } } },
    { data, mark: { type: "text", align: "left", dy: -7, fontSize: 11, aria: false }, encoding: { y, x: { value: 6 }, text: { field: "text" }, color } },
  ];
}

/** The value that a search found, with its interval. @param {Side} side @param {number} size of the unit of the axis */
function foundLine({ find }, size) {
  if (find?.value == null) return [];
  const [low, high] = find.interval.map((/** @type {number | null} */ end) => (end === null ? null : end / size));
  const band = low == null || high == null ? [] : [{ data: { values: [{ low, high }] }, mark: { type: "rect", aria: false, opacity: 0.15, color: palette()[6] }, encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } }];
  return [...band, { data: { values: [{}] }, mark: { type: "rule", aria: false, color: palette()[6], strokeWidth: 2 }, encoding: { x: { datum: find.value / size, type: "quantitative" } } }];
}

/** @param {Side[]} sides */
function budgetRows(sides) {
  return sides.flatMap(side => side.points.filter(point => point.status === "ok").flatMap(point => {
    const series = seriesOf(side, point, sides.length);
    return [...budget(point)].map(([name, mean], order) => ({ series, part: component(name), mean, order, label: `${series}: ${component(name)} ${plain(mean, "s")}` }));
  }));
}

/** @param {any[]} rows */
function budgetBars(rows) {
  const totals = new Map();
  for (const row of rows) totals.set(row.series, (totals.get(row.series) ?? 0) + row.mean);
  const [unit, size] = scale("s", Math.max(...totals.values()));
  const parts = [...new Set(rows.map(row => row.part))];
  return {
    width: WIDTH,
    height: Math.max(60, 26 * totals.size),
    data: { values: rows.map(row => ({ ...row, mean: row.mean / size })) },
    mark: { type: "bar" },
    encoding: {
      y: { field: "series", type: "nominal", sort: null, title: null, axis: totals.size > 1 ? { labelLimit: 220 } : null },
      x: { field: "mean", type: "quantitative", title: `Mean (${unit})` },
      color: colour("part", parts),
      order: { field: "order" },
      tooltip: TOOLTIP,
      description: { field: "label" },
    },
  };
}

/**
 * The course of a replication: samples as points, levels as steps.
 *
 * @param {any[]} course
 * @returns {Figure[]}
 */
export function courseFigures(course) {
  const first = (/** @type {any} */ one) => (one.metric.startsWith("response_time") ? 0 : 1);
  const shown = [...course].sort((one, other) => first(one) - first(other)).slice(0, MOST_CURVES);
  return shown.map(({ metric, label, unit, is_level, points }) => {
    const [fit, size] = scale(unit, Math.max(...points.map((/** @type {[number, number]} */ [, value]) => value)));
    const values = points.map((/** @type {[number, number]} */ [time, value]) => ({ time, value: value / size, label: `at ${plain(time, "s")}: ${plain(value, unit)}` }));
    const mark = is_level ? { type: "line", interpolate: "step-after", strokeWidth: 1.2 } : { type: "circle", size: 14, opacity: 0.7 };
    const specification = {
      width: WIDTH,
      height: 150,
      data: { values },
      mark: { ...mark, aria: false, color: palette()[0] },
      encoding: {
        x: { field: "time", type: "quantitative", title: "Time (s)", scale: { nice: false } },
        y: { field: "value", type: "quantitative", title: fit ? `${label} (${fit})` : label },
        tooltip: TOOLTIP,
      },
    };
    const member = metric.split("/").slice(1).join("/");
    return { title: member ? `${label}, ${member}` : label, specification: dressed(specification) };
  });
}

/** @param {string} field @param {string[]} domain */
const colour = (field, domain) => ({
  field,
  sort: domain,
  scale: { domain, range: domain.map((_, index) => palette()[index % palette().length]) },
  legend: domain.length > 1 ? { title: null, orient: "top", direction: "horizontal", columns: 4, symbolOpacity: 1 } : null,
});

/** The common look, in the colours of the page now. @param {object} specification */
export function dressed(specification) {
  const style = getComputedStyle(document.documentElement);
  const [ink, muted, line] = ["--ink", "--muted", "--line"].map(name => style.getPropertyValue(name).trim());
  const axis = { gridColor: line, domainColor: muted, tickColor: muted, labelColor: ink, titleColor: ink, labelFontSize: 11, titleFontSize: 12, titleFontWeight: "normal" };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "transparent",
    padding: 4,
    config: { font: "Helvetica, Arial, sans-serif", view: { stroke: null }, axis, legend: { labelColor: ink, titleColor: ink, labelFontSize: 11, labelLimit: WIDTH } },
    ...specification,
  };
}

/** The condition that a search asked about, as its first trial judged it. @param {Side} side */
export function conditionOf(side) {
  const { find } = side;
  const judged = [find?.found, find?.asked, find?.written].find(Boolean)?.conditions[0];
  if (judged) return judged;
  const [text] = side.points.flatMap(point => point.verdicts.map(one => one.text));
  const [what, , ...value] = (text ?? "").split(" ");
  const metric = what.replace(/\.[^./]*$/, "");
  return text ? { metric, field: what.slice(metric.length + 1), limit: limitIn(value.join(" ")) } : undefined;
}

/** The SI value of "250 ms". @param {string} text */
function limitIn(text) {
  const [number, unit] = text.split(" ");
  const size = { s: 1, ms: 1e-3, "µs": 1e-6, us: 1e-6, ns: 1e-9, min: 60, "%": 0.01 }[unit ?? "s"];
  return unit === undefined ? Number(number) : Number(number) * (size ?? NaN);
}
