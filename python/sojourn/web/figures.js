// Draws the figures of a report from their Vega-Lite specifications. The library that draws is compressed in the element
// #figures-library; the page's policy has the hash of its text.

import { packed, unpacked } from "./packed.js";

// A chart as wide as its figure has room for: panels below each other and legends in fewer columns on a narrow screen.
/** @param {any} part @param {number} room @param {boolean} narrow @returns {any} */
function fitted(part, room, narrow) {
  if (part === null || typeof part !== "object") return part;
  if (Array.isArray(part)) return part.map(item => fitted(item, room, narrow));
  /** @type {any} */
  const made = {};
  for (const [name, value] of Object.entries(part)) {
    if (name === "data" || name === "datasets") made[name] = value;
    else if (name === "width" && typeof value === "number" && part.type !== "bar") made[name] = Math.min(value, room);
    else if (name === "columns" && narrow) made[name] = part.concat ? 1 : Math.max(1, Math.floor((value * room) / 620));
    else made[name] = fitted(value, room, narrow);
  }
  if (narrow && made.hconcat) {
    made.vconcat = made.hconcat;
    delete made.hconcat;
  }
  if (narrow && made.labelLimit) made.labelLimit = room;
  return made;
}

// `ast`: expressions are interpreted, since the page's policy lets no text become code
const options = { renderer: "svg", ast: true, actions: { export: true, source: false, compiled: false, editor: false } };

async function library() {
  const bytes = packed(document.getElementById("figures-library"));
  if (!bytes) throw new Error("the page lacks the library that draws its figures");
  const script = document.createElement("script");
  script.textContent = await unpacked(bytes).text();
  document.head.append(script); // runs it
}

export async function figures() {
  await library();
  const { vegaEmbed } = /** @type {any} */ (window);
  for (const figure of document.querySelectorAll("figure")) {
    const bytes = packed(figure.querySelector("script"));
    if (!bytes) continue;
    const specification = await unpacked(bytes).json();
    const chart = /** @type {HTMLElement} */ (figure.querySelector(".chart"));
    const narrow = chart.clientWidth < 700;
    const room = chart.clientWidth - 100;
    await vegaEmbed(chart, fitted(specification, room, narrow), options);
    // long labels of an axis take room from the plot
    const drawn = /** @type {Element} */ (chart.querySelector("svg.marks"));
    const beyond = drawn.getBoundingClientRect().width - chart.clientWidth;
    if (beyond > 0) await vegaEmbed(chart, fitted(specification, room - beyond - 4, narrow), options);
  }
}
