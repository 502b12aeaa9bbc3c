// The page of a scenario in the workbench: what its text gives is simulated in the page, before a job runs on the server. The panel, its
// sliders and the engine are those of reports. The page has an element #live with these addresses as data:
//
//   data-engine (the engine, compressed), data-worker, data-vega (what draws figures), data-request (what simulates a text)

import { Engine } from "./engine.js";
import { Live } from "./live.js";
import { element } from "./shown.js";

/** @typedef {import("./engine.js").Request} Request */

/** Without styles of its own, as the policy of the pages asks. */
const UNSTYLED = { actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true } };
/** A screen with two columns: figures stand below the editor, which is wider than the panel. */
const TWO_COLUMNS = "(min-width: 821px)";
const NO_REQUEST = "The sliders come once the text has no mistake.";

class WhatIf {
  /** @param {HTMLElement} panel @param {HTMLFormElement} form @param {Engine} engine */
  constructor(panel, form, engine) {
    this.panel = panel;
    this.form = form;
    this.engine = engine;
    /** The text that is simulated. @type {string | undefined} */
    this.text = undefined;
    /** @type {Live | undefined} */
    this.live = undefined;
    /** Texts are taken one after the other. @type {Promise<void>} */
    this.taking = Promise.resolve();
  }

  /** Takes the text on the screen, unless it is the one that is simulated. */
  take() {
    this.taking = this.taking.then(() => this.#take()).catch(fault => this.say(`The page cannot simulate: ${fault instanceof Error ? fault.message : fault}.`));
    return this.taking;
  }

  async #take() {
    const text = element("text").value;
    if (text === this.text) return;
    const request = await this.requestOf(text);
    if (!request) {
      if (!this.live) this.say(NO_REQUEST);
      return;
    }
    this.text = text;
    if (this.live) {
      await this.live.rewritten(request);
      return;
    }
    this.say("");
    const experiment = { id: "", request, keys: [], ranges: {}, words: {}, stored: [] };
    const data = { origin: "As written", is_twin: false, is_captured: false, experiments: [experiment] };
    const actions = /** @type {[string, () => void][]} */ ("readOnly" in this.form.dataset ? [] : [["Use in the job", () => this.use()]]);
    const vega = String(this.panel.dataset.vega);
    const more = matchMedia(TWO_COLUMNS).matches ? element("live-more") : undefined;
    this.live = new Live(data, this.engine, { library: () => import(vega), embed: UNSTYLED, actions, more });
    await this.live.start();
    if ("runs" in this.panel.dataset) await this.live.run();
  }

  /** What simulates a text, with the files that it names; nothing of one with mistakes. @param {string} text @returns {Promise<Request | null>} */
  async requestOf(text) {
    const address = String(this.panel.dataset.request);
    // who may only look sees the text of the file
    const asked = "readOnly" in this.form.dataset ? {} : { method: "POST", body: new URLSearchParams({ text }) };
    const answer = await fetch(address, asked);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    return (await answer.json()).request;
  }

  /** Writes what was moved into the keys of the job that is open. */
  use() {
    const keys = this.form.querySelector(".job[open] textarea[name$='.set']");
    if (!(keys instanceof HTMLTextAreaElement) || !this.live) return;
    keys.value = this.live.settings().join("\n");
    for (let around = keys.closest("details"); around; around = around.parentElement?.closest("details") ?? null) around.open = true;
    keys.focus();
  }

  /** @param {string} text */
  say(text) {
    element("live-said").textContent = text;
  }
}

/** Begins where the page can simulate. */
async function begin() {
  const panel = element("live");
  const form = element("editor");
  if (!panel?.dataset.engine || !form) return;
  try {
    const answer = await fetch(panel.dataset.engine);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const engine = await Engine.at(new Uint8Array(await answer.arrayBuffer()), panel.dataset.worker);
    const whatIf = new WhatIf(panel, form, engine);
    element("checked").addEventListener("valid", () => void whatIf.take());
    await whatIf.take();
  } catch (fault) {
    element("live-said").textContent = `This page cannot simulate: ${fault instanceof Error ? fault.message : fault}.`;
  }
}

void begin();
