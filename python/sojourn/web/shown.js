// Results as pages show them: elements, numbers with their units, verdicts.

import { inOneUnit, plain, rounded, scale, significant } from "./numbers.js";
import { ofEnds, uncertainty } from "./uncertainty.js";

/** @typedef {{ text: string, verdict: string, value: number | null, interval?: [number, number | null] | null, unit: string }} Verdict */
/** @typedef {{ experiment?: string, set: Record<string, any>, units?: Record<string, string>, replications: number, status: string,
 *              metrics: Record<string, any>, verdicts: Verdict[] }} Point */

/**
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function made(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** What the page has under an id. @param {string} id @returns {any} */
export const element = id => document.getElementById(id);

/** The unit in which a value of a key is shown, and its size: as it is written, minutes too. @param {number} value @param {string} unit
 *  @returns {[string, number]} */
export function fitting(value, unit) {
  if (value === 0) return [scale(unit, 1)[0], 1];
  return unit === "s" && Math.abs(value) >= 60 ? ["min", 60] : scale(unit, value);
}

/** A value of a key, with its unit. @param {number} value @param {string} unit */
export function keyText(value, unit) {
  const [shown, size] = fitting(value, unit);
  return `${rounded(value / size)} ${shown}`.trim();
}

/** Some values of one unit in the same unit, and that unit. @param {(number | null | undefined)[]} values @param {string} unit
 *  @returns {{ texts: string[], unit: string }} */
export function scaled(values, unit) {
  const [shown, size] = scale(unit, Math.max(...values.map(value => Math.abs(value ?? 0))));
  return { texts: values.map(value => (value == null ? "–" : significant(value / size))), unit: shown };
}

/** A value and its interval, in one unit. @param {number | null} value @param {any} interval @param {string} unit
 *  @returns {[string, string]} */
export function withInterval(value, interval, unit) {
  const [low, high] = interval ?? [null, null];
  return inWords(ofEnds(value ?? null, low ?? null, high ?? null), unit);
}

/** A field of a metric and its interval. @param {any} metric @param {string} field @param {string} [unit] in which it is shown
 *  @returns {[string, string]} */
export function fieldText(metric, field, unit = metric.unit) {
  const known = uncertainty(metric, field);
  if (known.kind !== "not reached") return inWords(known, unit);
  const failed = metric.sent ? `(${plain(1 - metric.count / metric.sent, "%")} failed)` : "";
  return ["not reached", failed];
}

/** @param {import("./uncertainty.js").Uncertainty} known @param {string} unit @returns {[string, string]} */
function inWords({ kind, value, low, high }, unit) {
  if (kind === "none") return [plain(value, unit), ""];
  const shown = inOneUnit(value, [low, high], unit);
  const ends = kind === "open above" ? `at least ${shown.low}` : `${shown.low} … ${shown.high}`;
  return [`${shown.value} ${shown.unit}`.trim(), `(${ends})`];
}

/** What a delivery takes: of requests, else of streams and calls. @param {Point} point */
export const timeOf = point => [point.metrics.response_time, point.metrics.one_way_delay].find(time => time && time.unit && (time.sent || time.count));

/** What the poorest listener of calls hears: metric, label and unit. @type {[string, string, string][]} */
const CALLS = [
  ["mos", "MOS", "1"],
  ["play_out_loss", "Not played", "%"],
  ["play_out_delay", "Mouth to ear", "s"],
];

/** The rows of a point: name, value and interval. @param {Point} point @returns {[string, [string, string]][]} */
export function rows(point) {
  const time = timeOf(point);
  const calls = CALLS.filter(([name]) => typeof point.metrics[name]?.value === "number").map(([name, label, unit]) => {
    const { value, ci95 } = point.metrics[name];
    return /** @type {[string, [string, string]]} */ ([label, withInterval(value, ci95, unit)]);
  });
  if (!time) return calls;
  const titled = (/** @type {string} */ text) => (time === point.metrics.response_time ? text : `One-way delay, ${text.toLowerCase()}`);
  return [
    ...calls,
    [titled("Mean"), fieldText(time, "mean")],
    [titled("Median"), fieldText(time, "p50")],
    [titled("p95"), fieldText(time, "p95")],
    [titled("p99"), fieldText(time, "p99")],
    ["Delivered", time.sent ? [plain(time.count / time.sent, "%"), `of ${time.sent}`] : ["–", ""]],
  ];
}

/** The means of the delay budget by component, in seconds. @param {Point} point @returns {Map<string, number>} */
export function budget(point) {
  const found = Object.entries(point.metrics).filter(([name, one]) => name.startsWith("delay_budget/") && one.mean > 0);
  return new Map(found.map(([name, one]) => [name.slice("delay_budget/".length), one.mean]));
}

const ACRONYMS = new Set(["cpu", "ip", "tcp"]);

/** A component of the delay budget in words. @param {string} name */
export function component(name) {
  const words = name.split(/[_-]/).map(word => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const MARKS = { met: "✓ met", missed: "✗ missed", undecided: "? undecided" };

/** @param {Verdict | undefined} found @returns {[string, string]} */
export function verdictText(found) {
  if (!found) return ["–", ""];
  const mark = MARKS[/** @type {"met"} */ (found.verdict)] ?? found.verdict;
  if (found.value == null) return [mark, ""];
  return [mark, `(${plain(found.value, found.unit)})`];
}

const OVERLOAD = "no steady state";

/**
 * The notes of a run as sentences, without the name of its scenario: that more arrives than is served, and the others.
 *
 * @param {string[]} warnings
 * @param {string} name of the experiment
 */
export function notes(warnings, name) {
  const sentence = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
  const said = warnings.map(text => sentence(text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text));
  return { overload: said.filter(text => text.includes(OVERLOAD)).join(" "), others: said.filter(text => !text.includes(OVERLOAD)).join(" ") };
}

/** The points of results, each with its verdicts and the units of its settings. @param {import("./engine.js").Evaluation} found @returns {Point[]} */
export function pointsOf(found) {
  const { points, axes } = JSON.parse(found.results_json);
  const units = Object.fromEntries(Object.entries(axes).map(([key, axis]) => [key, axis.unit ?? "1"]));
  return points.map((/** @type {any} */ point, /** @type {number} */ index) =>
    ({ ...point, units, verdicts: found.verdicts.filter(one => one.point === index) }));
}

/** Saves a file where the browser keeps downloads. @param {string} name @param {string} type @param {BlobPart} content */
export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  made("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
