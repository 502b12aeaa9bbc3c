// What a page holds compressed with gzip, as base64 in an element.

/** The bytes in an element, still compressed. @param {Element | null} element @returns {Uint8Array | undefined} */
export function packed(element) {
  const text = element?.textContent;
  if (!text) return undefined;
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  // a megabyte: `Uint8Array.from` with a function takes ten times as long
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index);
  return bytes;
}

/** @param {Uint8Array} bytes @returns {Response} */
export function unpacked(bytes) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}
