// What a page holds compressed with gzip, as base64 in an element.

/** The bytes in an element, still compressed. @param {Element | null} element @returns {Uint8Array | undefined} */
export function packed(element) {
  const text = element?.textContent;
  return text ? Uint8Array.from(atob(text.trim()), character => character.charCodeAt(0)) : undefined;
}

/** @param {Uint8Array} bytes @returns {Response} */
export function unpacked(bytes) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}
