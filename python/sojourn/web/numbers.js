// Numbers as text, by the rules of `crates/metrics/src/display.rs`: a page draws while its workers compute, and cannot wait for them to
// write a number. `tests/numbers.json` has cases that both are tested with.

const NONE = "–";
/** Digits beyond those shown, which tell a tie. */
const BEYOND = 40;
/** Multiples of SI units, the largest first. @type {Record<string, [string, number][]>} */
const LADDERS = {
  "s": [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9], ["ps", 1e-12]],
  "bit/s": [["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3], ["bit/s", 1]],
  "Hz": [["GHz", 1e9], ["MHz", 1e6], ["kHz", 1e3], ["Hz", 1]],
};
/** @type {Record<string, number>} */
const RATIOS = { "%": 0.01, "ppm": 1e-6 };

/**
 * The unit in which values of a metric are shown, for the functions below: a ratio's "%", a rate's "packets/s", else the SI unit.
 *
 * @param {string} unit SI unit
 * @param {string | null} [declared] the unit that the registry declares
 */
export const shownUnit = (unit, declared) => ((unit === "1" && declared && declared in RATIOS) || unit === "1/s" ? declared ?? "/s" : unit);

/** The unit that keeps a value (in SI) between 1 and 1000, if possible, and its size. @param {string} unit @param {number} largest
 *  @returns {[string, number]} */
export function scale(unit, largest) {
  const ladder = LADDERS[unit];
  if (!ladder) return unit in RATIOS ? [unit, RATIOS[unit]] : [unit === "1" ? "" : unit.replace("1/", "/"), 1];
  if (largest === 0 && unit === "s") return ladder[1];
  return ladder.find(([, size]) => Math.abs(largest) >= size * 0.9995) ?? ladder[ladder.length - 1];
}

/** A value with its unit: "15.1 ms". @param {number | null | undefined} value @param {string} unit @param {number} [beside] whose unit zero takes
 *  @param {number} [digits] */
export function plain(value, unit, beside = 0, digits = 3) {
  if (value == null || !Number.isFinite(value)) return NONE;
  const [shown, size] = scale(unit, value || beside);
  return `${significant(value / size, digits)} ${shown}`.trim();
}

/**
 * A value and both ends of its interval in one unit, with as many digits as make the ends differ, up to five; what is open is empty.
 *
 * @param {number | null} value
 * @param {(number | null)[]} ends
 * @param {string} unit
 */
export function inOneUnit(value, ends, unit) {
  const finite = [...ends, value].map(one => Math.abs(one ?? 0));
  const [shown, size] = scale(unit, value || Math.max(...finite));
  const written = (/** @type {number} */ digits) => [...ends, value].map(one => (one == null ? "" : minus(significant(one / size, digits))));
  const [low, high, text] = [3, 4, 5].map(written).find(([low, high]) => low !== high) ?? written(3);
  return { value: text, low, high, unit: shown };
}

/** A number with this many significant digits, without exponent from 0.0001 to a million; integers stay whole.
 *  @param {number} value @param {number} [digits] */
export function significant(value, digits = 3) {
  if (!Number.isFinite(value)) return NONE;
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value || 0);
  const [mantissa, power] = scientific(value, digits);
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return fixed(value, Math.max(0, digits - 1 - exponent));
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** An estimate in some significant digits, whole numbers too, without exponent and trailing zeros. @param {number} value @param {number} [digits] */
export function rounded(value, digits = 3) {
  const number = Number(scientific(value, digits).join("e"));
  return number !== 0 && Math.abs(number) < 1e-6 ? number.toFixed(20).replace(/0+$/, "") : String(number);
}

const minus = (/** @type {string} */ text) => text.replaceAll("-", "−");

/** Mantissa and exponent. @param {number} value @param {number} digits */
function scientific(value, digits) {
  const [near, exact] = [digits - 1, digits - 1 + BEYOND].map(count => value.toExponential(count).split("e"));
  return near[1] === exact[1] ? [even(near[0], exact[0]), near[1]] : near;
}

/** @param {number} value @param {number} decimals */
const fixed = (value, decimals) => even(value.toFixed(decimals), value.toFixed(decimals + BEYOND));

/** A rounded number; of two that are as near the even one, where JavaScript takes the larger. @param {string} near @param {string} exact */
function even(near, exact) {
  const below = exact.slice(0, -BEYOND).replace(/\.$/, "");
  return /^50*$/.test(exact.slice(-BEYOND)) && /[02468]$/.test(below) ? below : near;
}
