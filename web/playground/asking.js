// The form of what is asked of a scenario: to run it as written, with several values of a key, to find the limit of one, or to compare its options.

import { rounded } from "../../python/sojourn/web/numbers.js";
import { element, fitting } from "../../python/sojourn/web/shown.js";
import { kindOf } from "../editor/keys.js";
import { NAME, attached, profiles } from "./parts.js";

/** @typedef {import("./address.js").Ask} Ask */
/** @typedef {import("../../python/sojourn/web/engine.js").Request} Request */
/** @typedef {import("../../python/sojourn/web/live.js").Input} Input */

/** @type {Ask} */
export const AS_WRITTEN = { kind: "run", key: "", values: "", until: "", value: "" };

/** Values proposed for a key, as multiples of the present one. */
const AROUND = [0.5, 0.75, 1, 1.5, 2];

export class Asking {
  constructor() {
    /** The numbers of the scenario that can vary. @type {Input[]} */
    this.inputs = [];
    this.question = null;
    element("ask").addEventListener("change", (/** @type {any} */ { target }) => this.showFields(target.name === "kind"));
    element("key").addEventListener("change", () => this.propose());
  }

  /** What the scenario itself asks, which a search answers where the form says nothing else. @param {import("./answer.js").Question | null} question */
  set question(question) {
    this.ofScenario = question;
    const [key = "", values = ""] = question?.vary.split("=") ?? [];
    for (const [name, text] of Object.entries({ key, values, value: question?.asked ?? "" })) element(name).placeholder = text;
  }

  /** @param {Ask} ask */
  show(ask) {
    element(`kind-${ask.kind}`).checked = true;
    for (const name of /** @type {const} */ (["key", "values", "until", "value"])) element(name).value = ask[name];
    this.showFields();
  }

  /** What the form asks. @returns {Ask} */
  get now() {
    const kind = /** @type {Ask["kind"]} */ (new FormData(element("ask")).get("kind") ?? "run");
    if (kind === "run") return AS_WRITTEN;
    const text = (/** @type {string} */ id) => element(id).value.trim();
    if (kind === "advise") return { ...AS_WRITTEN, kind, until: text("until") };
    return { kind, key: text("key"), values: text("values"), until: text("until"), value: text("value") };
  }

  /** Shows the fields of the kind that is chosen; where it was chosen now, with values that suit it. @param {boolean} [isChosen] */
  showFields(isChosen = false) {
    const { kind } = this.now;
    const values = element("values").value.trim();
    for (const field of element("ask").querySelectorAll("[data-for]")) field.hidden = !field.dataset.for.split(" ").includes(kind);
    element("values-label").textContent = kind === "find" ? "Range" : "Values";
    const isRange = values.split(":").length === 2;
    const fits = kind === "run" || kind === "advise" || (values !== "" && isRange === (kind === "find"));
    if (isChosen && !fits) this.propose();
  }

  /** Values for the key: those of the scenario's question, or some around the present one. */
  propose() {
    const { kind, key } = this.now;
    const [own, range] = this.ofScenario?.vary.split("=") ?? [];
    if (kind === "find" && own && (!key || key === own)) {
      const fields = { key: own, values: range, value: this.ofScenario?.asked ?? "" };
      for (const [name, value] of Object.entries(fields)) element(name).value = value;
      return;
    }
    const input = this.inputs.find(one => one.path === key) ?? (key ? undefined : this.inputs[0]);
    if (!input || !(input.values[0] > 0)) return;
    element("key").value = input.path;
    const isScaled = input.suffix === "s" || input.suffix === "bit/s";
    const [unit, size] = isScaled ? fitting(input.values[0], input.suffix) : [input.suffix, 1];
    const bounded = (/** @type {number} */ value) => Math.min(Math.max(value, input.low ?? value), input.high ?? value);
    const all = AROUND.map(factor => bounded(input.values[0] * factor) / size);
    const texts = [...new Set(all.map(value => (input.whole ? String(Math.max(1, Math.round(value))) : rounded(value))))];
    const shown = kind === "find" ? `${texts[0]}:${texts[texts.length - 1]}` : texts.join(",");
    element("values").value = `${shown} ${unit}`.trim();
  }
}

/** What is opened to compute it, with the profiles of its network and the files that came with it. @param {string} text @param {Ask} ask @returns {Request} */
export function requestOf(text, ask) {
  const own = Object.entries(profiles()).filter(([name]) => name.startsWith(`profiles/${kindOf(text)}/`));
  return { name: NAME, text, files: { ...Object.fromEntries(own), ...attached(text) }, over: ask.kind === "sweep" ? [`${ask.key}=${ask.values}`] : [] };
}

/** What a search asks beside. @param {Ask} ask */
export function askedOf({ kind, key, values, until, value }) {
  if (kind !== "find") return undefined;
  return { ...(key && { vary: `${key}=${values}` }), ...(until && { until }), ...(value && { ask: value }) };
}

/** What advice asks beside. @param {Ask} ask */
export function adviceOf({ kind, until }) {
  return kind === "advise" ? { ...(until && { until }) } : undefined;
}

/** The same on the command line. @param {Ask} ask @param {string} file */
export function commandOf({ kind, key, values, until, value }, file) {
  if (kind === "run") return `run ${file}`;
  if (kind === "advise") return [`advise ${file}`, ...(until ? [`--until '${until}'`] : [])].join(" ");
  if (kind === "sweep") return `sweep ${file} --over '${key}=${values}'`;
  const options = [key && `--vary '${key}=${values}'`, until && `--until '${until}'`, value && `--ask '${value}'`];
  return [`find ${file}`, ...options.filter(Boolean)].join(" ");
}
