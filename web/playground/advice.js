// What a comparison of changes says: a sentence, a table of the alternatives, and a figure of them.

import { plain, scale, shownUnit, significant } from "../../python/sojourn/web/numbers.js";
import { made, withInterval } from "../../python/sojourn/web/shown.js";
import { dressed, palette } from "./charts.js";

/** @typedef {import("./charts.js").Metric} Metric */
/** @typedef {import("./charts.js").Figure} Figure */
/** @typedef {{ name: string, options: string[], cost: number | null, value: number | null, ci95: [number, number] | null, met: boolean | null,
 *              replications: number, status: string, difference: number | null, difference_ci95: [number, number] | null, reason?: string }} Alternative */
/** @typedef {{ objective: string, unit: string, better: string, conditions: string[], indifference: number | null, confidence: number, outcome: string,
 *              selected: number | null, replications: number, equal_allocation: number, proposed: boolean, alternatives: Alternative[] }} Advice */

/** What became of an alternative, in a word or two. @type {Record<string, string>} */
const STATES = { selected: "selected", worse: "out", equal: "equal", misses: "misses a condition", dearer: "costs more", unstable: "no steady state", open: "not decided", failed: "failed" };
/** Rows of the figure. */
const MOST = 24;

/** The alternatives, the selected one first, then by their values. @param {Advice} advice @returns {Alternative[]} */
function inOrder({ alternatives, better }) {
  const sign = better === "lower" ? 1 : -1;
  const place = (/** @type {Alternative} */ one) => (one.status === "selected" ? -Infinity : one.value === null ? Infinity : sign * one.value);
  return [...alternatives].sort((one, other) => place(one) - place(other) || 0);
}

/** The unit of the objective as it is shown. @param {Advice} advice @param {Map<string, Metric>} registry */
const unitOf = ({ objective, unit }, registry) => shownUnit(unit, registry.get(objective.split(/[./]/)[0])?.shown_unit);

/** What is compared, as conditions write it. @param {Advice} advice */
const objectiveOf = ({ objective }) => objective.replace(/\.value$/, "");

/** How an alternative is named within a sentence. @param {Alternative} one */
const named = one => (one.options.length ? one.name : "the scenario as it is");

/** The difference from the selected one in percent. @param {Alternative} one */
function beside({ difference, difference_ci95: ends }) {
  if (difference === null) return "";
  const percent = (/** @type {number} */ share) => significant(100 * share, 2);
  return `${difference >= 0 ? "+" : ""}${percent(difference)} %${ends ? ` (${ends.map(percent).join(" to ")})` : ""}`;
}

/**
 * The first sentence, and whether it is good news.
 *
 * @param {Advice} advice
 * @param {Map<string, Metric>} registry
 * @returns {{ text: string, verdict: string | undefined }}
 */
export function adviceLine(advice, registry) {
  const unit = unitOf(advice, registry);
  const conditions = advice.conditions.join(" and ");
  if (advice.outcome === "none") return { text: conditions ? `No alternative meets ${conditions}.` : "No alternative could be compared.", verdict: "missed" };
  const ordered = inOrder(advice);
  const best = ordered[0];
  const value = best.value === null ? "" : `: ${objectiveOf(advice)} ${withInterval(best.value, best.ci95, unit).join(" ").trim()}`;
  if (advice.selected === null) {
    const left = advice.alternatives.filter(one => one.status === "open").length;
    return { text: `Not decided yet, ${left} alternatives are left; so far ${named(best)} is best${value}.`, verdict: "undecided" };
  }
  const sure = `with at least ${100 * advice.confidence} % confidence`;
  const second = ordered.find(one => one.status === "worse" && one.difference !== null);
  const next = second ? ` Second: ${named(second)}, ${beside(second)}.` : "";
  const cost = best.cost === null ? "" : `, at a cost of ${best.cost}`;
  const what = conditions ? `The ${best.cost === null ? "best" : "cheapest"} that meets ${conditions} is ${named(best)}${cost}` : `The best is ${named(best)}`;
  return { text: `${what}${value}, ${sure}.${next}`, verdict: "met" };
}

/** Every alternative in a row. @param {Advice} advice @param {Map<string, Metric>} registry */
export function adviceTable(advice, registry) {
  const unit = unitOf(advice, registry);
  const hasCost = advice.alternatives.some(one => one.cost !== null);
  const cell = (/** @type {string} */ text, more = "") => made("td", {}, text, ...(more ? [made("span", { class: "interval" }, ` ${more}`)] : []));
  const head = made("tr", {}, ...["Alternative", ...(hasCost ? ["Cost"] : []), objectiveOf(advice), "Beside it", "Runs", "Outcome"].map(text => made("th", { scope: "col" }, text)));
  const rows = inOrder(advice).map(one => {
    const [value, ends] = one.value === null ? ["–", ""] : withInterval(one.value, one.ci95, unit);
    const state = `${STATES[one.status]}${one.reason && one.status === "misses" ? `: ${one.reason}` : ""}`;
    return made("tr", {}, made("th", { scope: "row" }, one.name), ...(hasCost ? [cell(String(one.cost))] : []), cell(value, ends), cell(beside(one)), cell(String(one.replications)), cell(state));
  });
  const share = advice.equal_allocation > advice.replications ? `, ${Math.round((100 * advice.replications) / advice.equal_allocation)} % of what as many for each would take` : "";
  const indifference = advice.indifference === null ? "" : `; differences below ${plain(advice.indifference, unit)} do not count`;
  const whose = advice.proposed ? "The changes that the network proposes" : "The options of the scenario";
  const caption = `${whose}; 95 % intervals in brackets; ${advice.replications} runs${share}${indifference}`;
  return made("table", {}, made("caption", {}, caption), made("thead", {}, head), made("tbody", {}, ...rows));
}

/** The alternatives beside each other: those that are out are grey. @param {Advice} advice @param {Map<string, Metric>} registry @returns {Figure[]} */
export function adviceFigures(advice, registry) {
  const known = inOrder(advice).filter(one => one.value !== null).slice(0, MOST);
  if (!known.length) return [];
  const values = known.map(one => Number(one.value)).sort((one, other) => one - other);
  const [unit, size] = scale(unitOf(advice, registry), values[values.length >> 1]);
  const colours = palette();
  const colour = (/** @type {string} */ status) => colours[{ selected: 0, equal: 2, dearer: 1, open: 5 }[status] ?? 6];
  const rows = known.map(one => ({
    of: one.name,
    value: Number(one.value) / size,
    low: (one.ci95?.[0] ?? Number(one.value)) / size,
    high: (one.ci95?.[1] ?? Number(one.value)) / size,
    colour: colour(one.status),
    label: `${one.name}: ${plain(one.value, unitOf(advice, registry))}, ${STATES[one.status]}, ${one.replications} runs`,
  }));
  const y = { field: "of", type: "nominal", sort: null, title: null, axis: { labelLimit: 240 } };
  const color = { field: "colour", type: "nominal", scale: null };
  const title = `${objectiveOf(advice)}${unit ? ` (${unit})` : ""}`;
  const specification = {
    data: { values: rows },
    width: 320,
    height: { step: 24 },
    layer: [
      { mark: { type: "rule", strokeWidth: 2, aria: false }, encoding: { x: { field: "low", type: "quantitative", title, scale: { zero: false } }, x2: { field: "high" }, y, color } },
      { mark: { type: "point", filled: true, size: 70, opacity: 1 }, encoding: { x: { field: "value", type: "quantitative" }, y, color, tooltip: [{ field: "label", title: " " }], description: { field: "label" } } },
    ],
  };
  return [{ title: "The changes beside each other", specification: dressed(specification) }];
}
