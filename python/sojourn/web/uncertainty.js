// What samples say of a value: an interval, one without an upper end, that it is not reached, or nothing. `uncertainty.py` has the
// same rule for figures, tables and sentences; `tests/uncertainty.json` has cases that both are tested with.

/** @typedef {"closed" | "open above" | "not reached" | "none"} Kind */
/** @typedef {{ kind: Kind, value: number | null, low: number | null, high: number | null }} Uncertainty in SI units */

/** @param {any} found @returns {number | null} */
const number = found => (typeof found === "number" && Number.isFinite(found) ? found : null);

/**
 * Of a field of a metric as results hold it: "mean" (of a scalar its value), or a quantile as "p99".
 *
 * @param {any} metric
 * @param {string} field
 * @returns {Uncertainty}
 */
export function uncertainty(metric, field) {
  const central = field === "mean" || field === "value";
  const value = number(metric[central ? ("mean" in metric ? "mean" : "value") : field]);
  const [low, high] = (metric[central ? "ci95" : `${field}_ci95`] ?? [null, null]).map(number);
  if (metric.not_reached?.includes(field)) return { kind: "not reached", value: null, low, high: null };
  return ofEnds(value, low, high);
}

/** Of a value and the ends of its interval. @param {number | null} value @param {number | null} low @param {number | null} high @returns {Uncertainty} */
export function ofEnds(value, low, high) {
  if (value === null || (low === null && high === null)) return { kind: "none", value, low: null, high: null };
  if (high === null) return { kind: "open above", value, low, high };
  return { kind: "closed", value, low: low ?? 0, high };
}
