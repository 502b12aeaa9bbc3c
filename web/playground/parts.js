// What the page has besides its elements: the name of the document, profiles, files that it saves.

import { element, made } from "../../python/sojourn/web/shown.js";

/** The name of the document in requests and problems. */
export const NAME = "scenario.toml";

/** Texts of the library's profiles by their names. @type {Record<string, string> | undefined} */
let library;

/** @returns {Record<string, string>} */
export function profiles() {
  library ??= JSON.parse(element("profiles").textContent);
  return /** @type {Record<string, string>} */ (library);
}

/** Saves a file where the browser keeps downloads. @param {string} name @param {string} type @param {BlobPart} content */
export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  made("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
