// What pages of the workbench do beyond HTML: an editor, the live state of a job, its report, figures. Every page works without it.

import { figure } from "./chart.js";
import { edit } from "./scenario.js";
import { element } from "./shown.js";

/** @typedef {{p50_s: number|null, lost: number}} Slot */
/** @typedef {{words?: string, replications_done?: number, replications_total?: number, share?: number, slot_s?: number, slots?: Slot[]}} Progress */
/** @typedef {{low: string, high: string, lost: string, state: string, mark: string, why: string}} Cell */
/** @typedef {{unit: string, last_s: number, names: string[], counts: Record<string, number>, rows: (Cell|null)[][]}} Mesh */
/** @typedef {{state: string, elapsed_s: number|null, progress: Progress, course: [number, number][], messages: string[]}} State */

const RENEWED_MS = 60_000;
/** Pixels of a report in its frame. */
const HIGHEST = 100_000;
const ENDED = ["done", "missed", "failed", "stopped"];
/** Without styles of its own, as the policy of the pages asks. */
const EMBEDDED = { actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true } };

/** A job: its state as it changes; the page is loaded anew at its end. */
function follow() {
  const job = element("job");
  const address = job?.dataset.events;
  if (!job || !address) return;
  listen(address, (state) => draw(job, /** @type {State} */ (state)));
}

/** Takes each state of a stream of events, while the page is seen. @param {string} address @param {(state: unknown) => void} take */
function listen(address, take) {
  /** @type {EventSource|null} */
  let source = null;
  const open = () => {
    source = new EventSource(address);
    source.onmessage = (event) => take(JSON.parse(event.data));
  };
  // a browser opens six connections to a server: tabs in the background leave theirs to others
  document.addEventListener("visibilitychange", () => {
    source?.close();
    if (!document.hidden) open();
  });
  if (!document.hidden) open();
}

/** The matrix of a mesh: cells change as their windows end. */
function followMesh() {
  const place = element("mesh");
  if (place?.dataset.events) listen(place.dataset.events, (state) => drawMesh(/** @type {Mesh} */ (state)));
}

/** @param {Mesh} mesh */
function drawMesh(mesh) {
  const texts = { "mesh-unit": mesh.unit, "mesh-last": new Date(mesh.last_s * 1e3).toISOString().slice(0, 16).replace("T", " ") };
  for (const [name, text] of Object.entries(texts)) {
    const place = element(name);
    if (place) place.textContent = text;
  }
  for (const [state, count] of Object.entries(mesh.counts)) {
    const place = element(`count-${state}`);
    if (place) place.textContent = String(count);
  }
  for (const [from, row] of mesh.rows.entries()) {
    for (const [to, cell] of row.entries()) {
      const place = element(`cell-${from}-${to}`);
      if (!place || !cell) continue;
      place.className = cell.state;
      const link = place.querySelector("a");
      if (link) link.title = `${mesh.names[from]} to ${mesh.names[to]}${cell.why ? `: ${cell.why}` : ""}`;
      const [low, high, mark] = [...place.querySelectorAll("b, i, u")];
      if (low) low.textContent = cell.low;
      if (high) high.textContent = cell.high;
      if (mark) mark.textContent = cell.mark + cell.lost;
    }
  }
}

/** @param {HTMLElement} job @param {State} state */
function draw(job, state) {
  if (ENDED.includes(state.state)) {
    location.reload();
    return;
  }
  const badge = job.querySelector(".state");
  if (badge) {
    badge.textContent = state.state;
    badge.className = `state ${state.state}`;
  }
  const progress = state.progress;
  const words = element("words");
  if (words) words.textContent = progress.words ?? "";
  const bar = /** @type {HTMLProgressElement|null} */ (element("share"));
  if (bar && typeof progress.share === "number") bar.value = progress.share;
  const messages = element("messages");
  if (messages && state.messages.length) {
    messages.hidden = false;
    messages.textContent = state.messages.join("\n");
  }
  drawLive(state);
}

/** The live figure: median response time of a measurement, replications done of a simulation. @param {State} state */
function drawLive(state) {
  const figure = element("course");
  const place = figure?.querySelector(".chart");
  const title = element("course-title");
  if (!figure || !(place instanceof HTMLElement) || !title) return;
  const slots = state.progress.slots;
  /** @type {[number, number][]} */
  const points = slots
    ? slots.flatMap((slot, index) => slot.p50_s === null ? [] : [[index * (state.progress.slot_s ?? 1), slot.p50_s * 1e3]])
    : state.course;
  if (points.length < 2) return;
  figure.hidden = false;
  title.textContent = slots ? "Median response time, ms, over s" : "Replications done over s";
  place.replaceChildren(line(points, place.clientWidth || 600));
}

/** A line with its axes' ends. @param {[number, number][]} points @param {number} width */
function line(points, width) {
  const [height, left, below] = [160, 56, 20];
  const space = "http://www.w3.org/2000/svg";
  const [endX, endY] = [points[points.length - 1][0] || 1, Math.max(...points.map(([, y]) => y)) * 1.1 || 1];
  /** @param {string} tag @param {Record<string, string|number>} attributes */
  const node = (tag, attributes, text = "") => {
    const made = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    made.textContent = text;
    return made;
  };
  const x = (/** @type {number} */ value) => left + value / endX * (width - left - 12);
  const y = (/** @type {number} */ value) => (height - below) - value / endY * (height - below - 8);
  const svg = node("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const path = points.map(([a, b], index) => `${index ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
  svg.append(
    node("path", { d: `M${left} 8V${height - below}H${width - 12}`, fill: "none", stroke: "#666666" }),
    node("path", { d: path, fill: "none", stroke: "#0072B2", "stroke-width": 2 }),
    node("text", { x: left - 6, y: 14, "text-anchor": "end", "font-size": 11, fill: "#222222" }, endY.toPrecision(3)),
    node("text", { x: left - 6, y: height - below, "text-anchor": "end", "font-size": 11, fill: "#222222" }, "0"),
    node("text", { x: width - 12, y: height - 5, "text-anchor": "end", "font-size": 11, fill: "#222222" }, `${endX.toFixed(0)} s`),
  );
  return svg;
}

/** A capture: sent as it is, with its name and the options in the address. */
function sendCapture() {
  const form = element("capture");
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const file = element("capture-file").files[0];
    const fields = [...new FormData(form)].flatMap(([name, value]) => typeof value === "string" && value ? [[name, value]] : []);
    const said = element("sent");
    if (file.size > Number(form.dataset.most)) {
      said.textContent = `${file.name} is too large: sojourn analyse reads files of any size.`;
      return;
    }
    said.textContent = `Sending ${file.name} ...`;
    try {
      const answer = await fetch(`/captures?${new URLSearchParams([["name", file.name], ...fields])}`, { method: "POST", body: file });
      const { address, refused } = await answer.json();
      said.textContent = refused ? `Refused: ${refused}.` : "";
      if (address) location.href = address;
    } catch {
      said.textContent = `${file.name} did not arrive. A file has 10 s to; sojourn analyse reads it where it is.`;
    }
  });
}

/** A report in its frame: as high as it is, and scrolled to where its links lead. */
function frame() {
  const place = element("report");
  if (!(place instanceof HTMLIFrameElement)) return;
  window.addEventListener("message", ({ data, source }) => {
    if (source !== place.contentWindow) return;
    if (Number.isFinite(data?.height)) place.style.height = `${Math.min(Math.ceil(data.height), HIGHEST)}px`;
    if (Number.isFinite(data?.top)) window.scrollTo({ top: window.scrollY + place.getBoundingClientRect().top + data.top });
  });
}

/** A page that renews its content each minute, while its reader wants that and sees it. */
function renew() {
  const wanted = element("renews");
  if (!(wanted instanceof HTMLInputElement)) return;
  window.setInterval(() => {
    if (wanted.checked && !document.hidden) void renewed();
  }, RENEWED_MS);
}

/** Monitors: their windows and outages as they come; the page is loaded anew where one has ended. */
function followMonitors() {
  const address = element("monitors")?.dataset.events;
  if (!address) return;
  /** @type {string | undefined} */
  let states;
  let last = Promise.resolve();
  listen(address, found => {
    const all = /** @type {{ states: Record<string, string> }} */ (found).states;
    const now = JSON.stringify(all);
    if (Object.values(all).some(state => ENDED.includes(state)) || (states !== undefined && now !== states)) location.reload();
    states = now;
    last = last.then(renewed); // one after the other, on a slow line
  });
}

/** Loads the page again and takes what changes in it. */
async function renewed() {
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const place of document.querySelectorAll("[data-renewed]")) {
      const content = page.getElementById(place.id);
      if (content) place.replaceChildren(...content.childNodes);
    }
  } catch {
    // what is shown stays until the server answers again
  }
}

/** The figures of results. */
async function figures() {
  const place = element("figures");
  const address = place?.dataset.figures;
  if (!place || !address) return;
  const note = place.querySelector(".note");
  try {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const found = /** @type {import("./chart.js").Figure[]} */ (await answer.json());
    if (note) note.textContent = found.length ? "" : "There are no figures of these results.";
    for (const one of found) await figure(place, one, EMBEDDED);
  } catch (error) {
    if (note) note.textContent = `No figures: ${error instanceof Error ? error.message : error}`;
  }
}

for (const form of document.querySelectorAll("form[data-confirm]")) {
  form.addEventListener("submit", (event) => {
    if (form instanceof HTMLElement && !confirm(form.dataset.confirm)) event.preventDefault();
  });
}
void edit();
follow();
followMesh();
followMonitors();
frame();
sendCapture();
renew();
void figures();
