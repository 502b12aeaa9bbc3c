// What the page has besides its elements: the name of the document, profiles, files that came with it.

import { element } from "../../python/sojourn/web/shown.js";

export { save } from "../../python/sojourn/web/shown.js";

/** The name of the document in requests and problems. */
export const NAME = "scenario.toml";

/** Texts of the library's profiles by their names. @type {Record<string, string> | undefined} */
let library;

/** @returns {Record<string, string>} */
export function profiles() {
  library ??= JSON.parse(element("profiles").textContent);
  return /** @type {Record<string, string>} */ (library);
}

/** Files that came with a scenario, as the traces of a twin, by their names. @type {Record<string, string>} */
let own = {};

/** Keeps the files that came with a scenario, in place of those before. @param {Record<string, string>} files */
export function attach(files) {
  own = files;
}

/** Those that a text names. @param {string} text @returns {Record<string, string>} */
export const attached = text => Object.fromEntries(Object.entries(own).filter(([name]) => text.includes(name)));
