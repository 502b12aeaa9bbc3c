// What the panel of a reader's settings shows below its numbers: delay budgets beside each other, and how keys influence the mean.

import { plain, significant } from "./numbers.js";
import { component, made, scaled } from "./shown.js";

/** @typedef {{ whose: string, parts: Map<string, number> }} Budget the means of a delay budget by component, in seconds; empty before a run */

/** Classes `part-0` and following of the delay budget's parts. */
const PARTS = 10;

/** Delay budgets to one scale, with their legend; nothing where none is known. @param {Budget[]} budgets @param {string} heading name of its element */
export function budgetBars(budgets, heading) {
  const names = [...new Set(budgets.flatMap(one => [...one.parts.keys()]))];
  if (names.length === 0) return made("div");
  const totals = budgets.map(one => [...one.parts.values()].reduce((sum, value) => sum + value, 0));
  const longest = Math.max(...totals);
  const bars = budgets.map(({ whose, parts }, row) => {
    const drawn = names.map((name, index) => {
      const mean = parts.get(name) ?? 0;
      const title = `${component(name)}: ${plain(mean, "s")}`;
      const part = made("span", { class: `part-${index % PARTS}`, title });
      part.style.width = `${(100 * mean) / longest}%`;
      return part;
    });
    const text = totals[row] > 0 ? plain(totals[row], "s") : "–";
    return made("div", { class: "budget" }, made("span", { class: "whose" }, whose), made("span", { class: "bar" }, ...drawn), made("span", {}, text));
  });
  const legend = names.map((name, index) => {
    const { texts, unit } = scaled(budgets.filter(one => one.parts.size).map(one => one.parts.get(name)), "s");
    return made("li", {}, made("span", { class: `swatch part-${index % PARTS}` }), ` ${component(name)}: ${texts.join(" → ")} ${unit}`);
  });
  return made("div", {}, made(heading, {}, "Delay budget"), ...bars, made("ul", { class: "legend" }, ...legend));
}

/** What is known of the influence of each key. @param {import("./influence.js").Key[]} keys */
export function influenceTable(keys) {
  const head = ["Key", "Percent of the mean for 1 % of the key", "95 % interval", "Replications"].map(text => made("th", { scope: "col" }, text));
  const body = keys.map(({ input, found, pairs }) => {
    const [low, high] = found?.interval ?? [0, 0];
    const value = found?.established ? significant(found.value) : "not distinguishable from 0";
    const cells = [value, `${significant(low)} … ${significant(high)}`, String(pairs.length)].map(text => made("td", {}, text));
    return made("tr", {}, made("th", { scope: "row" }, made("code", {}, input.path)), ...cells);
  });
  const caption = made("caption", {}, "Influence of each key, raised alone by a tenth; the largest that its interval establishes comes first");
  const table = made("table", { class: "influence" }, caption, made("thead", {}, made("tr", {}, ...head)), made("tbody", {}, ...body));
  return made("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Influence of each key" }, table);
}

/** How many replications a result is of. @param {import("./shown.js").Point} point @param {boolean} isWhole */
export function replicationsText({ replications }, isWhole) {
  return `${replications} ${replications === 1 ? "replication" : "replications"}${isWhole ? "" : " so far"}`;
}
