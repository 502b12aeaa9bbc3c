// Draws the figures of a report from their Vega-Lite specifications. The library that draws is compressed in the element
// #figures-library; the page's policy has the hash of its text.

import { chart } from "./chart.js";
import { packed, unpacked } from "./packed.js";

/** @type {Promise<void> | undefined} */
let loading;

/** The library that draws, loaded once. */
export function library() {
  loading ??= load();
  return loading;
}

async function load() {
  const bytes = packed(document.getElementById("figures-library"));
  if (!bytes) throw new Error("the page lacks the library that draws its figures");
  const script = document.createElement("script");
  script.textContent = await unpacked(bytes).text();
  document.head.append(script); // runs it
}

export async function figures() {
  await library();
  for (const figure of document.querySelectorAll("figure")) {
    const bytes = packed(figure.querySelector("script"));
    const place = /** @type {HTMLElement} */ (figure.querySelector(".chart"));
    if (bytes) await chart(place, await unpacked(bytes).json());
    await new Promise(resolve => setTimeout(resolve)); // what the reader does comes before the next figure
  }
}
