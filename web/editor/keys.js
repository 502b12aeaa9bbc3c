// Which key of a scenario stands at a place of its text, and what the schema says of it.

/** @typedef {Record<string, any>} Schema a JSON schema, or a part of one: `crates/scenario/src/schema.rs` */
/** @typedef {{ path: string[], kind: string, key: string, word: string, from: number, part: "header" | "key" | "value" }} Place
 *           `word` begins at column `from` of its line and goes on to the place */

const HEADER = /^\s*(\[\[?)\s*([^\]#]*)/;

/** The kind of network that a text names. @param {string} text */
export const kindOf = text => /^\s*kind\s*=\s*["']([\w-]+)["']/m.exec(/\[network\]([^[]*)/.exec(text)?.[1] ?? "")?.[1];

/**
 * What stands before a column of a line; undefined in a comment.
 *
 * @param {string[]} lines
 * @param {number} number index of the line
 * @param {number} column
 * @returns {Place | undefined}
 */
export function placeIn(lines, number, column) {
  const before = lines[number].slice(0, column);
  const header = HEADER.exec(before);
  if (header && !before.slice(header[0].length).includes("]")) {
    const word = header[2];
    return { path: [], kind: "", key: "", word, from: column - word.length, part: "header" };
  }
  const place = { ...inLine(before), path: tableOf(lines, number) };
  if (place.isComment) return undefined;
  const inner = place.inner.map(one => one.key);
  const kind = place.inner.length ? kindIn(lines[number].slice(place.inner[place.inner.length - 1].at)) : "";
  const { key, word, part } = place;
  return { path: [...place.path, ...inner], kind, key, word, from: column - word.length, part };
}

/** The table that a line belongs to. @param {string[]} lines @param {number} number */
function tableOf(lines, number) {
  for (let index = number; index >= 0; index -= 1) {
    const header = HEADER.exec(lines[index]);
    if (header) return header[2].split(".").map(part => part.trim().replaceAll(/["']/g, ""));
  }
  return [];
}

/** The `kind` of an inline table. @param {string} text */
const kindIn = text => /^\{[^}]*\bkind\s*=\s*["']([\w-]+)["']/.exec(text)?.[1] ?? "";

/** Key, value or neither at the end of a part of a line, and the inline tables around it. @param {string} before */
function inLine(before) {
  /** @type {{ key: string, at: number }[]} */
  const inner = [];
  let [key, word, quote, list, isComment] = ["", "", "", 0, false];
  /** @type {"key" | "value"} */
  let part = "key";
  for (const [at, letter] of [...before].entries()) {
    if (quote) {
      if (letter === quote) quote = "";
      word += letter;
    } else if (letter === "#") {
      isComment = true;
      break;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word += letter;
    } else if (letter === "=") {
      [key, word, part] = [word.trim(), "", "value"];
    } else if (letter === "{") {
      inner.push({ key, at });
      [key, word, part] = ["", "", "key"];
    } else if (letter === "}") {
      [key, word, part] = [inner.pop()?.key ?? "", "", "value"];
    } else if (letter === "[" || letter === "]") {
      list += letter === "[" ? 1 : -1;
      word = "";
    } else if (letter === ",") {
      word = "";
      if (list === 0) [key, part] = ["", "key"];
    } else word += letter;
  }
  return { inner, key, word: word.trimStart(), part, isComment };
}

/** Tables that a part of a schema stands for: those of a list, and each that is possible. @param {Schema} part @returns {Schema[]} */
function tables(part) {
  if (part.anyOf) return part.anyOf.flatMap(tables);
  return part.type === "array" && part.items ? tables(part.items) : [part];
}

/** What may be there in turn. @param {Schema} schema @param {string[]} path @returns {Schema[]} */
function at(schema, path) {
  let found = [schema];
  for (const name of path) {
    const next = found.flatMap(tables).flatMap(one => one.properties?.[name] ?? []);
    // the name of a station or flow leads to the keys of its list
    if (next.length) found = next;
  }
  return found.flatMap(tables);
}

/** The keys of a table by name. @param {Schema} schema @param {Place} place @returns {Map<string, Schema>} */
export function keysAt(schema, { path, kind }) {
  const all = at(schema, path);
  const chosen = kind ? all.filter(one => one.properties?.kind?.const === kind) : [];
  return new Map((chosen.length ? chosen : all).flatMap(one => Object.entries(one.properties ?? {})));
}

/** The values that a key can have, where they can be listed; `names` are those of the document.
 *  @param {Schema} schema @param {Place} place @param {string[]} names @returns {{ value: string, description: string }[]} */
export function valuesAt(schema, place, names) {
  const alternatives = at(schema, place.path).flatMap(one => one.properties?.[place.key] ?? []);
  const found = alternatives.flatMap(leaves).flatMap((/** @type {Schema} */ one) => {
    const isName = one.pattern?.startsWith("^[\\p{L}") && place.key !== "name";
    const listed = one.enum ?? one.examples ?? (one.type === "boolean" ? [true, false] : isName ? names : []);
    const values = one.const !== undefined ? [one.const] : listed;
    return values.map((/** @type {any} */ value) => ({ value: JSON.stringify(value), description: one.description ?? "" }));
  });
  return [...new Map(found.map((/** @type {any} */ one) => [one.value, one])).values()];
}

/** @param {Schema} part @returns {Schema[]} */
function leaves(part) {
  if (!part.anyOf) return [part];
  const word = (/** @type {Schema} */ one) => one.properties?.kind?.const;
  // the value of a key with variants is a table of one of the kinds
  return part.anyOf.flatMap((/** @type {Schema} */ one) => one.items ? leaves(one.items) : (word(one) ? [{ ...one.properties.kind, description: one.description }] : leaves(one)));
}

/** What a key is about, in lines. @param {Schema} key @returns {string[]} */
export function helpOf(key) {
  const facts = [
    key["x-range"] && `Range: ${key["x-range"]}`,
    key["x-units"] && `Units: ${key["x-units"]}`,
    key["x-default"] !== undefined && `Default: ${key["x-default"]}`,
    key["x-source"] && `Source: ${key["x-source"]}`,
  ];
  return [key.description ?? "", ...facts.filter(Boolean)];
}
