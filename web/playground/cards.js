// Installations as cards: the values of a form become a scenario, which is opened and answers its question.

import { Mistakes } from "../../python/sojourn/web/engine.js";
import { written } from "./address.js";
import { AS_WRITTEN, requestOf } from "./asking.js";
import { problems, scenario } from "./installations.js";

/** @typedef {import("./address.js").Ask} Ask */
/** @typedef {import("./installations.js").Installation} Installation */

/** The question that the scenario has itself. @type {Ask} */
const ITS_QUESTION = { ...AS_WRITTEN, kind: "find" };

export class Cards {
  /**
   * @param {{ installations: Record<string, Installation>, units: import("./installations.js").Units }} data
   * @param {Promise<import("../../python/sojourn/web/engine.js").Engine>} engine
   */
  constructor({ installations, units }, engine) {
    this.installations = installations;
    this.units = units;
    this.engine = engine;
    for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-installation]"))) {
      form.addEventListener("submit", event => {
        event.preventDefault();
        void this.answer(form);
      });
    }
  }

  /** Each with its defaults, as an address names it. @returns {import("./workspace.js").Example[]} */
  get examples() {
    return Object.entries(this.installations).map(([id, one]) => {
      const [about, question] = document.querySelectorAll(`#new-${id} summary > *`);
      return { id, question: question.textContent, about: `${about.textContent}.`, text: scenario(one, {}), ask: ITS_QUESTION };
    });
  }

  /** Opens the scenario of a form, or says beside its fields what is wrong. @param {HTMLFormElement} form */
  async answer(form) {
    const name = String(form.dataset.installation);
    const installation = this.installations[name];
    const field = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (document.getElementById(`${name}-${id}`));
    const names = installation.fields.map(one => one.name);
    const values = Object.fromEntries(names.map(id => [id, field(id).value.trim()]));
    const wrong = problems(installation, values, this.units);
    for (const id of names) {
      field(id).setAttribute("aria-invalid", String(id in wrong));
      field(`${id}-wrong`).textContent = wrong[id] ?? "";
    }
    const first = names.find(id => id in wrong);
    if (first) {
      field(first).focus();
      return;
    }
    const text = scenario(installation, values);
    const message = await this.refusal(text);
    const [place] = form.querySelectorAll("p.wrong");
    place.textContent = message;
    const own = text === scenario(installation, {}) ? undefined : text;
    if (!message) location.hash = await written({ example: name, text: own, kept: undefined, ask: undefined });
  }

  /** Why values do not go together; empty where they do. @param {string} text */
  async refusal(text) {
    try {
      await (await this.engine).ask({ call: "check", request: requestOf(text, AS_WRITTEN) });
      return "";
    } catch (fault) {
      if (!(fault instanceof Mistakes)) return String(fault);
      const said = fault.problems.map(one => (one.help ? `${one.message} (${one.help})` : one.message));
      return `these values do not go together: ${said.join("; ")}`;
    }
  }
}
