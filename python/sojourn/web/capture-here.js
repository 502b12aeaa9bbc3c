// The place of captures in the workbench: a capture is read in the browser before, or instead of, being sent to the server.

import { CapturePanel } from "./capture.js";
import { Engine } from "./engine.js";
import { element } from "./shown.js";

/** Without styles of its own, as the policy of the pages asks. */
const WITHOUT_STYLE = { actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true } };

/** Begins where the page can read captures. */
function readHere() {
  const place = element("capture-here");
  if (!place) return;
  const { engine, worker, vega } = place.dataset;
  const load = async () => {
    const answer = await fetch(engine);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    return Engine.at(new Uint8Array(await answer.arrayBuffer()), worker);
  };
  const loaded = load();
  void loaded.catch(fault => place.append(String(fault)));
  new CapturePanel(place, loaded, { library: () => import(vega), embed: WITHOUT_STYLE });
}

readHere();
