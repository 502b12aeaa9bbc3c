// The editor of a scenario, in the playground and in the workbench: CodeMirror with what the schema knows of the keys. The
// page checks the text while one types, with its engine or by its server, and has the schemas that complete and describe.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { forceLinting, lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

import { made } from "../../python/sojourn/web/shown.js";
import { helpOf, keysAt, kindOf, placeIn, valuesAt } from "./keys.js";

/** @typedef {import("./keys.js").Schema} Schema */
/** @typedef {import("../../python/sojourn/web/problems.js").Problem} Problem */
/** @typedef {{ problems: Problem[], warnings: string[] }} Checked */
/** @typedef {{ check: (text: string) => Promise<Checked>, schema: (kind: string) => Promise<Schema>, start: () => void, changed: () => void,
 *              checked: (found: any) => void, described: (lines: string[]) => void, isReadOnly?: boolean }} Listener
 *           `schema` of a kind of network, or of "" that of all */

const CHECKED_AFTER_MS = 300;

export class Editor {
  /** @param {HTMLElement} parent @param {Listener} listener */
  constructor(parent, listener) {
    this.listener = listener;
    /** Schemas by kind of network; of "" that of all. @type {Map<string, Promise<Schema>>} */
    this.schemas = new Map();
    const labels = { "aria-label": "Scenario", "aria-describedby": "key-help", "autocapitalize": "off", "spellcheck": "false", "tabindex": "0" };
    /** @type {EditorView} */
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          closeBrackets(),
          search({ top: true }),
          highlightSelectionMatches(),
          StreamLanguage.define(toml),
          syntaxHighlighting(classHighlighter),
          autocompletion({ override: [context => this.completions(context)] }),
          hoverTooltip((_view, position) => this.hover(position)),
          listener.isReadOnly ? EditorState.readOnly.of(true) : [linter(() => this.lint(), { delay: CHECKED_AFTER_MS }), lintGutter()],
          keymap.of([{ key: "Mod-Enter", run: () => (listener.start(), true) }]),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap]),
          EditorView.contentAttributes.of(labels),
          EditorView.updateListener.of(update => {
            if (update.docChanged) listener.changed();
            if (update.docChanged || update.selectionSet) void this.describe();
          }),
        ],
      }),
    });
  }

  /** @returns {string} */
  get text() {
    return this.view.state.doc.toString();
  }

  /** Replaces the text; it is checked at once. @param {string} text */
  show(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    forceLinting(this.view);
  }

  /** Puts the cursor at a place. @param {number} line @param {number} column both from 1 */
  goTo(line, column) {
    const found = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    const anchor = Math.min(found.from + column - 1, found.to);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  /** The schema of the network that the text names. @returns {Promise<Schema>} */
  schema() {
    const kind = kindOf(this.text) ?? "";
    // a kind that is not whole yet has the keys of all
    if (!this.schemas.has(kind)) this.schemas.set(kind, this.listener.schema(kind).catch(() => this.listener.schema("")));
    return /** @type {Promise<Schema>} */ (this.schemas.get(kind));
  }

  /** @param {number} position */
  placeAt(position) {
    const line = this.view.state.doc.lineAt(position);
    return placeIn(this.text.split("\n"), line.number - 1, position - line.from);
  }

  /** What the text may go on with. @param {import("@codemirror/autocomplete").CompletionContext} context */
  async completions(context) {
    const place = this.placeAt(context.pos);
    if (!place || (!place.word && !context.explicit)) return null;
    const schema = await this.schema();
    const from = context.pos - place.word.length;
    if (place.part === "header") {
      const tables = [...keysAt(schema, { ...place, path: [] })].filter(([, part]) => part.type !== "string");
      return { from, options: tables.map(([label, part]) => ({ label, type: "class", info: part.description })) };
    }
    if (place.part === "key") {
      const keys = [...keysAt(schema, place)];
      return { from, options: keys.map(([label, key]) => ({ label, type: "property", apply: `${label} = `, info: helpOf(key).join("\n") })) };
    }
    const names = [...this.text.matchAll(/^\s*name\s*=\s*"([^"]+)"/gm)].map(([, name]) => name);
    const values = valuesAt(schema, place, names);
    // a quote behind the cursor, as it is closed by itself, belongs to the value
    const to = place.word.startsWith('"') && this.text[context.pos] === '"' ? context.pos + 1 : context.pos;
    return { from, to, filter: true, options: values.map(({ value, description }) => ({ label: value, type: "enum", info: description })) };
  }

  /** The key whose name or value stands at a position. @param {number} position */
  async keyAt(position) {
    const line = this.view.state.doc.lineAt(position);
    const rest = /^[\w-]*/.exec(line.text.slice(position - line.from))?.[0] ?? "";
    const place = this.placeAt(position + rest.length);
    const schema = await this.schema();
    if (!place) return undefined;
    if (place.part === "header") {
      const name = place.word.split(".")[0].trim();
      const table = keysAt(schema, { ...place, path: [] }).get(name);
      return table && { name: `[${name}]`, lines: helpOf(table), line };
    }
    const name = place.part === "key" ? place.word.trim() : place.key;
    const key = keysAt(schema, place).get(name);
    return key && { name: [...place.path, name].join("."), lines: helpOf(key), line };
  }

  /** @param {number} position @returns {Promise<import("@codemirror/view").Tooltip | null>} */
  async hover(position) {
    const found = await this.keyAt(position);
    if (!found) return null;
    const [first, ...others] = found.lines;
    const dom = made("div", { class: "key-tip" }, made("b", {}, found.name), made("p", {}, first), ...others.map(one => made("p", { class: "fact" }, one)));
    return { pos: position, end: position, above: true, create: () => ({ dom }) };
  }

  /** Describes the key at the cursor, for who has no mouse to hover. */
  async describe() {
    const position = this.view.state.selection.main.head;
    const found = await this.keyAt(position).catch(() => undefined);
    if (position === this.view.state.selection.main.head) this.listener.described(found ? [found.name, ...found.lines] : []);
  }

  /** @returns {Promise<import("@codemirror/lint").Diagnostic[]>} */
  async lint() {
    const text = this.text;
    const found = await this.listener.check(text);
    if (text !== this.text) return [];
    this.listener.checked(found);
    const wrong = found.problems.map(one => this.diagnostic(one.line, one.column, "error", [one.message, one.help].filter(Boolean).join("\n")));
    const noted = found.warnings.map(one => this.diagnostic(Number(/^[^:]*:(\d+):/.exec(one)?.[1] ?? 1), 1, "warning", one));
    return [...wrong, ...noted];
  }

  /**
   * @param {number | null} number
   * @param {number | null} column
   * @param {"error" | "warning"} severity
   * @param {string} message
   * @returns {import("@codemirror/lint").Diagnostic}
   */
  diagnostic(number, column, severity, message) {
    const line = this.view.state.doc.line(Math.min(number ?? 1, this.view.state.doc.lines));
    const start = Math.min((column ?? 1) - 1, line.length);
    const word = /^("[^"]*"?|'[^']*'?|[^\s,=}\]]+)/.exec(line.text.slice(start))?.[0] ?? "";
    return { from: line.from + start, to: line.from + start + word.length, severity, message };
  }
}
