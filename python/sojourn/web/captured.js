// What a capture shows, as tables: times, rates and counts, the slowest transactions, flows, stations. The terminal has the same
// (`cli/capture_tables.py`). Rows are those of `capture.json`.

import { plain, shownUnit, significant } from "./numbers.js";
import { fieldText, made } from "./shown.js";

/** @typedef {Record<string, any>} Row */
/** @typedef {{ packets: number, seconds: number, flow_count: number, flows: Row[], stations: Row[], conversations: Row[], calls: Row[], streams: Row[],
 *              steps: Row[], notes: string[], slowest?: Row[], lost?: Row[], retried?: Row[], trunk_stations?: Row[], identifiers?: Row[] }} Tables */
/** @typedef {{ unit: string, shown_unit: string | null }} Registered what the registry says of a metric's unit */

const [MOST_FLOWS, MOST_STATIONS, MOST_IDENTIFIERS] = [20, 10, 40];
/** A longer name is shortened in the middle; its whole is its title. */
const LONGEST_NAME = 28;
const QUANTILES = ["p50", "p99", "max"];
const CALL_TIMES = ["first_response_s", "post_dial_delay_s", "ring_time_s", "setup_s", "call_time_s"];

/**
 * All tables of a capture.
 *
 * @param {import("./shown.js").Point} point its metrics
 * @param {Tables} tables
 * @param {Map<string, Registered>} registry
 * @returns {HTMLElement[]}
 */
export function capturedTables(point, tables, registry) {
  const own = Object.entries(point.metrics).filter(([, metric]) => (metric.mean ?? metric.value) != null && !metric.start);
  const unit = (/** @type {string} */ name, /** @type {any} */ metric) => shownUnit(metric.unit, registry.get(name.split("/")[0])?.shown_unit);
  const cell = (/** @type {[string, string]} */ [text, more]) => (more ? `${text} ${more}` : text);
  const times = own
    .filter(([name, metric]) => "p50" in metric && name.split("/").length <= 2)
    .map(([name, metric]) => [name, String(metric.count), cell(fieldText(metric, "mean")), ...QUANTILES.map(field => plain(metric[field], "s"))]);
  const isKind = (/** @type {string} */ name, /** @type {any} */ metric) => name.startsWith("retransmissions/") && metric.value > 0;
  const numbers = own
    .filter(([name, metric]) => !("p50" in metric) && (!name.includes("/") || isKind(name, metric)))
    .map(([name, metric]) => [name, cell(fieldText(metric, "mean" in metric ? "mean" : "value", unit(name, metric)))]);
  const found = [
    table("Times", ["time", "samples", "mean", ...QUANTILES], times),
    notable("The slowest transactions", tables.slowest),
    notable("Transactions that were lost", tables.lost),
    notable("Transactions that were sent again", tables.retried),
    table("Rates and counts", ["rate or count", "value"], numbers),
    load(tables.steps),
    calls(tables.calls),
    streams(tables.streams),
    trunk(tables.trunk_stations ?? []),
    identifiers(tables.identifiers ?? []),
    flows(tables),
    stations(tables.stations),
    conversations(tables.conversations),
  ];
  return found.filter(one => one !== undefined);
}

/**
 * A table that scrolls by itself where it is too wide; nothing without rows.
 *
 * @param {string} caption
 * @param {string[]} heads
 * @param {(string | Node)[][]} rows
 * @param {number} [all] how many there are, where not all are shown
 */
function table(caption, heads, rows, all = rows.length) {
  if (!rows.length) return undefined;
  const body = rows.map(([first, ...others]) => made("tr", {}, made("th", { scope: "row" }, first), ...others.map(one => made("td", {}, one))));
  const more = all > rows.length ? `, ${rows.length} of ${all}` : "";
  const head = made("thead", {}, made("tr", {}, ...heads.map(text => made("th", { scope: "col" }, text))));
  const whole = made("table", {}, made("caption", {}, caption + more), head, made("tbody", {}, ...body));
  return made("div", { class: "wide", tabindex: "0", role: "group", "aria-label": caption }, whole);
}

/** A name, shortened in the middle where it is long. @param {string} name @returns {string | Node} */
function short(name) {
  if (name.length <= LONGEST_NAME) return name;
  const half = (LONGEST_NAME - 1) / 2;
  return made("span", { title: name }, `${name.slice(0, Math.ceil(half))}…${name.slice(-Math.floor(half))}`);
}

/** Who asks whom. @param {Row} row */
const pair = ({ from, to }) => made("span", {}, short(from), " to ", short(to));

/** @param {number | null} seconds */
const time = seconds => (seconds == null ? "" : plain(seconds, "s"));

/** @param {number} octets */
function size(octets) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, octets)) / 10));
  return `${significant(octets / 2 ** (10 * step))} ${units[step]}`;
}

/** The frames of a request and of its answer, as Wireshark numbers them. @param {Row} row */
export const framesOf = row => row.frames.filter((/** @type {number | null} */ frame) => frame !== null).join("-");

/** @param {string} caption @param {Row[] | undefined} rows */
function notable(caption, rows = []) {
  const cells = rows.map(row => [pair(row), row.service, row.begin.toFixed(6), framesOf(row), time(row.time), row.why]);
  return table(caption, ["flow", "service", "at second", "frames", "time", "between"], cells);
}

/** The busiest step of time, and the mean of all. @param {Row[]} steps */
function load(steps) {
  if (!steps.length) return undefined;
  const rates = [["packets", "packet_rate", "packets/s"], ["bits, from layer 3 on", "bit_rate", "bit/s"], ["transactions", "transaction_rate", "transactions/s"], ["utilisation", "utilisation", "%"]];
  const rows = rates.flatMap(([name, field, unit]) => {
    const values = steps.map(step => step[field]).filter(value => value !== null);
    if (!values.some(value => value > 0)) return [];
    const peak = values.indexOf(Math.max(...values));
    return [[name, plain(values[peak], unit), time(steps[peak].begin_s)]];
  });
  return table("Load where it is highest", ["of", "rate", "from"], rows);
}

/** @param {Row[]} rows */
function calls(rows) {
  const cells = rows.slice(0, MOST_FLOWS).map(row => [pair(row), row.outcome + (row.status ? ` (${row.status})` : ""), ...CALL_TIMES.map(name => time(row[name]))]);
  return table("Calls", ["call", "outcome", "first response", "post-dial delay", "rings", "final response", "call time"], cells, rows.length);
}

/** @param {Row[]} rows */
function streams(rows) {
  const cells = rows.slice(0, MOST_FLOWS).map(row => [
    pair(row), row.member, row.encoding ?? `type ${row.payload_type}`, String(row.packets), plain(row.loss, "%"), String(row.longest_loss_burst),
    time(row.jitter_s), row.mos === null ? "" : row.mos.toFixed(2),
  ]);
  return table("Streams", ["stream", "SSRC", "encoding", "packets", "loss", "longest", "jitter", "MOS"], cells, rows.length);
}

/** @param {Row[]} rows */
function trunk(rows) {
  const cells = rows.map(row => [String(row.mac), String(row.frames), plain(row.utilisation, "%"), String(row.tokens), String(row.polls), time(row.rotation_mean_s), time(row.treply_mean_s)]);
  return table("Stations of trunks", ["station", "frames", "of the time", "tokens", "polls", "rotation", "token reply"], cells);
}

/** @param {Row[]} rows */
function identifiers(rows) {
  const lengths = (/** @type {Row} */ row) => [...new Set([row.length_min, row.length_max])].filter(one => one !== null).join("-");
  const cells = rows.slice(0, MOST_IDENTIFIERS).map(row => [
    row.id, String(row.frames), lengths(row), row.rate === null ? "" : significant(row.rate), ...["interval_s", "interval_min_s", "interval_max_s", "jitter_s"].map(name => time(row[name])),
    row.utilisation === null ? "" : plain(row.utilisation, "%"),
  ]);
  return table("Identifiers", ["id", "frames", "bytes", "1/s", "interval", "min", "max", "jitter", "utilisation"], cells, rows.length);
}

/** @param {Tables} tables */
function flows({ flows: rows, flow_count }) {
  const cells = rows.slice(0, MOST_FLOWS).map(row => [
    pair(row), row.service, String(row.transactions), String(row.unanswered + row.refused), String(row.retries), time(row.mean_s), time(row.p50_s), time(row.p99_s),
  ]);
  return table("Flows", ["flow", "service", "transactions", "failures", "retries", "mean", "median", "p99"], cells, flow_count);
}

/** @param {Row[]} rows */
function stations(rows) {
  const cells = rows.slice(0, MOST_STATIONS).map(row => [short(row.address), String(row.packets), size(row.l3_bytes), plain(row.share, "%")]);
  return table("Stations", ["station", "packets sent", "bytes", "share"], cells, rows.length);
}

/** @param {Row[]} rows */
function conversations(rows) {
  const cells = rows.slice(0, MOST_STATIONS).map(row => [pair(row), String(row.packets), size(row.l3_bytes)]);
  return table("Conversations", ["conversation", "packets", "bytes"], cells, rows.length);
}
