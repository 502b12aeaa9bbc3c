// The address of the page holds what is on it, so that a reload, the back button, another tab and a link all give the same:
// an example by its name or a scenario compressed, what is asked of it, and the scenario it is compared with.

/** @typedef {"run" | "sweep" | "find" | "advise"} Kind */
/** @typedef {{ kind: Kind, key: string, values: string, until: string, value: string }} Ask */
/** @typedef {{ example: string, text: string | undefined, kept: string | undefined, ask: Ask | undefined }} Place */

/** A link that unpacks to more is not a scenario written by hand. */
const MOST_BYTES = 1 << 20;

/** @param {string} text @returns {Promise<string>} */
async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, byte => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} letters @returns {Promise<string>} */
async function unpacked(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), one => one.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      throw new Error("it holds more than a scenario");
    }
    parts.push(read.value);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(await new Blob(parts).arrayBuffer());
}

/**
 * What an address asks for; undefined for the gallery.
 *
 * @param {string} hash
 * @returns {Promise<Place | undefined>}
 */
export async function read(hash) {
  const found = new URLSearchParams(hash.slice(1));
  const [example, scenario, kept, kind] = ["open", "scenario", "kept", "do"].map(name => found.get(name));
  if (!example && !scenario) return undefined;
  const word = (/** @type {string} */ name) => found.get(name) ?? "";
  const isKind = kind === "run" || kind === "sweep" || kind === "find" || kind === "advise";
  return {
    example: example ?? "",
    text: scenario ? await unpacked(scenario) : undefined,
    kept: kept ? await unpacked(kept) : undefined,
    ask: isKind ? { kind, key: word("key"), values: word("values"), until: word("until"), value: word("value") } : undefined,
  };
}

/**
 * The address of a place; the text is left out where it is that of the example.
 *
 * @param {Place} place
 * @returns {Promise<string>}
 */
export async function written({ example, text, kept, ask }) {
  const parts = new URLSearchParams();
  if (example) parts.set("open", example);
  if (text !== undefined) parts.set("scenario", await packed(text));
  if (kept !== undefined) parts.set("kept", await packed(kept));
  if (ask) {
    parts.set("do", ask.kind);
    const words = ask.kind === "run" ? [] : /** @type {const} */ (["key", "values", "until", "value"]);
    for (const name of words) if (ask[name]) parts.set(name, ask[name]);
  }
  return `#${parts}`;
}
