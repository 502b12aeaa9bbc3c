// A chart as wide as its place, drawn by the Vega-Embed of the page.

import { made } from "./shown.js";

/** @typedef {{ title: string, caption?: string, specification: object }} Figure */

const NARROW = 700;
/** What the labels of an axis take at least. */
const LABELS = 100;
/** What the labels of a panel and the gap before it take. */
const BESIDE = 110;
/** Width of the menu that saves a figure. */
const MENU = 38;
/** Width of a character of a panel's title. */
const CHARACTER = 6.5;
/** Panels beside and below each other have labels of their own: the first correction is not always enough. */
const MOST_DRAWINGS = 3;
/** Its reader may save a chart. */
const OPTIONS = { actions: { export: true, source: false, compiled: false, editor: false } };

/**
 * Adds a figure to a page.
 *
 * @param {HTMLElement} page
 * @param {Figure} figure
 * @param {object} [options] of Vega-Embed
 */
export async function figure(page, { title, caption, specification }, options) {
  const place = made("div", { class: "chart", role: "group", "aria-label": title });
  const below = caption ? [made("figcaption", {}, caption)] : [];
  page.append(made("figure", {}, made("figcaption", {}, made("b", {}, title)), place, ...below));
  await chart(place, specification, options);
}

/**
 * Draws a Vega-Lite specification; long labels of an axis take room from the plot, which further drawings give them.
 *
 * @param {HTMLElement} place
 * @param {unknown} specification
 * @param {object} [options] of Vega-Embed
 */
export async function chart(place, specification, options = {}) {
  const { paddingLeft, paddingRight } = getComputedStyle(place);
  const width = place.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const embed = (/** @type {number} */ room) => {
    const fitting = fitted(specification, room, width < NARROW);
    // `ast`: expressions are interpreted, since the policy of pages lets no text become code
    return /** @type {any} */ (window).vegaEmbed(place, fitting, { renderer: "svg", ast: true, ...OPTIONS, ...options });
  };
  let room = width - LABELS;
  for (let drawing = 0; drawing < MOST_DRAWINGS; drawing += 1) {
    await embed(room);
    const beyond = (place.querySelector("svg.marks")?.getBoundingClientRect().width ?? 0) - width;
    if (beyond <= 0) break;
    room -= beyond + 4;
  }
  place.querySelector("summary")?.setAttribute("aria-label", `Save the figure: ${place.getAttribute("aria-label")}`);
  const menu = place.querySelector("details");
  const beside = Math.min(place.querySelector("svg.marks")?.getBoundingClientRect().width ?? 0, place.clientWidth - MENU);
  if (menu) Object.assign(menu.style, { position: "absolute", top: "0", left: `${beside}px`, width: `${MENU}px` });
}

/**
 * A part of a specification for so much room: panels below each other and legends in fewer columns on a narrow screen.
 *
 * @param {any} part
 * @param {number} room
 * @param {boolean} narrow
 * @returns {any}
 */
function fitted(part, room, narrow) {
  if (part === null || typeof part !== "object") return part;
  if (Array.isArray(part)) return part.map(item => fitted(item, room, narrow));
  const beside = part.concat && !narrow ? (part.columns ?? 1) : 1;
  const inner = Math.floor((room - (beside - 1) * BESIDE) / beside);
  /** @type {Record<string, any>} */
  const made = {};
  for (const [name, value] of Object.entries(part)) {
    if (name === "data" || name === "datasets") made[name] = value;
    else if (name === "width" && typeof value === "number" && part.type !== "bar") made[name] = Math.min(value, room);
    else if (name === "columns" && narrow) made[name] = part.concat ? 1 : Math.max(1, Math.floor((value * room) / 620));
    else made[name] = fitted(value, name === "concat" ? inner : room, narrow);
  }
  if (narrow && made.hconcat) {
    made.vconcat = made.hconcat;
    delete made.hconcat;
  }
  if (narrow && made.labelLimit) made.labelLimit = room;
  if (narrow && made.title?.text) made.title.text = lines(made.title.text, room / CHARACTER);
  return made;
}

/** A title in lines of this many characters. @param {string | string[]} text @param {number} most @returns {string[]} */
function lines(text, most) {
  /** @type {string[]} */
  const found = [];
  for (const word of [text].flat().join(" ").split(" ")) {
    const last = found[found.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= most) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found;
}
