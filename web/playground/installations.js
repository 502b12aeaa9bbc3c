// Installations with the values that a visitor fills in: what is wrong with one, and the scenario, as `sojourn new` says and writes them.

/** @typedef {{ name: string, default: string, words: string[], low: string, high: string }} Field */
/** @typedef {{ field: string, isText: boolean, relation: string, room: number | null }} Place */
/** @typedef {{ fields: Field[], parts: (string | Place)[] }} Installation */
/** @typedef {Record<string, [number, string]>} Units the size of each in the SI unit of its dimension, and that */
/** @typedef {Record<string, string>} Values by the names of fields */

/** Blanks between a value and its comment at least. */
const LEAST_GAP = 2;

/**
 * The scenario with these values; a field without one has its default.
 *
 * @param {Installation} installation
 * @param {Values} values
 */
export function scenario({ fields, parts }, values) {
  const given = { ...Object.fromEntries(fields.map(one => [one.name, one.default])), ...values };
  return parts.map(part => (typeof part === "string" ? part : inPlace(part, given[part.field]))).join("");
}

/** A value as TOML, of the kind that stands there. @param {Place} place @param {string} value */
function inPlace({ isText, relation, room }, value) {
  const written = isText ? JSON.stringify(relation ? `${relation} ${value}` : value) : value;
  return room === null ? written : written + " ".repeat(Math.max(LEAST_GAP, room - written.length));
}

/**
 * What is wrong with values, by the names of their fields.
 *
 * @param {Installation} installation
 * @param {Values} values
 * @param {Units} units
 * @returns {Values}
 */
export function problems({ fields }, values, units) {
  const found = fields.map(field => [field.name, problem(field, values[field.name] ?? field.default, units)]);
  return Object.fromEntries(found.filter(([, text]) => text));
}

/** @param {Field} field @param {string} value @param {Units} units @returns {string | undefined} */
function problem({ name, default: usual, words, low, high }, value, units) {
  if (words.length) return words.includes(value) ? undefined : `${name} is one of ${words.join(", ")}, not ${quoted(value)}`;
  const range = `${low} to ${high}`;
  const [given, least, most] = [value, low, high].map(text => number(text, units));
  if (!given || !least || !most || given[1] !== least[1]) return `${name} is ${range}, as ${quoted(usual)}, not ${quoted(value)}`;
  const isCount = [usual, low, high].every(text => /^[0-9]+$/.test(text));
  if (isCount && value !== whole(given[0])) return `${name} is a whole number, ${range}, not ${value}`;
  return given[0] < least[0] || given[0] > most[0] ? `${name} is ${range}, not ${value}` : undefined;
}

/** A number in SI units and the unit of its dimension. @param {string} text @param {Units} units @returns {[number, string] | undefined} */
function number(text, units) {
  const found = /^([0-9]+(?:\.[0-9]+)?) *(.*)$/.exec(text);
  const known = found && Object.hasOwn(units, found[2]) && units[found[2]];
  return found && known ? [Number(found[1]) * known[0], known[1]] : undefined;
}

/** A whole number in digits; empty for any other. @param {number} value */
const whole = value => (Number.isInteger(value) ? String(BigInt(value)) : "");

/** A text between quotes, those that it does not contain. @param {string} text */
function quoted(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`) + mark;
}
