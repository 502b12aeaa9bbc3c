// What results say: a headline, the table of numbers, every metric, and what differs between two scenarios.

import { plain, significant } from "../../python/sojourn/web/numbers.js";
import { MARKS, fieldText, made, rows, verdictText, withInterval } from "../../python/sojourn/web/shown.js";
import { uncertainty } from "../../python/sojourn/web/uncertainty.js";
import { adviceLine } from "./advice.js";
import { conditionOf, mainMetric, settingOf, unitIn } from "./charts.js";

/** @typedef {import("./charts.js").Side} Side */
/** @typedef {import("./charts.js").Metric} Metric */
/** @typedef {import("../../python/sojourn/web/shown.js").Point} Point */
/** @typedef {{ text: string | null, vary: string, asked: string | null }} Question */

/** Pairs of lines that are compared; their table takes two bytes for each. */
const MOST_PAIRS = 4e6;

/** Values of which the one that a question asks about is the answer. */
const MOST_ASKED = 2;

/** The answer to a question. @type {Record<string, string>} */
const YES = { met: "Yes", missed: "No", undecided: "Not decided by these replications" };

/** All verdicts of a point together. @param {Point} point */
function verdictOf(point) {
  const found = point.verdicts.map(one => one.verdict);
  if (found.length === 0) return undefined;
  return found.includes("missed") ? "missed" : found.includes("undecided") ? "undecided" : "met";
}

/**
 * The first sentence of an answer, and whether it is good news.
 *
 * @param {Side[]} sides
 * @param {Question | null} question
 * @param {Map<string, Metric>} registry
 * @returns {{ text: string, verdict: string | undefined }}
 */
export function headline(sides, question, registry) {
  const side = sides[sides.length - 1];
  if (side.advice) return adviceLine(side.advice, registry);
  if (sides.length > 1 && sides.every(one => one.points.length === 1 && one.points[0].status === "ok")) {
    return { text: change(sides, registry), verdict: verdictOf(side.points[0]) };
  }
  if (side.find) return found(side.find, question);
  const failed = side.points.find(point => point.status !== "ok");
  if (failed) return { text: failed.status, verdict: "missed" };
  const key = question ? question.vary.split("=")[0] : "";
  // one of a few values: of many, all verdicts are the answer
  const asked = side.points.length > MOST_ASKED ? undefined : side.points.find(point => question?.asked && settingText(point.set[key]) === question.asked.split(" ")[0]);
  const judged = asked ?? (side.points.length === 1 ? side.points[0] : undefined);
  const verdict = judged && verdictOf(judged);
  if (sides.length > 1) return { text: `Now: ${numbers(side, registry)} Kept: ${numbers(sides[0], registry)}`, verdict: undefined };
  if (!judged || !verdict) return { text: `${numbers(side, registry)}${sweptVerdicts(side)}`, verdict: undefined };
  const start = asked && question?.text ? `${YES[verdict]}: with ${key} = ${question.asked}, ` : "";
  const worst = judged.verdicts.find(one => one.verdict === verdict) ?? judged.verdicts[0];
  const [value, ends] = withInterval(worst.value, worst.interval, worst.unit);
  const [what, ...condition] = worst.text.split(" ");
  const text = `${start}${what} is ${worst.value == null ? "not reached" : value} ${ends}; it should be ${condition.join(" ").replace(/^= /, "")}`;
  return { text: `${text.replace(" ;", ";")}.`, verdict };
}

/** From the first of two runs to the second. @param {Side[]} sides @param {Map<string, Metric>} registry */
function change(sides, registry) {
  const name = mainMetric(sides, "");
  const [first, second] = sides.map(side => side.points[0].metrics[name]);
  const [before, now] = [valueOf(first), valueOf(second)];
  if (before === null || now === null) return "One of the scenarios observed nothing.";
  const share = (100 * (now - before)) / before;
  const percent = Number.isFinite(share) ? ` (${share > 0 ? "+" : ""}${significant(share)} %)` : "";
  const unit = unitIn(name, first, registry);
  return `${calledIn(name, registry)} is ${plain(now, unit)} now, ${plain(before, unit)} in the kept scenario${percent}.`;
}

/** @param {any} value */
const settingText = value => (typeof value === "number" ? String(value) : value);

/** What a metric is called within a sentence that begins with it. @param {string} name @param {Map<string, Metric>} registry */
const calledIn = (name, registry) => (name === "response_time" ? "The mean response time" : registry.get(name.split("/")[0])?.label ?? name);

/** The value of a metric that a sentence states. @param {any} metric @returns {number | null} */
const valueOf = metric => metric?.mean ?? metric?.value ?? null;

/** The range of what was run, where nothing judges it. @param {Side} side @param {Map<string, Metric>} registry */
function numbers({ points }, registry) {
  const name = mainMetric([{ name: "", points }], "");
  const seen = points.filter(point => point.metrics[name]);
  const parts = seen.map(point => point.metrics[name]);
  if (parts.length === 0) return "Nothing was observed.";
  const value = (/** @type {any} */ one) => plain(valueOf(one), unitIn(name, one, registry));
  const label = calledIn(name, registry);
  if (parts.length === 1) {
    const { kind, value: p99 } = uncertainty(parts[0], "p99");
    const tail = kind === "not reached" ? ", its 99th percentile is not reached" : p99 === null ? "" : `, its 99th percentile ${plain(p99, parts[0].unit)}`;
    return `${label} is ${value(parts[0])}${tail}.`;
  }
  if (registry.get(name.split("/")[0])?.better === "higher") {
    const best = seen.reduce((one, other) => ((valueOf(other.metrics[name]) ?? 0) > (valueOf(one.metrics[name]) ?? 0) ? other : one));
    return `${label} is highest at ${settingOf(best)}: ${value(best.metrics[name])}.`;
  }
  const all = seen.map((point, index) => `${value(parts[index])} at ${settingOf(point)}`);
  const shown = all.length > 4 ? [all[0], all[all.length - 1]] : all;
  return `${label} is ${shown.join(all.length > 4 ? " … " : ", ")}.`;
}

/** At which values the conditions are met. @param {Side} side */
function sweptVerdicts({ points }) {
  const at = (/** @type {string} */ verdict) => points.filter(point => verdictOf(point) === verdict).map(settingOf);
  const parts = ["met", "missed", "undecided"].filter(verdict => at(verdict).length).map(verdict => `${verdict} at ${at(verdict).join(", ")}`);
  return parts.length ? ` The conditions are ${parts.join("; ")}.` : "";
}

/** The answer of a search: to the question of the scenario, and where the limit is. @param {any} find @param {Question | null} question */
function found(find, question) {
  const verdict = find.asked?.verdict;
  const value = find.asked && `${find.key} = ${find.asked.value_text}`;
  if (find.asked && question?.text && question.vary.split("=")[0] === find.key) {
    return { text: `${YES[verdict]}: with ${value}. ${limit(find)}`, verdict };
  }
  const otherwise = { always: "met", never: "missed" }[/** @type {string} */ (find.outcome)];
  return { text: limit(find) + (find.asked ? ` ${value}: ${verdict}.` : ""), verdict: verdict ?? otherwise };
}

/** Where a condition begins or ceases to hold. @param {any} find */
function limit(find) {
  if (find.outcome === "always") return `${find.text} holds over the whole range of ${find.key}.`;
  if (find.outcome === "never") return `${find.text} holds nowhere in the range of ${find.key}.`;
  const [low, high] = find.interval_text;
  const the = `The ${find.direction} ${find.key} with ${find.text} is`;
  if (find.outcome !== "undecided") return `${the} ${find.value_text} (95 % interval: ${low} to ${high}).`;
  const ends = [low && `at least ${low}`, high && `at most ${high}`].filter(Boolean).join(", ");
  const unseen = find.unseen ? ` ${find.unseen.observed} at ${find.unseen.value_text}.` : "";
  return `${the} ${find.value_text ? `about ${find.value_text}` : "undecided"}${ends ? ` (95 % interval: ${ends})` : ""}.${unseen}`;
}

/** A table that scrolls by itself where it is too wide. @param {string} caption @param {HTMLElement} head @param {HTMLElement[]} body */
function table(caption, head, body) {
  const whole = made("table", {}, made("caption", {}, caption), made("thead", {}, head), made("tbody", {}, ...body));
  return made("div", { class: "wide", tabindex: "0", role: "group", "aria-label": caption }, whole);
}

/** @param {string} text @param {string} [more] */
const columnHead = (text, more = "") => made("th", { scope: "col" }, text, " ", made("small", {}, more));

/** @param {[string, string]} pair @param {string} [verdict] */
const cell = ([text, more], verdict) => made("td", verdict ? { class: verdict } : {}, text, " ", made("small", {}, more));

/**
 * The numbers of all sides: a column for each of a few points, else a row for each.
 *
 * @param {Side[]} sides
 * @param {string} replications
 * @param {Map<string, Metric>} registry
 */
export function numbersTable(sides, replications, registry) {
  const columns = sides.flatMap(side => side.points.map(point => ({ side, point })));
  const [key] = Object.keys(columns.find(({ point }) => Object.keys(point.set).length)?.point.set ?? {});
  const caption = `${key ? `Over ${key}; ` : ""}95 % intervals in brackets; ${replications}`;
  const name = (/** @type {{ side: Side, point: Point }} */ { side, point }) => [sides.length > 1 ? side.name : "", settingOf(point)].filter(Boolean).join(": ") || "Value";
  const cells = columns.map(({ side, point }) => new Map(point.status === "ok" ? [...searched(side, point, registry), ...numbersOf(point, registry)] : []));
  const names = [...new Set(cells.flatMap(one => [...one.keys()]))];
  // the conditions of a search take the place of those of the scenario
  const own = columns.filter(({ side }) => !side.find).flatMap(({ point }) => point.verdicts.map(one => one.text));
  const conditions = [...new Set(own)];
  const judged = (/** @type {Point} */ point, /** @type {string} */ text) => point.verdicts.find(one => one.text === text);
  const verdictCell = (/** @type {Point} */ point, /** @type {string} */ text) => cell(verdictText(judged(point, text)), judged(point, text)?.verdict);
  if (columns.length <= 4) {
    const body = names.map(row => made("tr", {}, made("th", { scope: "row" }, row), ...cells.map(one => cell(one.get(row) ?? ["–", ""]))));
    const verdicts = conditions.map(text => made("tr", {}, made("th", { scope: "row" }, text), ...columns.map(({ point }) => verdictCell(point, text))));
    return table(caption, made("tr", {}, made("td", {}, ""), ...columns.map(one => columnHead(name(one)))), [...body, ...verdicts]);
  }
  const body = columns.map((one, index) => {
    const numbers = names.map(row => cell(cells[index].get(row) ?? ["–", ""]));
    return made("tr", {}, made("th", { scope: "row" }, name(one)), ...numbers, ...conditions.map(text => verdictCell(one.point, text)));
  });
  return table(caption, made("tr", {}, made("td", {}, ""), ...names.map(row => columnHead(row)), ...conditions.map(text => columnHead(text))), body);
}

/** What a search asked of a point. @param {Side} side @param {Point} point @param {Map<string, Metric>} registry @returns {[string, [string, string]][]} */
function searched(side, point, registry) {
  const asked = side.find && conditionOf(side);
  const metric = asked && point.metrics[asked.metric];
  if (!metric) return [];
  return [[side.find.text, fieldText(metric, asked.field, unitIn(asked.metric, metric, registry))]];
}

/** The numbers of a point in its table. @param {Point} point @param {Map<string, Metric>} registry @returns {[string, [string, string]][]} */
function numbersOf(point, registry) {
  const times = rows(point);
  if (times.length) return times;
  const scalars = Object.entries(point.metrics).filter(([name, metric]) => !name.includes("/") && valueOf(metric) !== null);
  return scalars.slice(0, 6).map(([name, metric]) => [registry.get(name)?.label ?? name, fieldText(metric, "mean", unitIn(name, metric, registry))]);
}

/**
 * Every metric of the last point of each side.
 *
 * @param {Side[]} sides
 * @param {Map<string, Metric>} registry
 */
export function metricsTable(sides, registry) {
  const points = sides.map(side => side.points[side.points.length - 1]);
  // sensor-2 before sensor-10
  const names = [...new Set(points.flatMap(point => Object.keys(point.metrics)))].sort(new Intl.Collator("en", { numeric: true }).compare);
  const body = names.map(name => {
    const [base, ...member] = name.split("/");
    const information = registry.get(base);
    const head = made("th", { scope: "row", title: information?.definition ?? "" }, [information?.label ?? base, ...member].join(", "), " ", made("code", {}, name));
    return made("tr", {}, head, ...points.map(point => {
      const metric = point.metrics[name];
      return cell(metric ? fieldText(metric, "mean", unitIn(name, metric, registry)) : ["–", ""]);
    }));
  });
  const heads = sides.map((side, index) => columnHead(sides.length > 1 ? side.name : "Value", settingOf(points[index])));
  return table("Means and counts", made("tr", {}, made("td", {}, ""), ...heads), body);
}

/** A verdict as a mark before a sentence. @param {string | undefined} verdict */
export const markOf = verdict => (verdict ? `${MARKS[/** @type {"met"} */ (verdict)]?.[0] ?? ""} ` : "");

/**
 * The lines that differ between two texts: those of the first with "-", of the second with "+".
 *
 * @param {string} first
 * @param {string} second
 * @returns {string[]}
 */
export function differences(first, second) {
  const [one, other] = [first.split("\n"), second.split("\n")];
  if (one.length * other.length > MOST_PAIRS) return ["These texts are too long to compare line by line."];
  // the longest common subsequence of what follows each pair of lines
  const common = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      common[i][j] = one[i] === other[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const found = [];
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      i += 1;
      j += 1;
    } else if (j >= other.length || (i < one.length && common[i + 1][j] >= common[i][j + 1])) found.push(`- ${one[i++]}`);
    else found.push(`+ ${other[j++]}`);
  }
  return found;
}

/** How many replications results have. @param {Side[]} sides */
export function replicationsOf(sides) {
  const counts = sides.flatMap(side => side.points.map(point => point.replications));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least === most ? least : `${least} to ${most}`} ${most === 1 ? "replication" : "replications"}`;
}
