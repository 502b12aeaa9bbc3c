// What a page holds compressed with gzip, as base64 in an element.

/** The bytes in the element of an id, still compressed. @param {string} id @returns {Uint8Array | undefined} */
export function packed(id) {
  const text = document.getElementById(id)?.textContent;
  return text ? Uint8Array.from(atob(text.trim()), character => character.charCodeAt(0)) : undefined;
}

/** @param {Uint8Array} bytes @returns {Response} */
export function unpacked(bytes) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}
