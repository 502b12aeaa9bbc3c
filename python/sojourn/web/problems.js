// Lists of mistakes, whose places lead into the text that has them.

import { made } from "./shown.js";

/** @typedef {{ file?: string | null, line: number | null, column: number | null, message: string, help: string | null }} Problem */

/**
 * The list of some problems; nothing where there are none.
 *
 * @param {Problem[]} problems
 * @param {(problem: Problem) => boolean} [isHere] whether its place is in the text of the page
 * @returns {HTMLElement[]}
 */
export function problemList(problems, isHere = () => true) {
  const items = problems.map(one => {
    const item = made("li");
    if (one.line !== null && isHere(one)) {
      const place = { type: "button", class: "place", "data-line": String(one.line), "data-column": String(one.column ?? 1) };
      item.append(made("button", place, `line ${one.line}, column ${one.column ?? 1}`), " ");
    }
    item.append(one.message, " ", made("small", {}, one.help ?? ""));
    return item;
  });
  return items.length ? [made("ul", { class: "problem-list" }, ...items)] : [];
}

/**
 * Follows the places of the lists in an element, those that come later as well.
 *
 * @param {HTMLElement} lists
 * @param {(line: number, column: number) => void} goTo
 */
export function followPlaces(lists, goTo) {
  lists.addEventListener("click", ({ target }) => {
    const place = target instanceof HTMLElement ? target.closest(".place") : null;
    if (place instanceof HTMLElement) goTo(Number(place.dataset.line), Number(place.dataset.column));
  });
}
