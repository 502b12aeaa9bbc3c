// The live panel in a cell of a notebook, a widget of anywidget: what the reader moves is simulated in the page, without the kernel, which
// hears of the settings and of what they gave. `sojourn.widget` has the traits:
//
//   data (of live.js), engine and vega (compressed; vega is empty where no figure is drawn), and, written here, settings and point

import { Engine } from "./engine.js";
import { Live } from "./live.js";
import { unpacked } from "./packed.js";
import { made } from "./shown.js";

/** @typedef {{ get: (name: string) => any, set: (name: string, value: any) => void, save_changes: () => void }} Model */

/** @typedef {{ model: Model, el: HTMLElement }} Cell */

/** Styles that a page applies by the scheme of its reader; a notebook has a theme of its own. */
const DARK = "screen and (prefers-color-scheme: dark)";

class InNotebook extends Live {
  /** @param {import("./live.js").Data} data @param {Engine} engine @param {import("./live.js").Page} page @param {Model} model */
  constructor(data, engine, page, model) {
    super(data, engine, page);
    this.model = model;
  }

  async run() {
    this.model.set("settings", this.settings());
    this.model.save_changes();
    await super.run();
    this.told();
  }

  async reset() {
    await super.reset();
    this.model.set("settings", []);
    this.told();
  }

  /** Gives the kernel what is shown. */
  told() {
    this.model.set("point", this.here ?? this.written ?? {});
    this.model.save_changes();
  }
}

/**
 * What anywidget asks of a widget.
 *
 * @param {string} style of reports
 * @param {string} worker the text of worker.js
 */
export function widget(style, worker) {
  return { render: (/** @type {Cell} */ cell) => render(cell, style, worker) };
}

/**
 * Draws the panel, with styles that no notebook has and that reach nothing of it; gives what removes it.
 *
 * @param {Cell} cell
 * @param {string} styles
 * @param {string} worker
 * @returns {Promise<() => void>}
 */
async function render({ model, el }, styles, worker) {
  const host = made("div");
  el.append(host);
  const root = host.attachShadow({ mode: "open" });
  const panel = made("section", { class: "live", "aria-label": "Simulate with other values" });
  const scheme = isDark(el) ? "screen" : "not all";
  const own = ":host { color: var(--ink); font: 15px/1.55 Helvetica, Arial, sans-serif; }";
  const style = made("style", {}, styles.replaceAll(":root", ":host").replaceAll(DARK, scheme) + own);
  root.append(style, panel);
  try {
    const engine = await Engine.load(bytes(model.get("engine")), worker);
    const page = { library: () => library(bytes(model.get("vega"))), panel, hasAddress: false };
    await new InNotebook(model.get("data"), engine, page, model).start();
    return () => {
      engine.close();
      host.remove();
    };
  } catch (fault) {
    panel.append(made("p", { role: "alert" }, `This cell cannot simulate: ${fault instanceof Error ? fault.message : fault}.`));
    return () => host.remove();
  }
}

/** @param {DataView} view @returns {Uint8Array} */
function bytes(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Whether what is behind an element is dark, in whatever notation its theme has colours. @param {Element | null} element */
function isDark(element) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  for (let at = element; at && canvas; at = at.parentElement ?? /** @type {ShadowRoot} */ (at.getRootNode()).host ?? null) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = getComputedStyle(at).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
    if (opacity > 127) return 0.3 * red + 0.6 * green + 0.1 * blue < 128;
  }
  return false;
}

/** Loads the library that draws, once for all cells. @param {Uint8Array} compressed */
async function library(compressed) {
  if ("vegaEmbed" in window || compressed.length === 0) return;
  const script = made("script", {}, await unpacked(compressed).text());
  document.head.append(script); // runs it
}
