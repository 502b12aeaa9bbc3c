// The live part of a report: the reader moves a key of the scenario, and the page simulates it again beside the stored
// result. `sojourn.report.live` writes the data, `page.html.j2` the elements with these ids:
//
//   #live and #live-link (hidden until this script runs), #live-data, #live-engine (as packed.js has it), #live-worker (text of worker.js)
//
// The page of a scenario in the workbench has the same panel (`what-if.js`), and so has a cell of a notebook (`widget.js`): nothing is stored
// there, and the scenario as written is simulated beside the settings of the reader.

import { figure } from "./chart.js";
import { Engine, Mistakes, often } from "./engine.js";
import { influence } from "./influence.js";
import { packed, unpacked } from "./packed.js";
import { rounded, significant } from "./numbers.js";
import { budgetBars, influenceTable, replicationsText } from "./panel.js";
import { budget, element, fitting, keyText, made, notes, pointsOf, rows, verdictText } from "./shown.js";
import { hasTimeline, timeline } from "./timeline.js";

/** @typedef {{ path: string, suffix: string, low: number | null, high: number | null, whole: boolean, values: number[],
 *              label: string | null, shown_unit: string | null }} Input */
/** @typedef {import("./shown.js").Point} Point */
/** @typedef {{ id: string, title?: string, request: import("./engine.js").Request, keys: string[],
 *              ranges: Record<string, [number, number]>, words: Record<string, string[]>, stored: Point[] }} Experiment */
/** @typedef {{ library: () => Promise<unknown>, embed?: object, actions?: [string, () => void][], more?: HTMLElement, panel?: HTMLElement,
 *             hasAddress?: boolean }} Page what loads the library that draws, its options there, further buttons, where what is drawn below the numbers has
 *           more room, the panel where it is not #live, and whether an address leads to settings */
/** @typedef {{ origin: string, is_twin: boolean, is_captured: boolean, experiments: Experiment[] }} Data what the stored numbers are
 *           called, whether the scenario is that of a real network, and whether the numbers are those of a capture */

const PREFIX = "#what-if:";
/** Keys shown at first, and after a ranking; more make the reader scroll past the answer. */
const MOST_KEYS = 5;
/** The time from a move to its run, in which a reader who goes on moving starts none. */
const SETTLED_MS = 100;
/** A result is drawn at most this often while replications arrive. */
const REDRAWN_MS = 300;

export class Live {
  /** @param {Data} data @param {Engine} engine @param {Page} page */
  constructor(data, engine, page) {
    this.data = data;
    this.engine = engine;
    this.page = page;
    this.panel = page.panel ?? element("live");
    this.hasAddress = page.hasAddress !== false;
    this.experiment = data.experiments[0];
    /** Values that the reader has moved, in SI units. @type {Map<string, number>} */
    this.moved = new Map();
    /** The words chosen for keys that vary and are not numbers. @type {Map<string, string>} */
    this.words = new Map();
    /** Those shown. @type {Input[]} */
    this.inputs = [];
    /** Every number that may be moved. @type {Input[]} */
    this.all = [];
    /** @type {Point | undefined} */
    this.here = undefined;
    /** The scenario as written, where nothing is stored. @type {Point | undefined} */
    this.written = undefined;
    this.isWhole = false;
    this.timer = 0;
  }

  /** Whether results are shown beside those that were stored. */
  get hasStored() {
    return this.data.experiments.every(one => one.stored.length > 0);
  }

  /** Draws the panel for the settings of the address, and runs them. */
  async start() {
    const { panel } = this;
    this.keys = made("div", { class: "keys" });
    this.status = made("p", { class: "note", role: "status" }, "");
    this.overload = made("p", { class: "overload", role: "alert", hidden: "" });
    this.shown = made("div", { class: "shown" });
    this.budgets = made("div");
    this.course = made("div");
    const button = (/** @type {string} */ text, /** @type {() => void} */ action) => {
      const one = made("button", { type: "button" }, text);
      one.addEventListener("click", action);
      return one;
    };
    this.copy = button("Copy a link to these settings", () => void this.copied());
    this.ranking = button("Find the keys that matter most", () => void this.ranked());
    const twin = this.data.is_twin ? [button("Simulate it unchanged", () => void this.reset().then(() => this.run())), " "] : [];
    const own = this.hasStored ? twin : [button("Simulate", () => void this.run()), " "];
    const actions = (this.page.actions ?? []).flatMap(([text, action]) => [button(text, action), " "]);
    const buttons = made("p", {}, ...own, button("Reset", () => void this.reset()), " ", ...actions, this.ranking, ...(this.hasAddress ? [" ", this.copy] : []));
    if (this.data.experiments.length > 1) panel.append(this.chooser());
    panel.append(this.keys, buttons, this.status, this.overload, this.shown);
    (this.page.more ?? panel).append(this.budgets, this.course);
    panel.hidden = false;
    element("live-link")?.removeAttribute("hidden");
    await this.chosen(this.experiment);
    if (!this.hasAddress) return;
    addEventListener("hashchange", () => void this.addressed());
    await this.addressed();
  }

  /** A choice among the experiments of a study. */
  chooser() {
    const options = this.data.experiments.map(one => made("option", { value: one.id }, `${one.id} ${one.title ?? ""}`.trim()));
    const select = /** @type {HTMLSelectElement} */ (made("select", {}, ...options));
    select.addEventListener("change", () => void this.chosen(this.data.experiments[select.selectedIndex]));
    return made("p", {}, made("label", {}, "Experiment ", select));
  }

  /** @param {Experiment} experiment */
  async chosen(experiment) {
    this.moved.clear();
    this.words = new Map(Object.entries(experiment.words).map(([key, [first]]) => [key, first]));
    this.here = this.written = undefined;
    const { inputs, asked } = await this.engine.ask({ call: "inputs", request: experiment.request, keys: [] });
    const ofQuestion = asked && !experiment.keys.length ? { keys: [asked.path], ranges: { [asked.path]: asked.range } } : {};
    this.experiment = { ...experiment, ...ofQuestion };
    const { keys } = this.experiment;
    const named = keys.length ? (await this.engine.ask({ call: "inputs", request: experiment.request, keys })).inputs : [];
    /** @type {Input[]} */
    const all = [...named, ...inputs.filter((/** @type {Input} */ one) => !keys.includes(one.path))];
    this.all = all
      .filter(one => one.values.length > 0 || keys.includes(one.path))
      // there are no parts of bytes
      .map(one => ({ ...one, whole: one.whole || one.suffix === "B" }));
    // of a real network its sizes come first, which no other run has moved
    const counts = this.data.is_twin ? this.all.filter(one => one.path.endsWith(".count")) : [];
    this.inputs = named.length ? this.all.slice(0, named.length) : [...new Set([...counts, ...this.all])].slice(0, MOST_KEYS);
    this.drawKeys();
    this.draw();
  }

  /** Takes a scenario that has changed: what was moved stays moved, and what was shown is simulated again.
   *  @param {import("./engine.js").Request} request */
  async rewritten(request) {
    const [moved, isShown] = [new Map(this.moved), this.here !== undefined || this.written !== undefined];
    this.engine.running?.abort();
    await this.chosen({ ...this.data.experiments[0], request });
    for (const [key, value] of moved) {
      const input = this.all.find(one => one.path === key);
      if (!input) continue;
      if (!this.inputs.includes(input)) this.inputs.push(input);
      this.moved.set(key, value);
    }
    this.drawKeys();
    if (isShown) await this.run();
    else this.say("");
  }

  /** Takes the settings of the address, if it has any. */
  async addressed() {
    if (!location.hash.startsWith(PREFIX)) return;
    for (const [key, text] of new URLSearchParams(location.hash.slice(PREFIX.length))) {
      if (this.experiment.words[key]?.includes(text)) this.words.set(key, text);
      const value = Number(text);
      const input = this.all.find(one => one.path === key);
      if (!input || !Number.isFinite(value)) continue;
      if (!this.inputs.includes(input)) this.inputs.push(input);
      this.moved.set(key, value);
    }
    this.drawKeys();
    await this.run();
  }

  /** What the address of these settings ends in. */
  fragment() {
    const moved = [...this.moved].map(([key, value]) => [key, String(value)]);
    return PREFIX + new URLSearchParams([...this.words, ...moved]).toString();
  }

  async copied() {
    history.replaceState(null, "", this.fragment());
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
      this.say("The link is copied.");
    } catch {
      this.say(`The address of this page is the link now: ${link}`);
    }
  }

  async reset() {
    this.engine.running?.abort();
    this.moved.clear();
    this.words = new Map(Object.entries(this.experiment.words).map(([key, [first]]) => [key, first]));
    this.here = undefined;
    this.warn("");
    if (this.hasAddress) history.replaceState(null, "", location.pathname + location.search);
    this.say("");
    this.drawKeys();
    this.draw();
  }

  /** @param {string} text */
  say(text) {
    if (this.status) this.status.textContent = text;
  }

  /** What makes the numbers below depend on how long a run is, before them. @param {string} text */
  warn(text) {
    if (!this.overload) return;
    this.overload.textContent = text;
    this.overload.hidden = text === "";
  }

  /** The value of a key now, in SI units. @param {Input} input */
  value(input) {
    return this.moved.get(input.path) ?? input.values[0] ?? this.range(input)[0];
  }

  /** The ends of a slider: the range that was asked about or swept, else a quarter to four times the value.
   *  @param {Input} input @returns {[number, number]} */
  range(input) {
    const known = this.experiment.ranges[input.path];
    const now = input.values[0] ?? known?.[0] ?? 1;
    let [low, high] = known ?? [now / 4, now === 0 ? 1 : now * 4];
    if (!known) [low, high] = [Math.max(low, input.low ?? low), Math.min(high, input.high ?? high)];
    low = Math.min(low, now);
    high = Math.max(high, now);
    return input.whole ? [Math.floor(low), Math.ceil(high)] : [low, high];
  }

  drawKeys() {
    const words = Object.entries(this.experiment.words).map(([key, choices]) => this.drawWords(key, choices));
    const others = this.all.filter(input => !this.inputs.includes(input));
    const more = others.length ? [this.drawOthers(others)] : [];
    this.keys?.replaceChildren(...words, ...this.inputs.map(input => this.drawKey(input)), ...more);
  }

  /** A choice of one more key. @param {Input[]} others */
  drawOthers(others) {
    const options = others.map(one => made("option", { value: one.path }, one.label ? `${one.label}: ${one.path}` : one.path));
    const select = /** @type {HTMLSelectElement} */ (made("select", { "aria-label": "Move one more key" }, made("option", { value: "" }, "Move one more key …"), ...options));
    select.addEventListener("change", () => {
      this.inputs.push(...others.filter(one => one.path === select.value));
      this.drawKeys();
      /** @type {HTMLElement | null} */ (this.keys?.querySelector(".key:last-of-type input"))?.focus();
    });
    return made("p", { class: "others" }, select);
  }

  /** A key whose values are words. @param {string} key @param {string[]} choices */
  drawWords(key, choices) {
    const options = choices.map(word => made("option", {}, word));
    const select = /** @type {HTMLSelectElement} */ (made("select", { "aria-label": key }, ...options));
    select.value = this.words.get(key) ?? "";
    select.addEventListener("change", () => {
      this.words.set(key, select.value);
      void this.run();
    });
    return made("div", { class: "key" }, made("span", { class: "name" }, made("code", {}, key)), select);
  }

  /** @param {Input} input */
  drawKey(input) {
    const [low, high] = this.range(input);
    const [unit, size] = unitOf(input, this.value(input));
    const step = input.whole ? 1 : Number(((high - low) / size / 200).toPrecision(1)) || 1e-6;
    const bounds = { min: String(low / size), max: String(high / size), step: String(step) };
    const now = rounded(this.value(input) / size);
    const slider = /** @type {HTMLInputElement} */ (made("input", { type: "range", ...bounds, "aria-label": input.path }));
    slider.value = now;
    const number = /** @type {HTMLInputElement} */ (made("input", { type: "number", step: "any", "aria-label": input.path }));
    number.value = now;
    const move = (/** @type {HTMLInputElement} */ from, /** @type {HTMLInputElement} */ to) => {
      const value = Number(from.value);
      if (from.value === "" || !Number.isFinite(value)) return;
      to.value = from.value;
      this.moved.set(input.path, input.whole ? Math.round(value) : value * size);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.run(), SETTLED_MS);
    };
    slider.addEventListener("input", () => move(slider, number));
    number.addEventListener("input", () => move(number, slider));
    const name = made("span", { class: "name" }, input.label ?? input.path, " ", made("code", {}, input.path));
    return made("div", { class: "key" }, name, slider, number, made("span", { class: "unit" }, unit));
  }

  /** What the reader has set, as `--set` takes it. @returns {string[]} */
  settings() {
    const moved = [...this.moved].map(([key, value]) => {
      const suffix = this.all.find(one => one.path === key)?.suffix ?? "";
      return `${key}=${value} ${suffix}`.trim();
    });
    const words = [...this.words].map(([key, word]) => `${key}=${word}`);
    return [...words, ...moved];
  }

  /** The request with the moved values in place of the document's. */
  request() {
    const { request } = this.experiment;
    return { ...request, set: [...(request.set ?? []), ...this.settings()] };
  }

  /** Simulates the settings; what arrives is drawn at once, and stays if the next settings are wrong. Where nothing is stored, the
   *  scenario as written follows. */
  async run() {
    try {
      const asWritten = !this.hasStored && this.settings().length === 0;
      await this.simulated(this.request(), asWritten ? "as written" : "here", (point, isWhole) => {
        if (asWritten) [this.written, this.here] = [point, undefined];
        else [this.here, this.isWhole] = [point, isWhole];
      });
      if (this.hasStored || this.written) return;
      await this.simulated(this.experiment.request, "as written", point => { this.written = point; });
    } catch (fault) {
      if (fault instanceof DOMException && fault.name === "AbortError") return;
      const said = fault instanceof Mistakes ? fault.problems.map(one => `${one.message}. ${one.help ?? ""}`) : [String(fault)];
      this.say(`These settings do not run: ${said.join(" ")}`);
    }
  }

  /**
   * Runs a request, draws what arrives and says how far it is.
   *
   * @param {import("./engine.js").Request} request
   * @param {string} how it runs, for what is said
   * @param {(point: Point, isWhole: boolean) => void} take
   */
  async simulated(request, how, take) {
    const began = performance.now();
    const seconds = () => `${significant((performance.now() - began) / 1000)} s`;
    const took = (/** @type {import("./engine.js").Evaluation} */ found, /** @type {boolean} */ isWhole) => {
      take(pointsOf(found)[0], isWhole);
      this.draw();
    };
    this.say(`Running ${how} …`);
    const draw = often(REDRAWN_MS, found => took(found, false));
    const found = await this.engine.run(request, {
      watch: progress => {
        this.say(`Running ${how}: ${progress.done} of ${progress.of} replications, ${seconds()}.`);
        draw(progress);
      },
    });
    took(found, true);
    const { overload, others } = notes(found.warnings, pointsOf(found)[0]?.experiment ?? "");
    this.warn(overload);
    this.say(`Run ${how} in ${seconds()}. ${others}`.trim());
    this.panel.dataset.ran = String(Math.round(performance.now() - began));
    await this.drawCourse();
  }

  /** The stored point whose settings are nearest to those now, else the scenario as written. @returns {Point | undefined} */
  stored() {
    if (!this.hasStored) return this.written;
    const distance = (/** @type {Point} */ point) => {
      let sum = 0;
      for (const [key, own] of Object.entries(point.set)) {
        if (this.words.has(key) && this.words.get(key) !== String(own)) return Infinity;
        const input = this.all.find(one => one.path === key);
        if (!input || typeof own !== "number") continue;
        const [low, high] = this.range(input);
        sum += Math.abs(own - this.value(input)) / (high - low || 1);
      }
      return sum;
    };
    return this.experiment.stored.reduce((best, point) => (distance(point) < distance(best) ? point : best));
  }

  draw() {
    const stored = this.stored();
    if (!stored && !this.here) {
      for (const place of [this.shown, this.budgets, this.course]) place?.replaceChildren();
      return;
    }
    const where = Object.entries(stored?.set ?? {}).map(([key, value]) => `${key} = ${this.settingText(key, value)}`).join(", ");
    /** @type {[string, string][]} */
    const heads = [[this.data.origin, this.hasStored ? where : stored ? replicationsText(stored, true) : "follows"], ["Run here", this.here ? replicationsText(this.here, this.isWhole) : ""]];
    const points = [stored, this.here];
    if (this.data.is_captured) {
      heads[0][1] = "between packets";
      heads[1][1] = ["between applications", heads[1][1]].filter(Boolean).join(", ");
    }
    if (!this.hasStored && !this.here) for (const list of [points, heads]) list.pop();
    const cells = points.map(point => new Map(point && point.status === "ok" ? rows(point) : []));
    const names = [...new Set(cells.flatMap(one => [...one.keys()]))];
    const cell = (/** @type {string} */ name, /** @type {[string, string]} */ [text, more]) =>
      made(name, name === "th" ? { scope: "col" } : {}, text, " ", made("small", {}, more));
    const line = (/** @type {string} */ name, /** @type {[string, string][]} */ texts) =>
      made("tr", {}, made("th", { scope: "row" }, name), ...texts.map(pair => cell("td", pair)));
    const body = names.map(name => line(name, cells.map(one => one.get(name) ?? ["–", ""])));
    const verdicts = [...new Set(points.flatMap(point => point?.verdicts.map(one => one.text) ?? []))];
    for (const text of verdicts) {
      const row = line(text, points.map(point => verdictText(point?.verdicts.find(one => one.text === text))));
      row.classList.add("verdict");
      points.forEach((point, index) => {
        const found = point?.verdicts.find(one => one.text === text)?.verdict;
        if (found) row.children[index + 1].classList.add(found);
      });
      body.push(row);
    }
    const head = made("tr", {}, made("td", {}, ""), ...heads.map(pair => cell("th", pair)));
    const table = made("table", {}, made("thead", {}, head), made("tbody", {}, ...body));
    this.shown?.replaceChildren(made("div", { class: "wide", tabindex: "0" }, table));
    // captures and measurements have none
    const budgets = [{ whose: this.data.origin, point: stored }, { whose: "Run here", point: this.here }]
      .map(({ whose, point }) => ({ whose, parts: point ? budget(point) : new Map() }))
      .filter(({ parts }, index) => parts.size > 0 || (index === 1 && this.hasStored));
    this.budgets?.replaceChildren(budgetBars(budgets, this.page.more ? "h2" : "h3"));
    if (this.here && this.here.status !== "ok") this.shown?.prepend(made("p", {}, this.here.status));
  }

  /** Response times over time, where something happens in the scenario. */
  async drawCourse() {
    const place = this.course;
    const sides = [{ whose: this.data.origin, point: this.stored() }, { whose: "Run here", point: this.here }].filter(({ point }) => hasTimeline(point));
    if (!place) return;
    if (!sides.length) {
      place.replaceChildren();
      return;
    }
    await this.page.library();
    const drawn = made("div");
    place.replaceChildren(drawn);
    await figure(drawn, timeline(/** @type {import("./timeline.js").Side[]} */ (sides)), this.page.embed);
  }

  /** @param {string} key @param {any} value */
  settingText(key, value) {
    const input = this.all.find(one => one.path === key);
    if (typeof value !== "number") return String(value);
    if (!input) return keyText(value, "1");
    const [unit, size] = unitOf(input, value);
    return `${rounded(value / size)} ${unit}`.trim();
  }

  /** Raises each number, one at a time with the same random numbers, and shows those that are known to change the mean most. */
  async ranked() {
    this.moved.clear();
    try {
      const keys = await influence(this.engine, this.request(), this.all, (done, of) => this.say(`Raising each key by a tenth: ${done} of ${of}.`));
      const most = keys.slice(0, MOST_KEYS).map(key => key.input);
      const named = this.all.filter(input => this.experiment.keys.includes(input.path));
      this.inputs = [...named, ...most.filter(input => !named.includes(input))];
      this.drawKeys();
      this.say(keys.some(key => key.found?.established) ? "These keys change the mean response time most." : "No key is known to change the mean response time.");
      this.shown?.prepend(influenceTable(keys));
    } catch (fault) {
      if (!(fault instanceof DOMException)) this.say(String(fault));
    }
  }
}

/** The unit in which a value of a key is shown, and its size. @param {Input} input @param {number} value @returns {[string, number]} */
function unitOf({ suffix, shown_unit }, value) {
  if (shown_unit === "%") return ["%", 0.01];
  const [fit, size] = fitting(value, suffix);
  return [fit === suffix ? shown_unit || fit : fit, size];
}

/** Starts the live part of the page, if it has one. @param {() => Promise<unknown>} library what loads the library that draws */
export async function live(library) {
  const data = packed(document.getElementById("live-data"));
  const engine = packed(document.getElementById("live-engine"));
  const worker = document.getElementById("live-worker")?.textContent;
  if (!data || !engine || !worker) return;
  await new Live(await unpacked(data).json(), await Engine.load(engine, worker), { library }).start();
}
