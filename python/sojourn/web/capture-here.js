// The place of captures in the workbench: a capture is read in the browser before, or instead of, being sent to the server.

import { CapturePanel } from "./capture.js";
import { Engine } from "./engine.js";
import { element, made } from "./shown.js";

/** Without styles of its own, as the policy of the pages asks. */
const WITHOUT_STYLE = { actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true } };

/** Begins where the page can read captures. */
function readHere() {
  const place = element("capture-here");
  if (!place) return;
  const { engine, worker, vega, twin } = place.dataset;
  const load = async () => {
    const answer = await fetch(engine);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    return Engine.at(new Uint8Array(await answer.arrayBuffer()), worker);
  };
  const loaded = load();
  void loaded.catch(fault => place.append(String(fault)));
  new CapturePanel(place, loaded, { library: () => import(vega), embed: WITHOUT_STYLE, ...(twin && { edit: one => void edited(twin, one, place) }) });
}

/**
 * Saves a twin as a scenario of the folder and opens it in the editor.
 *
 * @param {string} address
 * @param {import("./capture.js").Twin} twin
 * @param {HTMLElement} place
 */
async function edited(address, { name, text, files }, place) {
  const traces = Object.entries(files).flatMap(([file, content]) => [["trace", file], ["content", content]]);
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams([["name", name], ["text", text], ...traces]) });
  const said = await answer.json().catch(() => ({ refused: `the server answers ${answer.status}` }));
  if (said.address) location.assign(said.address);
  else place.append(made("p", { class: "message", role: "alert" }, `The twin is not saved: ${said.refused}`));
}

readHere();
