// Draws the figures of a report from their Vega-Lite specifications. The library that draws is compressed in the element
// #figures-library.

import { chart } from "./chart.js";
import { packed, run, unpacked } from "./packed.js";

/** @type {Promise<void> | undefined} */
let loading;

/** The library that draws, loaded once. */
export function library() {
  loading ??= run("figures-library");
  return loading;
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
