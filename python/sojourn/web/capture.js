// A capture in a page: a place to drop it, what it shows, and its twin. The file is read here, piece by piece; nothing is sent.
//
//   const panel = new CapturePanel(place, engine, { library, edit });   // an element, a promise of an Engine
//
// `library` loads what draws figures. `edit` takes the twin where the page has an editor. Calls are those of `crates/wasm` that begin with
// `capture_`, answered by one worker for each capture.

import { capturedTables } from "./captured.js";
import { figure } from "./chart.js";
import { Mistakes, understood } from "./engine.js";
import { Live } from "./live.js";
import { plain } from "./numbers.js";
import { made, pointsOf, save } from "./shown.js";
import { slowestFigure } from "./slowest.js";

/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {{ results_json: string, capture: import("./captured.js").Tables }} Found */
/** @typedef {{ name: string, text: string, files: Record<string, string>, agreement: string, agrees: boolean }} Twin a scenario, its traces, and how
 *           close it comes to its capture, in words */
/** @typedef {{ packets: number, seconds: number, transactions: number, response_time: number | null, share: number }} Standing how far a capture is read */
/** @typedef {{ library: () => Promise<unknown>, embed?: object, edit?: (twin: Twin) => void, shown?: () => void }} Page what loads the library that
 *           draws, its options there, and who takes a twin, or hears that a capture is shown */

/** Bytes that are read at a time. */
const PIECE = 1024 * 1024;
const SLOWEST = 10;
const VERDICTS = { agrees: "✓ Agrees with the capture.", deviates: "✗ DEVIATES from the capture, do not rely on it:", "not-compared": "? NOT COMPARED with the capture, do not rely on it:" };

/** The reading of one capture by a worker of its own. */
class Reading {
  /** @param {Engine} engine @param {File} file */
  constructor(engine, file) {
    this.file = file;
    this.instance = engine.start();
    /** @type {Promise<Twin> | undefined} */
    this.known = undefined;
  }

  /** @param {object} call @param {Uint8Array} [piece] @returns {Promise<any>} */
  async ask(call, piece) {
    return understood((await this.instance.exchange(call, piece)).answer);
  }

  /** Reads all of it; the next piece is read while a worker takes the last. @param {string} bit_rate @param {(standing: Standing) => void} watch @returns {Promise<Found>} */
  async read(bit_rate, watch) {
    const { file } = this;
    const piece = async (/** @type {number} */ at) => new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    await this.ask({ call: "capture_open", asked: { name: file.name, bit_rate: bit_rate || null, slowest: SLOWEST } });
    let next = piece(0);
    for (let at = 0, is_last = false; !is_last; at += PIECE) {
      const now = await next;
      is_last = at + PIECE >= file.size;
      if (!is_last) next = piece(at + PIECE);
      const standing = await this.ask({ call: "capture_piece", is_last }, now);
      watch({ ...standing, share: Math.min(1, (at + PIECE) / file.size) });
    }
    return this.ask({ call: "capture_found" });
  }

  /** The twin, which is found once. @returns {Promise<Twin>} */
  twin() {
    this.known ??= this.#twin();
    return this.known;
  }

  async #twin() {
    const name = this.file.name.replace(/\.(gz|zst)$/, "").replace(/\.[a-z]+$/, "").replace(/[^A-Za-z0-9_-]+/g, "-") || "capture";
    const { text, files, twin } = await this.ask({ call: "capture_twin", name: `${name}-twin` });
    const agreement = [VERDICTS[/** @type {"agrees"} */ (twin.verdict)], twin.why && `${twin.why}.`, twin.sentence].filter(Boolean).join(" ");
    return { name: `${name}-twin`, text, files, agreement, agrees: twin.verdict === "agrees" };
  }

  end() {
    this.instance.end();
  }
}

export class CapturePanel {
  /** @param {HTMLElement} place @param {Promise<Engine>} engine @param {Page} page */
  constructor(place, engine, page) {
    this.engine = engine;
    this.page = page;
    /** @type {Reading | undefined} */
    this.reading = undefined;
    /** @type {Found | undefined} */
    this.found = undefined;
    this.file = /** @type {HTMLInputElement} */ (made("input", { type: "file", id: "own-capture", "aria-describedby": "own-capture-help" }));
    this.rate = /** @type {HTMLInputElement} */ (made("input", { id: "own-rate", autocomplete: "off", placeholder: "500 kbit/s" }));
    const help = made("small", { id: "own-capture-help" }, "pcap or pcapng, also of gzip or zstd, or text of tcpdump -n, candump -L, axlisten, Dire Wolf or BPQ. It is read in this page; nothing is sent.");
    const choice = made("label", { class: "file quiet" }, "Open a capture", this.file);
    const rate = made("label", { class: "rate" }, "Bit rate of the medium, if it has one ", this.rate);
    this.drop = made("div", { class: "drop" }, made("p", {}, choice, " or drop it here"), rate, help);
    this.said = made("p", { class: "note", role: "status", id: "capture-said" });
    this.share = /** @type {HTMLProgressElement} */ (made("progress", { "aria-label": "Read of the capture", hidden: "" }));
    this.shown = made("div", { id: "capture-found" });
    place.append(this.drop, this.said, this.share, this.shown);
    this.file.addEventListener("change", () => void this.take(this.file.files?.[0]));
    this.rate.addEventListener("change", () => void this.take(this.reading?.file));
    // a file that is dropped beside the place is no address to go to; fields for files take them by themselves
    const isField = (/** @type {Event} */ event) => event.target instanceof HTMLInputElement;
    addEventListener("dragover", event => {
      if (isField(event)) return;
      event.preventDefault();
      this.drop.classList.add("over");
    });
    addEventListener("dragleave", () => this.drop.classList.remove("over"));
    addEventListener("drop", event => {
      this.drop.classList.remove("over");
      if (isField(event)) return;
      event.preventDefault();
      const files = event.dataTransfer?.files ?? [];
      if (files.length > 1) this.say("One capture at a time: sojourn analyse merges several.");
      else void this.take(files[0]);
    });
  }

  /** Reads a file and shows what it has. @param {File | undefined} file */
  async take(file) {
    if (!file) return;
    this.close();
    const engine = await this.engine;
    const reading = new Reading(engine, file);
    this.reading = reading;
    this.share.hidden = false;
    const began = performance.now();
    this.say(`Reading ${file.name} …`);
    try {
      const found = await reading.read(this.rate.value.trim(), standing => {
        this.share.value = standing.share;
        const mean = standing.response_time === null ? "" : `, mean response time ${plain(standing.response_time, "s")}`;
        this.say(`${standing.packets} packets, ${standing.transactions ?? 0} transactions${mean}`);
      });
      if (this.reading !== reading) return;
      this.found = found;
      await this.show(file.name, engine);
      this.say(`Read here in ${plain((performance.now() - began) / 1000, "s")}; nothing was sent.`);
      this.shown.dataset.read = String(Math.round(performance.now() - began));
    } catch (fault) {
      if (this.reading === reading) this.say(reasonOf(fault));
    } finally {
      if (this.reading === reading) this.share.hidden = true;
      this.file.value = "";
    }
  }

  /** Shows nothing of the capture before. */
  close() {
    this.reading?.end();
    this.reading = this.found = undefined;
    delete this.shown.dataset.read;
    this.shown.replaceChildren();
  }

  /** @param {string} name @param {Engine} engine */
  async show(name, engine) {
    const { results_json, capture } = /** @type {Found} */ (this.found);
    const results = JSON.parse(results_json);
    const { metrics } = await engine.ask({ call: "metrics" });
    const registry = new Map(metrics.map((/** @type {any} */ metric) => [metric.name, metric]));
    const flows = `${capture.flow_count} ${capture.flow_count === 1 ? "flow" : "flows"}`;
    const head = `${name}: ${capture.packets} packets of ${results.network} in ${plain(capture.seconds, "s")}, ${flows}`;
    const button = (/** @type {string} */ text, /** @type {(twin: Twin) => void} */ action) => {
      const one = made("button", { type: "button" }, text);
      one.addEventListener("click", () => void this.twin(action));
      return one;
    };
    const download = made("button", { type: "button", class: "quiet" }, "Download results.json");
    download.addEventListener("click", () => save("results.json", "application/json", results_json));
    const edit = this.page.edit ? [button("Twin in the editor", this.page.edit), " "] : [];
    this.agreement = made("p", { class: "agreement", role: "status", id: "capture-agreement" });
    this.live = made("section", { id: "live", class: "live", hidden: "", "aria-labelledby": "live-title" });
    this.figures = made("div", { id: "capture-figure" });
    const notes = capture.notes.map(text => made("li", {}, text));
    this.shown.replaceChildren(
      made("h2", { id: "capture-title", tabindex: "-1" }, head),
      made("p", {}, "Its twin is the scenario that reproduces it, simulated and compared with it here: move its keys beside what was captured, or change it and ask what if."),
      made("p", { class: "buttons" }, ...edit, button("Twin with sliders", twin => void this.slide(twin)), " ", button("Download the twin", saveTwin), " ", download),
      this.agreement,
      this.live,
      this.figures,
      ...capturedTables(pointsOf({ results_json, verdicts: [], failures: [], warnings: [] })[0], capture, registry),
      ...(notes.length ? [made("h3", {}, "What it cannot show"), made("ul", { class: "notes" }, ...notes)] : []),
    );
    this.page.shown?.();
    await this.redrawn();
  }

  /** Draws the figure in the colours of the page now. */
  async redrawn() {
    const one = this.found && slowestFigure(this.found.capture);
    if (!one || !this.figures) return;
    await this.page.library();
    this.figures.replaceChildren();
    await figure(this.figures, one, this.page.embed);
  }

  /** Finds the twin, says how close it comes, and hands it on. @param {(twin: Twin) => void} action */
  async twin(action) {
    const { reading, agreement } = this;
    if (!reading || !agreement) return;
    if (!reading.known) agreement.textContent = "Simulating what the capture allows, 3 runs each …";
    try {
      const twin = await reading.twin();
      if (this.reading !== reading) return;
      agreement.textContent = twin.agreement;
      agreement.className = `agreement ${twin.agrees ? "met" : "missed"}`;
      action(twin);
    } catch (fault) {
      if (this.reading === reading) agreement.textContent = `There is no twin: ${reasonOf(fault)}`;
    }
  }

  /** Sliders of the twin's keys, beside what was captured. @param {Twin} twin */
  async slide({ name, text, files }) {
    if (!this.found || !this.live || this.live.firstChild) return;
    this.live.append(made("h2", { id: "live-title" }, "What if?"), made("p", { class: "note" }, "Move a key: the twin is simulated beside what was captured."));
    const request = { name: `${name}.toml`, text, files };
    const stored = pointsOf({ results_json: this.found.results_json, verdicts: [], failures: [], warnings: [] });
    const experiment = { id: "", request, keys: [], ranges: {}, words: {}, stored };
    const data = { origin: "Captured", is_twin: true, is_captured: true, experiments: [experiment] };
    await new Live(data, await this.engine, { library: this.page.library, embed: this.page.embed, hasAddress: false }).start();
  }

  /** @param {string} text */
  say(text) {
    this.said.textContent = text;
  }
}

/** Saves a scenario and its traces. @param {Twin} twin */
function saveTwin({ name, text, files }) {
  save(`${name}.toml`, "application/toml", text);
  for (const [file, content] of Object.entries(files)) save(file, "text/csv", content);
}

/** Why something is not there, in words. @param {unknown} fault */
function reasonOf(fault) {
  if (fault instanceof Mistakes) return fault.problems.map(one => [one.message, one.help].filter(Boolean).join(". ")).join("; ");
  return fault instanceof Error ? fault.message : String(fault);
}
