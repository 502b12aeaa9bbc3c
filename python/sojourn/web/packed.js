// What a page holds compressed with gzip, in base 85 in an element: five letters for four bytes.

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=:?@^_`{|}~";
const VALUES = new Uint8Array(128);
[...LETTERS].forEach((letter, value) => { VALUES[letter.charCodeAt(0)] = value; });

/** The bytes in an element, still compressed. @param {Element | null} element @returns {Uint8Array | undefined} */
export function packed(element) {
  const text = element?.textContent?.trim();
  if (!text) return undefined;
  const whole = text.padEnd(5 * Math.ceil(text.length / 5), "~");
  const bytes = new Uint8Array((4 * whole.length) / 5);
  const view = new DataView(bytes.buffer);
  for (let from = 0, to = 0; from < whole.length; from += 5, to += 4) {
    let word = 0;
    for (let index = from; index < from + 5; index += 1) word = 85 * word + VALUES[whole.charCodeAt(index)];
    view.setUint32(to, word);
  }
  return bytes.subarray(0, bytes.length - (whole.length - text.length));
}

/** Runs the script in an element; the page's policy has the hash of its text. @param {string} id @param {string} type */
export async function run(id, type = "") {
  const bytes = packed(document.getElementById(id));
  if (!bytes) throw new Error(`the page lacks #${id}`);
  const script = document.createElement("script");
  script.type = type;
  script.textContent = await unpacked(bytes).text();
  document.head.append(script); // runs it
}

/** @param {Uint8Array} bytes @returns {Response} */
export function unpacked(bytes) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}
