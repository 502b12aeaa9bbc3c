// An answer on the page: its sentence, numbers and figures as they arrive, and what one replication of it shows.

import { adviceFigures, adviceTable } from "./advice.js";
import { figure } from "../../python/sojourn/web/chart.js";
import { library } from "../../python/sojourn/web/figures.js";
import { element, made } from "../../python/sojourn/web/shown.js";
import { differences, headline, markOf, metricsTable, numbersTable, replicationsOf } from "./answer.js";
import { AS_WRITTEN, commandOf, requestOf } from "./asking.js";
import { conditionOf, courseFigures, figuresOf, settingOf } from "./charts.js";
import { save } from "./parts.js";

/** @typedef {import("../../python/sojourn/web/engine.js").Engine} Engine */
/** @typedef {import("../../python/sojourn/web/engine.js").Evaluation} Evaluation */
/** @typedef {import("./charts.js").Side & { text: string, evaluation: Evaluation }} Side */
/** @typedef {{ ask: import("./address.js").Ask, question: import("./answer.js").Question | null, name: string }} Asked
 *           `name` is that of files */

/** Figures are drawn at most this often while replications arrive, and this many times as seldom as drawing takes. */
const FIGURES_REDRAWN_MS = 2000;
const REST = 8;

export class Result {
  /** @param {Promise<Engine>} engine */
  constructor(engine) {
    this.engine = engine;
    this.registry = engine.then(async one => {
      const { metrics } = await one.ask({ call: "metrics" });
      return new Map(metrics.map((/** @type {any} */ metric) => [metric.name, metric]));
    });
    /** @type {Side[]} */
    this.sides = [];
    /** @type {Asked} */
    this.asked = { ask: AS_WRITTEN, question: null, name: "" };
    this.isWhole = false;
    this.figuresDrawn = 0;
    this.figuresTook = 0;
    element("results").addEventListener("click", () => save("results.json", "application/json", this.now.evaluation.results_json));
    element("course").addEventListener("click", () => void this.one(() => this.course()));
    element("capture").addEventListener("click", () => void this.one(() => this.capture()));
  }

  /** A run begins: its numbers come first, figures of its course only where it takes long. */
  begin() {
    this.figuresDrawn = performance.now();
  }

  /** Shows nothing until the next answer. */
  forget() {
    this.sides = [];
    element("answer").hidden = true;
    for (const id of ["figures", "courses"]) element(id).replaceChildren();
  }

  /** @returns {Side} the scenario of the editor, as it was run last */
  get now() {
    return this.sides[this.sides.length - 1];
  }

  /**
   * @param {Side[]} sides
   * @param {Asked} asked
   * @param {boolean} isWhole whether all replications have ended
   */
  async show(sides, asked, isWhole) {
    [this.sides, this.asked, this.isWhole] = [sides, asked, isWhole];
    const registry = await this.registry;
    if (this.sides !== sides || sides.every(side => side.points.every(point => point.status === "ok" && point.replications === 0))) return;
    const { text, verdict } = headline(sides, asked.question, registry);
    element("headline").className = `headline ${verdict ?? ""}`;
    element("headline").textContent = isWhole ? `${markOf(verdict)}${text}` : `So far: ${text}`;
    const { advice } = this.now;
    element("numbers").replaceChildren(advice ? adviceTable(advice, registry) : numbersTable(sides, replicationsOf(sides), registry));
    const warnings = sides.flatMap(side => side.evaluation.warnings);
    element("warnings").replaceChildren(...warnings.map(text => made("p", { class: "note" }, `Note: ${text}`)));
    const isFirst = element("answer").hidden;
    element("answer").hidden = false;
    if (isFirst) element("headline").scrollIntoView({ block: "nearest" });
    element("stale").hidden = true;
    for (const id of ["all", "differs", "more"]) element(id).hidden = true;
    if (!isWhole && performance.now() - this.figuresDrawn < Math.max(FIGURES_REDRAWN_MS, REST * this.figuresTook)) return;
    await this.figures("figures", this.drawn(registry));
    if (!isWhole || this.sides !== sides) return;
    this.showRest(registry);
  }

  /** The figures of the answer. @param {Map<string, any>} registry */
  drawn(registry) {
    const { advice } = this.now;
    return advice ? adviceFigures(advice, registry) : figuresOf(this.sides, registry, conditionOf(this.now));
  }

  /** What stands below the figures of a whole answer. @param {Map<string, any>} registry */
  showRest(registry) {
    element("all").hidden = element("more").hidden = false;
    element("metrics").replaceChildren(metricsTable(this.sides, registry));
    element("differs").hidden = this.sides.length < 2;
    if (this.sides.length > 1) {
      const lines = differences(this.sides[0].text, this.sides[1].text);
      element("lines").replaceChildren(...lines.map(line => made("span", { class: line.startsWith("-") ? "old" : "new" }, `${line}\n`)));
    }
    const { points, evaluation } = this.now;
    element("replication").hidden = this.now.find || this.now.advice || Object.keys(evaluation.firsts ?? {}).length === 0;
    element("point").replaceChildren(...points.map((point, index) => made("option", { value: String(index) }, settingOf(point) || "as written")));
    element("points").hidden = points.length < 2;
    element("courses").replaceChildren();
    element("command").textContent = `sojourn ${commandOf(this.asked.ask, `${this.asked.name}.toml`)}`;
  }

  /** Draws figures in a place; those that are begun there later replace them. @param {string} id @param {import("./charts.js").Figure[]} figures */
  async figures(id, figures) {
    this.figuresDrawn = performance.now();
    await library();
    const drawn = made("div", { class: "figures" });
    element(id).append(drawn);
    for (const one of figures) {
      if (element(id).lastElementChild !== drawn) return;
      await figure(drawn, one);
    }
    if (element(id).lastElementChild === drawn) element(id).replaceChildren(drawn);
    this.figuresTook = performance.now() - this.figuresDrawn;
  }

  /** Draws the figures again, in the colours of the page now. */
  async redrawn() {
    if (this.sides.length && this.isWhole) await this.figures("figures", this.drawn(await this.registry));
    if (element("courses").firstElementChild) await this.one(() => this.course());
  }

  /** @param {"course" | "frames"} what @returns {Promise<any>} */
  async replication(what) {
    const { text, evaluation } = this.now;
    const item = evaluation.firsts?.[element("point").value || "0"];
    if (!item) throw new Error("the first replication has not ended");
    return (await this.engine).shown(what, requestOf(text, this.asked.ask), item);
  }

  /** Draws the first replication over time. */
  async course() {
    const { course } = await this.replication("course");
    await this.figures("courses", courseFigures(course));
    const isThinned = course.some((/** @type {any} */ one) => one.is_thinned);
    const thinned = isThinned ? " Of neighbouring points the smallest and the largest are drawn." : "";
    return course.length ? `The first replication from its start.${thinned}` : "This network traces nothing over time.";
  }

  /** Saves the frames of the first replication. */
  async capture() {
    const { frames, left_out: rest, record } = await this.replication("frames");
    if (!frames) return "This network has no frames to capture.";
    save(`${this.asked.name}.pcap`, "application/vnd.tcpdump.pcap", record);
    return `${frames} frames of the first replication are saved, for Wireshark.${rest ? ` ${rest} later ones are left out.` : ""}`;
  }

  /** Does what a button asks of the first replication, and shows how it ended. @param {() => Promise<string>} action */
  async one(action) {
    element("said").textContent = "Simulating the first replication again …";
    element("said").textContent = await action().catch(fault => `This cannot be shown: ${fault.message}.`);
  }
}
