// The playground: a gallery of questions, and a workspace that answers one. `tools/playground.py` writes the page.

import { CapturePanel } from "../../python/sojourn/web/capture.js";
import { Engine } from "../../python/sojourn/web/engine.js";
import { library } from "../../python/sojourn/web/figures.js";
import { packed } from "../../python/sojourn/web/packed.js";
import { element } from "../../python/sojourn/web/shown.js";
import { read } from "./address.js";
import { Cards } from "./cards.js";
import { Workspace } from "./workspace.js";

const THEME = "sojourn-theme";

/** The theme that the reader chose in this browser, or else that of the system. */
function theme() {
  let chosen = null;
  try {
    chosen = localStorage.getItem(THEME);
  } catch {
    // a browser that keeps nothing has the theme of the system
  }
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  element("theme").textContent = dark ? "Light" : "Dark";
}

/** @param {Workspace} workspace @param {CapturePanel} captures */
function listenToTheme(workspace, captures) {
  element("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(THEME, next);
    } catch {
      // it holds for this page only
    }
    document.documentElement.dataset.theme = next;
    element("theme").textContent = next === "dark" ? "Light" : "Dark";
    void workspace.result.redrawn();
    void captures.redrawn();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    theme();
    void workspace.result.redrawn();
    void captures.redrawn();
  });
}

/** Shows the gallery, or the workspace with what the address asks for. @param {Workspace} workspace */
async function route(workspace) {
  element("lost").hidden = true;
  let place;
  try {
    place = await read(location.hash);
  } catch (fault) {
    element("lost").hidden = false;
    element("lost").textContent = `This link cannot be read: ${fault instanceof Error ? fault.message : fault}.`;
  }
  element("gallery").hidden = place !== undefined;
  element("work").hidden = place === undefined;
  scrollTo(0, 0);
  if (place) {
    element("title").focus();
    await workspace.open(place);
  } else {
    workspace.cancel();
    document.title = "Sojourn playground";
  }
}

/** The place of captures, beside which no questions are shown while it has one. @param {Promise<Engine>} engine @param {Workspace} workspace */
function panelOf(engine, workspace) {
  const show = (/** @type {boolean} */ isShown) => {
    element("all-questions").hidden = !isShown;
    element("questions").hidden = isShown;
  };
  const taken = () => {
    show(true);
    if (element("gallery").hidden) location.hash = ""; // it was dropped beside the editor
  };
  const captures = new CapturePanel(element("captures"), engine, { library, edit: twin => void workspace.take(twin), shown: taken });
  element("close-capture").addEventListener("click", () => {
    captures.close();
    captures.say("");
    show(false);
    captures.file.focus();
  });
  return captures;
}

async function start() {
  theme();
  const examples = JSON.parse(element("examples").textContent);
  const compressed = /** @type {Uint8Array} */ (packed(element("engine")));
  const engine = Engine.load(compressed, element("worker").textContent);
  const cards = new Cards(JSON.parse(element("installations").textContent), engine);
  const workspace = new Workspace([...examples, ...cards.examples], engine);
  const captures = panelOf(engine, workspace);
  listenToTheme(workspace, captures);
  addEventListener("hashchange", () => void route(workspace));
  try {
    await engine;
  } catch (fault) {
    element("lost").hidden = false;
    element("lost").textContent = `This browser cannot run the simulation: ${fault instanceof Error ? fault.message : fault}.`;
    return;
  }
  // what draws is there before the first answer; where it is missing, the answer says so
  void library().catch(() => undefined);
  await route(workspace);
}

void start();
