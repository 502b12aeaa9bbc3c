// Parts of the page: its elements, lists of mistakes, files that it saves.

import { made } from "../../python/sojourn/web/shown.js";

/** @typedef {import("../../python/sojourn/web/engine.js").Problem} Problem */

/** The name of the document in requests and problems. */
export const NAME = "scenario.toml";

/** @param {string} id @returns {any} */
export const element = id => document.getElementById(id);

/** Texts of the library's profiles by their names. @type {Record<string, string> | undefined} */
let library;

/** @returns {Record<string, string>} */
export function profiles() {
  library ??= JSON.parse(element("profiles").textContent);
  return /** @type {Record<string, string>} */ (library);
}

/** Lists mistakes; a place in the scenario leads there. @param {HTMLElement} place @param {Problem[]} problems @param {import("./editor.js").Editor} editor */
export function showProblems(place, problems, editor) {
  const items = problems.map(({ file, line, column, message, help }) => {
    const item = made("li");
    if (file === NAME && line !== null) {
      const button = made("button", { type: "button", class: "place" }, `line ${line}`);
      button.addEventListener("click", () => editor.goTo(line, column ?? 1));
      item.append(button, " ");
    }
    item.append(message, " ", made("small", {}, help ?? ""));
    return item;
  });
  place.replaceChildren(...(items.length ? [made("ul", { class: "problem-list" }, ...items)] : []));
}

/** Saves a file where the browser keeps downloads. @param {string} name @param {string} type @param {BlobPart} content */
export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  made("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
