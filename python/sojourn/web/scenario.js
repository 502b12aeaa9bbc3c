// The page of a scenario: its editor or its plain text field, what is wrong with the text, and the buttons of its jobs.

import { followPlaces, problemList } from "./problems.js";
import { element, made } from "./shown.js";

/** @typedef {{valid: boolean, problems: import("./problems.js").Problem[], rendered: string, warnings: string[]}} Checked */

const CHECK_AFTER_MS = 500;

/** The page of a scenario: its text, what is wrong with it, and the forms of jobs, which send the text that is shown. */
export async function edit() {
  const form = /** @type {HTMLFormElement|null} */ (element("editor"));
  const text = /** @type {HTMLTextAreaElement|null} */ (element("text"));
  const found = element("checked");
  if (!form || !text || !found) return;
  /** @type {{ goTo: (line: number, column: number) => void } | null} */
  let editor = null;
  followPlaces(found, (line, column) => editor ? editor.goTo(line, column) : goTo(text, line, column));
  const changed = keepChanges(form);
  startJobs(form);
  editor = form.dataset.editor ? await loaded(form, text, found, changed).catch(() => null) : null;
  if (!editor && !("readOnly" in form.dataset)) checkTyped(form, text, found, changed);
}

/** Says that a text is not saved, and asks before it is left. @param {HTMLFormElement} form @returns {() => void} what a change calls */
function keepChanges(form) {
  let saved = true;
  const changed = () => {
    saved = false;
    element("unsaved")?.removeAttribute("hidden");
  };
  if ("unsaved" in form.dataset) changed();
  form.addEventListener("submit", event => { saved ||= !event.defaultPrevented; });
  window.addEventListener("beforeunload", event => { if (!saved) event.preventDefault(); });
  form.addEventListener("keydown", event => {
    if (event.defaultPrevented) return; // the editor has its own keys
    const pressed = (event.ctrlKey || event.metaKey) && { s: element("save"), Enter: firstJob(form) }[event.key];
    if (!pressed) return;
    event.preventDefault();
    form.requestSubmit(pressed);
  });
  return changed;
}

/** The button of the job that is open first. @param {HTMLFormElement} form @returns {HTMLButtonElement|null} */
const firstJob = form => form.querySelector(".job[open] button[name=command]");

/** One form has the fields of all jobs: Enter in one starts its own, and what a job needs is asked for with it. @param {HTMLFormElement} form */
function startJobs(form) {
  /** @type {NodeListOf<HTMLInputElement>} */
  const needed = form.querySelectorAll("[data-required]");
  form.addEventListener("keydown", event => {
    const field = event.target;
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || !(field instanceof HTMLInputElement)) return;
    const button = field.closest(".job, .adding")?.querySelector("button[formaction]");
    if (!(button instanceof HTMLButtonElement)) return;
    event.preventDefault();
    button.click();
  });
  form.addEventListener("click", ({ target }) => {
    const button = target instanceof HTMLElement ? target.closest("button") : null;
    if (button?.type === "submit") for (const field of needed) field.required = field.closest(".job")?.contains(button) ?? false;
  });
}

/**
 * The editor of the playground in place of the text field, which it keeps up to date.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLTextAreaElement} text
 * @param {HTMLElement} found
 * @param {() => void} changed
 */
async function loaded(form, text, found, changed) {
  const { Editor } = /** @type {typeof import("../../../web/workbench/editor.js")} */ (await import(String(form.dataset.editor)));
  const help = element("key-help");
  let isShown = false;
  const editor = new Editor(element("code"), {
    check: one => check(String(form.dataset.check), one),
    schema: async kind => {
      const answer = await fetch(`${form.dataset.schema}?${new URLSearchParams({ kind })}`);
      if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
      return answer.json();
    },
    start: () => form.requestSubmit(firstJob(form)),
    changed: () => {
      if (!isShown) return;
      text.value = editor.text;
      changed();
    },
    checked: one => show(found, one),
    described: lines => help.replaceChildren(...(lines.length ? [made("b", {}, lines[0]), ` ${lines.slice(1).join(" · ")}`] : [])),
    isReadOnly: "readOnly" in form.dataset,
  });
  editor.show(text.value);
  isShown = true;
  text.hidden = true;
  for (const label of form.querySelectorAll("label[for=text]")) label.addEventListener("click", () => editor.view.focus());
  for (const id of ["key-help", "keys-help"]) element(id)?.removeAttribute("hidden");
  // a browser that comes back restores the field, not the editor
  window.addEventListener("pageshow", () => { if (editor.text !== text.value) editor.show(text.value); });
  form.dataset.ready = "";
  return editor;
}

/** The plain field, where the editor is not bundled: checks its text half a second after the last change.
 *  @param {HTMLFormElement} form @param {HTMLTextAreaElement} text @param {HTMLElement} found @param {() => void} changed */
function checkTyped(form, text, found, changed) {
  let timer = 0;
  let last = 0;
  text.addEventListener("input", () => {
    changed();
    clearTimeout(timer);
    timer = window.setTimeout(async () => {
      const number = ++last;
      const checked = await check(String(form.dataset.check), text.value);
      if (number === last) show(found, checked);
    }, CHECK_AFTER_MS);
  });
}

/** @param {string} address @param {string} text @returns {Promise<Checked>} */
async function check(address, text) {
  try {
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ text }) });
    if (answer.ok) return await answer.json();
    return { valid: false, problems: [], rendered: `not checked: ${answer.status}`, warnings: [] };
  } catch {
    return { valid: false, problems: [], rendered: "not checked: the server does not answer", warnings: [] };
  }
}

/** Shows what a check found; who simulates the text hears of one that is right. @param {HTMLElement} place @param {Checked} checked */
function show(place, checked) {
  if (checked.valid) place.dispatchEvent(new Event("valid"));
  const shown = checked.valid ? [made("p", { class: "good" }, "Valid.")] : problemList(checked.problems);
  if (!shown.length) shown.push(made("pre", { class: "problems", tabindex: "0" }, checked.rendered));
  place.replaceChildren(...shown, ...checked.warnings.map(line => made("p", { class: "note" }, `Warning: ${line}`)));
}

/** Puts the cursor at a line and a column. @param {HTMLTextAreaElement} text @param {number} line @param {number} column */
function goTo(text, line, column) {
  const lines = text.value.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(before + column - 1, before + column - 1);
  text.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(text).lineHeight));
}
