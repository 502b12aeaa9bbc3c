// One scenario: its editor, what is asked of it, and the answer as it arrives.

import { Mistakes, often } from "../../python/sojourn/web/engine.js";
import { followPlaces, problemList } from "../../python/sojourn/web/problems.js";
import { significant } from "../../python/sojourn/web/numbers.js";
import { element, made, pointsOf } from "../../python/sojourn/web/shown.js";
import { Editor } from "../editor/editor.js";
import { written } from "./address.js";
import { AS_WRITTEN, Asking, adviceOf, askedOf, requestOf } from "./asking.js";
import { NAME, attach, attached, save } from "./parts.js";
import { Result } from "./result.js";

/** @typedef {import("../../python/sojourn/web/engine.js").Engine} Engine */
/** @typedef {import("../../python/sojourn/web/engine.js").Evaluation} Evaluation */
/** @typedef {import("./address.js").Ask} Ask */
/** @typedef {import("./address.js").Place} Place */
/** @typedef {import("./result.js").Side} Side */
/** @typedef {import("../../python/sojourn/web/capture.js").Twin} Twin */
/** @typedef {import("../editor/editor.js").Checked & { question: any }} Checked */
/** @typedef {{ id: string, question: string, about: string, text: string, ask: Ask }} Example */

/** A template of a network is an example whose name begins so. */
export const NEW = "new-";
const MOST_KEPT_RESULTS = 20;
/** Numbers are drawn at most this often while replications arrive. */
const NUMBERS_REDRAWN_MS = 300;
const ADDRESSED_AFTER_MS = 400;

/** Whether a mistake is in the text of the editor, not in a profile. @param {import("../../python/sojourn/web/problems.js").Problem} problem */
const isHere = ({ file }) => file === NAME;

export class Workspace {
  /** @param {Example[]} examples @param {Promise<Engine>} engine */
  constructor(examples, engine) {
    this.examples = examples;
    this.engine = engine;
    /** @type {Place} */
    this.place = { example: "", text: undefined, kept: undefined, ask: undefined };
    /** The text that the address leaves out. */
    this.base = "";
    /** What was computed, by scenario and question. @type {Map<string, Evaluation>} */
    this.results = new Map();
    /** @type {AbortController | undefined} */
    this.running = undefined;
    this.timer = 0;
    /** The twins of captures that were taken, by their texts. @type {Map<string, Twin>} */
    this.twins = new Map();
    /** That in the editor. @type {Twin | undefined} */
    this.twin = undefined;
    this.asking = new Asking();
    this.result = new Result(engine);
    this.editor = new Editor(element("code"), {
      check: text => this.check(text),
      schema: async kind => (await (await engine).ask({ call: "schema", kind: kind || null })).schema,
      start: () => void this.start(),
      changed: () => this.changed(),
      checked: found => void this.checked(found),
      described: lines => element("key-help").replaceChildren(...(lines.length ? [made("b", {}, lines[0]), ` ${lines.slice(1).join(" · ")}`] : [])),
    });
    this.listen();
  }

  listen() {
    const on = (/** @type {string} */ id, /** @type {string} */ event, /** @type {(event: any) => void} */ action) => element(id).addEventListener(event, action);
    on("ask", "submit", event => {
      event.preventDefault();
      void this.start();
    });
    on("cancel", "click", () => this.cancel());
    on("keep", "click", () => this.keep(this.editor.text));
    on("forget", "click", () => this.keep(undefined));
    on("copy", "click", () => void this.copied());
    on("save", "click", () => this.saved());
    on("file", "change", ({ target }) => void this.opened(target.files[0]));
    on("original", "click", () => this.editor.show(this.base));
    for (const id of ["mistakes", "problems"]) followPlaces(element(id), (line, column) => this.editor.goTo(line, column));
  }

  /** Shows what an address asks for, and answers it. @param {Place} place */
  async open(place) {
    this.cancel();
    const example = this.examples.find(one => one.id === place.example);
    const next = { ...place, kept: place.kept ?? this.place.kept, ask: place.ask ?? example?.ask ?? AS_WRITTEN };
    this.place = next;
    const base = example?.text ?? (await this.template(place.example));
    if (this.place !== next) return; // another one was opened meanwhile
    this.base = base;
    this.asking.question = null;
    const text = place.text ?? this.base;
    const twin = this.twins.get(text);
    this.twin = twin;
    if (twin) this.attached(twin);
    element("agreement").hidden = !twin;
    element("title").textContent = document.title = example?.question ?? (twin ? `Twin of a capture: ${twin.name}` : "Your network");
    element("about").textContent = example?.about ?? "Change the scenario and run it. Everything is computed in this page.";
    if (this.editor.text !== text) this.editor.show(text);
    clearTimeout(this.timer); // the address is right already
    this.asking.show(next.ask);
    this.showKept();
    this.result.forget();
    await this.start(false);
  }

  /** Takes the twin of a capture into the editor, and the page to its address. @param {Twin} twin */
  async take(twin) {
    this.twins.set(twin.text, twin);
    location.hash = await written({ example: "", text: twin.text, kept: this.place.kept, ask: undefined });
  }

  /** Its traces are the files of the scenario, and how close it comes stands above it. @param {Twin} twin */
  attached(twin) {
    attach(twin.files);
    this.results.clear(); // a scenario of the same name may have had other traces
    element("agreement").textContent = twin.agreement;
    element("agreement").className = `agreement ${twin.agrees ? "met" : "missed"}`;
  }

  /** A scenario of a kind of network, to begin with. @param {string} name */
  async template(name) {
    if (!name.startsWith(NEW)) return "";
    const found = await (await this.engine).ask({ call: "template", kind: name.slice(NEW.length) }).catch(() => ({ text: "" }));
    return found.text;
  }

  // ---- a run ----

  /** Computes what the form asks of the text, beside the kept scenario. @param {boolean} [isNew] whether it is a step to come back from */
  async start(isNew = true) {
    this.cancel();
    const running = new AbortController();
    this.running = running;
    const [text, ask, began] = [this.editor.text, this.asking.now, performance.now()];
    this.place = { ...this.place, ask };
    delete element("work").dataset.ran;
    if (isNew) await this.addressed(true);
    if (running.signal.aborted) return;
    element("cancel").hidden = false;
    element("share").hidden = false;
    element("share").removeAttribute("value");
    element("mistakes").replaceChildren();
    this.say("Starting …");
    this.result.begin();
    const { kept } = this.place;
    const texts = kept !== undefined && kept !== text ? [["Kept", kept], ["Now", text]] : [["", text]];
    /** @type {Side[]} */
    const sides = [];
    try {
      const { question } = await (await this.engine).ask({ call: "check", request: requestOf(text, AS_WRITTEN) });
      const asked = { ask, question, name: this.place.example || "scenario" };
      for (const [name, own] of texts) {
        const side = (/** @type {Evaluation} */ found) => ({ name, text: own, points: pointsOf(found), find: found.find, advice: JSON.parse(found.results_json).advice, evaluation: found });
        const evaluation = await this.compute(own, ask, running.signal, name, found => void this.result.show([...sides, side(found)], asked, false));
        sides.push(side(evaluation));
      }
      if (running.signal.aborted) return;
      this.running = undefined;
      await this.result.show(sides, asked, true);
      const replications = sides.flatMap(one => one.points).reduce((sum, point) => sum + point.replications, 0);
      this.say(`${replications} replications simulated here in ${significant((performance.now() - began) / 1000)} s.`);
      element("work").dataset.ran = String(Math.round(performance.now() - began));
    } catch (fault) {
      if (running.signal.aborted) return;
      this.running = undefined;
      this.say("");
      const problems = fault instanceof Mistakes ? fault.problems : [{ file: null, line: null, column: null, message: String(fault), help: null }];
      element("mistakes").replaceChildren(...problemList(problems, isHere));
    } finally {
      if (this.running === undefined) this.stopped();
    }
  }

  /**
   * @param {string} text
   * @param {Ask} ask
   * @param {AbortSignal} signal
   * @param {string} name
   * @param {(found: Evaluation) => void} soFar
   * @returns {Promise<Evaluation>}
   */
  async compute(text, ask, signal, name, soFar) {
    const key = JSON.stringify([text, ask]);
    const known = this.results.get(key);
    if (known) return known;
    const draw = often(NUMBERS_REDRAWN_MS, found => signal.aborted || soFar(found));
    const watch = (/** @type {import("../../python/sojourn/web/engine.js").Progress} */ progress) => {
      const { done, of } = progress;
      element("share").value = Math.min(1, done / of);
      this.say(`${name && `${name}: `}${done} of ${ask.kind === "find" ? "at most " : ask.kind === "advise" ? "at least " : ""}${of} replications.`);
      draw(progress);
    };
    const found = await (await this.engine).run(requestOf(text, ask), { signal, watch, asked: askedOf(ask), advice: adviceOf(ask) });
    this.results.set(key, found);
    if (this.results.size > MOST_KEPT_RESULTS) this.results.delete(/** @type {string} */ (this.results.keys().next().value));
    return found;
  }

  /** Ends the run, if one is under way. */
  cancel() {
    if (!this.running) return;
    this.running.abort();
    this.running = undefined;
    this.stopped();
    this.say("Cancelled.");
  }

  stopped() {
    const hadFocus = document.activeElement === element("cancel");
    element("cancel").hidden = true;
    element("share").hidden = true;
    if (hadFocus) element("start").focus();
  }

  // ---- the text ----

  changed() {
    element("stale").hidden = this.result.sides.length === 0;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.addressed(false), ADDRESSED_AFTER_MS);
  }

  /** What is wrong with a text, and what it asks. @param {string} text @returns {Promise<Checked>} */
  async check(text) {
    const found = { problems: [], warnings: [], question: null };
    try {
      return { ...found, ...(await (await this.engine).ask({ call: "check", request: requestOf(text, AS_WRITTEN) })) };
    } catch (fault) {
      if (fault instanceof Mistakes) return { ...found, problems: fault.problems };
      throw fault;
    }
  }

  /** @param {Checked} found */
  async checked({ problems, warnings, question }) {
    if (!problems.length) this.asking.question = question;
    const noted = warnings.map(text => made("p", { class: "note" }, text));
    element("problems").replaceChildren(...problemList(problems, isHere), ...noted);
    if (problems.length) return;
    if (!warnings.length) element("problems").append(made("p", { class: "good" }, "✓ No mistakes"));
    const { inputs } = await (await this.engine).ask({ call: "inputs", request: requestOf(this.editor.text, AS_WRITTEN), keys: [] }).catch(() => ({ inputs: [] }));
    this.asking.inputs = inputs.filter((/** @type {any} */ one) => one.values.length > 0);
    element("keys").replaceChildren(...this.asking.inputs.map(one => made("option", { value: one.path, label: one.label ?? one.path })));
  }

  /** @param {File | undefined} file */
  async opened(file) {
    if (!file) return;
    this.cancel();
    this.place = { ...this.place, example: "" };
    this.base = await file.text();
    element("title").textContent = document.title = file.name;
    element("about").textContent = "";
    element("agreement").hidden = true;
    this.twin = undefined;
    this.asking.show(AS_WRITTEN);
    this.result.forget();
    this.editor.show(this.base);
    element("file").value = "";
  }

  /** @param {string | undefined} text what results are compared with */
  keep(text) {
    this.place = { ...this.place, kept: text };
    this.showKept();
    void this.addressed(false);
  }

  showKept() {
    const { kept } = this.place;
    element("kept").hidden = kept === undefined;
    element("keep").hidden = kept !== undefined;
    element("kept-title").textContent = /^title\s*=\s*"([^"]*)"/m.exec(kept ?? "")?.[1] ?? "a scenario";
  }

  /** Writes what is on the page into its address. @param {boolean} isNew whether the back button returns to the former one */
  async addressed(isNew) {
    clearTimeout(this.timer);
    const text = this.editor.text;
    // the text of an example stands in its place; that of a file in the address
    const isBase = this.place.example !== "" && text === this.base;
    this.place = { ...this.place, text: isBase ? undefined : text };
    const example = this.examples.find(one => one.id === this.place.example);
    const isOwn = JSON.stringify(this.place.ask) === JSON.stringify(example?.ask ?? AS_WRITTEN);
    const address = await written({ ...this.place, ask: isOwn ? undefined : this.place.ask });
    if (address === location.hash) return;
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  /** Saves the scenario, and the files that came with it. */
  saved() {
    const { text } = this.editor;
    save(`${this.place.example || this.twin?.name || "scenario"}.toml`, "application/toml", text);
    for (const [name, content] of Object.entries(attached(text))) save(name, "text/csv", content);
  }

  async copied() {
    await this.addressed(false);
    const rest = Object.keys(attached(this.editor.text)).length ? " The traces of the capture are not in it: download them." : "";
    try {
      await navigator.clipboard.writeText(location.href);
      element("linked").textContent = `The link is copied. It holds the scenario and what is asked of it.${rest}`;
    } catch {
      element("linked").textContent = `The address of this page is the link now.${rest}`;
    }
  }

  /** @param {string} text */
  say(text) {
    element("status").textContent = text;
  }
}
