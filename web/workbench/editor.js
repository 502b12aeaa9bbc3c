// The editor as the workbench loads it: `make editor` bundles it to python/sojourn/web/editor.js.gz.

import { StyleModule } from "style-mod";

import { Editor } from "../editor/editor.js";

/** Rules that stand in the page already. @type {Set<StyleModule>} */
const mounted = new Set();

// The policy of the workbench lets no text become a style: rules go into a sheet that the script makes, not into an element.
StyleModule.mount = (root, modules) => {
  const fresh = [modules].flat().filter(one => !mounted.has(one));
  if (!fresh.length) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(fresh.map(one => (mounted.add(one), one.getRules())).join("\n"));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
};

export { Editor };
