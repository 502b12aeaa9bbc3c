// The engine in a page: replications in Web Workers, one for each core, merged by another one.
//
//   const engine = await Engine.load(gzippedWasm, workerSource);   // Uint8Array, string
//   const { inputs } = await engine.ask({ call: "inputs", request, keys: [] });
//   const results = await engine.run(request, { signal, watch });  // one run at a time; a new one cancels the last
//   engine.close();
//
// A request is { name, text, files, set, over, runs }: `crates/experiment/src/computation.rs`, calls are listed in
// `crates/wasm/src/calls.rs`. Results are { results_json, verdicts, failures, warnings }; `results_json` has the bytes
// that `sojourn run` writes for the same document, seed and build. `watch` gets { done, of, results() } after each
// replication; results() gives what the replications show so far.
//
// Mistakes in a request are thrown as Mistakes, whose `problems` have file, line, column, message and help.

import { unpacked } from "./packed.js";

/** @typedef {{ name: string, text: string, files?: Record<string, string>, set?: string[], over?: string[],
 *              runs?: { seed?: number, replications?: number } }} Request */
/** @typedef {{ results_json: string, verdicts: any[], failures: any[], warnings: string[] }} Evaluation */
/** @typedef {{ done: number, of: number, results: () => Promise<Evaluation> }} Progress */
/** @typedef {{ signal?: AbortSignal, watch?: (progress: Progress) => void }} Options */
/** @typedef {{ file: string | null, line: number | null, column: number | null, message: string,
 *              help: string | null }} Problem */

export class Mistakes extends Error {
  /** @param {Problem[]} problems */
  constructor(problems) {
    super(problems.map(one => one.message).join("; "));
    this.problems = problems;
  }
}

/** A worker and the answers that are awaited of it. */
class Instance {
  /**
   * @param {string} url
   * @param {WebAssembly.Module} module
   */
  constructor(url, module) {
    this.worker = new Worker(url);
    /** @type {Map<number, { resolve: (found: any) => void, reject: (fault: Error) => void }>} */
    this.awaited = new Map();
    this.last = 0;
    /** @type {object | undefined} the run that is open in it */
    this.run = undefined;
    this.worker.onmessage = ({ data: { id, fault, ...found } }) => {
      const waiting = this.awaited.get(id);
      this.awaited.delete(id);
      if (fault !== undefined) waiting?.reject(new Error(fault));
      else waiting?.resolve(found);
    };
    this.worker.postMessage({ module });
  }

  /**
   * @param {object} call
   * @param {Uint8Array} [record]
   * @returns {Promise<{ answer: any, record?: Uint8Array }>}
   */
  exchange(call, record) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.awaited.set(id, { resolve, reject });
      this.worker.postMessage({ id, call, record });
    });
  }

  /** Ends the worker, whatever it computes. */
  end() {
    this.worker.terminate();
    for (const { reject } of this.awaited.values()) reject(new DOMException("cancelled", "AbortError"));
    this.awaited.clear();
  }
}

export class Engine {
  /**
   * @param {Uint8Array} compressed the module, compressed with gzip
   * @param {string} workerSource the text of worker.js
   * @param {number} [cores] workers that compute
   * @returns {Promise<Engine>}
   */
  static async load(compressed, workerSource, cores = navigator.hardwareConcurrency || 2) {
    const module = await WebAssembly.compile(await unpacked(compressed).arrayBuffer());
    const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
    return new Engine(module, url, Math.max(1, Math.min(cores, 16)));
  }

  /**
   * @param {WebAssembly.Module} module
   * @param {string} url
   * @param {number} cores
   */
  constructor(module, url, cores) {
    this.start = () => new Instance(url, module);
    this.merging = this.start();
    this.computing = Array.from({ length: cores }, this.start);
    /** @type {AbortController | undefined} */
    this.running = undefined;
  }

  /**
   * @param {object} call any but those of a run
   * @returns {Promise<any>}
   */
  async ask(call) {
    const merging = this.merging;
    const { answer } = await merging.exchange(call).catch(fault => {
      // an instance that met a bug answers nothing any more
      merging.end();
      if (this.merging === merging) this.merging = this.start();
      throw fault;
    });
    return understood(answer);
  }

  /**
   * @param {Request} request
   * @param {Options} [options]
   * @returns {Promise<Evaluation>}
   */
  async run(request, { signal, watch } = {}) {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    signal?.addEventListener("abort", () => running.abort(), { once: true });
    running.signal.addEventListener("abort", () => this.#stop(), { once: true });
    const opened = await this.ask({ call: "open", request });
    if (running.signal.aborted) throw cancelled();
    const results = () => {
      if (running.signal.aborted) throw cancelled();
      return this.ask({ call: "results" });
    };
    const progress = { done: 0, of: opened.replications, results: async () => results() };
    await this.#compute(request, opened.items, running.signal, done => {
      progress.done = done;
      progress.of = Math.max(progress.of, done);
      watch?.(progress);
    });
    const found = await results();
    if (this.running === running) this.running = undefined;
    return found;
  }

  /** Ends all workers. */
  close() {
    this.running?.abort();
    for (const instance of [this.merging, ...this.computing]) instance.end();
  }

  /**
   * Hands out the items in their order until none is left.
   *
   * @param {Request} request
   * @param {string[]} waiting
   * @param {AbortSignal} signal
   * @param {(done: number) => void} count
   * @returns {Promise<void>}
   */
  #compute(request, waiting, signal, count) {
    let open = 0;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(cancelled()), { once: true });
      const idle = this.computing.map((_, index) => index);
      const next = () => {
        if (waiting.length === 0 && open === 0) resolve();
        while (waiting.length > 0 && idle.length > 0) {
          open += 1;
          void one(/** @type {number} */ (idle.shift()), /** @type {string} */ (waiting.shift()));
        }
      };
      /** @param {number} core @param {string} item */
      const one = async (core, item) => {
        try {
          const { failure, record } = await this.#replicate(core, request, item, signal);
          if (signal.aborted) return;
          const ended = (await this.merging.exchange({ call: "ended", item, failure }, record)).answer;
          if (signal.aborted) return;
          waiting.push(...ended.items);
          open -= 1;
          idle.push(core);
          count(ended.done);
          next();
        } catch (fault) {
          reject(fault);
        }
      };
      next();
    });
  }

  /**
   * The record of a replication, or why it failed.
   *
   * @param {number} core
   * @param {Request} request
   * @param {string} item
   * @param {AbortSignal} signal
   * @returns {Promise<{ failure?: string, record?: Uint8Array }>}
   */
  async #replicate(core, request, item, signal) {
    const instance = this.computing[core];
    try {
      if (instance.run !== signal) {
        understood((await instance.exchange({ call: "open", request })).answer);
        instance.run = signal;
      }
      return { record: (await instance.exchange({ call: "compute", item })).record };
    } catch (fault) {
      if (signal.aborted) return {};
      instance.end();
      this.computing[core] = this.start();
      return { failure: fault instanceof Error ? fault.message : String(fault) };
    }
  }

  /** Ends the workers that compute, since a replication cannot be interrupted otherwise. */
  #stop() {
    this.computing = this.computing.map(instance => {
      if (instance.awaited.size === 0) return instance;
      instance.end();
      return this.start();
    });
  }
}

/**
 * @param {any} answer
 * @returns {any}
 */
function understood(answer) {
  if (answer.problems) throw new Mistakes(answer.problems);
  if (answer.fault) throw new Error(answer.fault);
  return answer;
}

/** @returns {DOMException} */
function cancelled() {
  return new DOMException("cancelled", "AbortError");
}
