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
// replication; results() gives what the replications show so far. With `asked` ({ vary, until, ask }) it is a search,
// and `find` its answer; with `advice` ({ options, by, until, indifference, combine }) the comparison of changes, and `advice` of its results the answer. `firsts` names the first replication of each point, of which `shown` gives the course over time or
// the frames.
//
// Mistakes in a request are thrown as Mistakes, whose `problems` have file, line, column, message and help.

import { unpacked } from "./packed.js";

/** @typedef {{ name: string, text: string, files?: Record<string, string>, set?: string[], over?: string[],
 *              runs?: { seed?: number, replications?: number, budget?: number } }} Request */
/** @typedef {{ vary?: string, until?: string, ask?: string }} Asked */
/** @typedef {{ results_json: string, verdicts: any[], failures: { point: number, message: string }[], warnings: string[],
 *              find?: any, firsts?: Record<string, string> }} Evaluation */
/** @typedef {{ done: number, of: number, results: () => Promise<Evaluation> }} Progress */
/** @typedef {{ options?: string[], by?: string, until?: string, indifference?: string, combine?: number }} Compared */
/** @typedef {{ signal?: AbortSignal, watch?: (progress: Progress) => void, asked?: Asked, advice?: Compared }} Options */
/** @typedef {{ request: Request, item: string }} Work a replication of a request */

export class Mistakes extends Error {
  /** @param {import("./problems.js").Problem[]} problems */
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
    /** What is open in it, or is being opened. @type {Request | undefined} */
    this.request = undefined;
    /** @type {Promise<unknown>} */
    this.opening = Promise.resolve();
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
   * @param {Uint8Array} [record] whose bytes go to the worker, with their buffer
   * @returns {Promise<{ answer: any, record?: Uint8Array }>}
   */
  exchange(call, record) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.awaited.set(id, { resolve, reject });
      this.worker.postMessage({ id, call, record }, record ? [/** @type {ArrayBuffer} */ (record.buffer)] : []);
    });
  }

  /** Opens a request, unless it is open already. @param {Request} request @returns {Promise<unknown>} */
  opened(request) {
    if (this.request !== request) {
      this.request = request;
      this.opening = this.exchange({ call: "open", request }).then(({ answer }) => understood(answer));
      this.opening.catch(() => undefined); // whoever computes meets it again
    }
    return this.opening;
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
  static async load(compressed, workerSource, cores) {
    return Engine.at(compressed, URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" })), cores);
  }

  /**
   * @param {Uint8Array} compressed the module, compressed with gzip
   * @param {string} url of worker.js
   * @param {number} [cores] workers that compute
   * @returns {Promise<Engine>}
   */
  static async at(compressed, url, cores = navigator.hardwareConcurrency || 2) {
    const module = await WebAssembly.compile(await unpacked(compressed).arrayBuffer());
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
  async run(request, { signal, watch, asked, advice } = {}) {
    signal?.throwIfAborted();
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    signal?.addEventListener("abort", () => running.abort(), { once: true });
    running.signal.addEventListener("abort", () => this.#stop(), { once: true });
    const own = { ...request };
    // those that compute open it while the one that merges does
    if (!asked && !advice) for (const instance of this.computing) void instance.opened(own);
    const begun = advice ? { call: "advise", request, asked: advice } : asked ? { call: "find", request, asked } : { call: "open", request };
    const opened = await this.ask(begun);
    if (running.signal.aborted) throw cancelled();
    const results = () => {
      if (running.signal.aborted) throw cancelled();
      return this.ask({ call: "results" });
    };
    let ended = false;
    const soFar = async () => {
      if (ended) throw cancelled(); // those of the whole run come
      return results();
    };
    const progress = { done: 0, of: opened.replications, results: soFar };
    const firsts = await this.#compute(opened.request ?? own, opened.items, running.signal, done => {
      progress.done = done;
      progress.of = Math.max(progress.of, done);
      watch?.(progress);
    });
    ended = true;
    const found = await results();
    if (this.running === running) this.running = undefined;
    return { ...found, firsts };
  }

  /**
   * What a replication shows beyond its numbers: `course`, or the `frames` with the bytes of a pcap file.
   *
   * @param {"course" | "frames"} what
   * @param {Request} request
   * @param {string} item
   * @returns {Promise<any>}
   */
  async shown(what, request, item) {
    const instance = this.start();
    try {
      await instance.opened(request);
      const { answer, record } = await instance.exchange({ call: what, item });
      return { ...understood(answer), record };
    } finally {
      instance.end();
    }
  }

  /** Ends all workers. */
  close() {
    this.running?.abort();
    for (const instance of [this.merging, ...this.computing]) instance.end();
  }

  /**
   * Hands out the replications in their order until none is left, and gives the first of each point.
   *
   * @param {Request} request what is opened to compute them
   * @param {string[]} items
   * @param {AbortSignal} signal
   * @param {(done: number) => void} count
   * @returns {Promise<Record<string, string>>}
   */
  #compute(request, items, signal, count) {
    let open = 0;
    /** @type {Record<string, string>} */
    const firsts = {};
    /** @type {Work[]} */
    const waiting = [];
    const number = (/** @type {string} */ item) => Number(item.split("/")[1]);
    const add = (/** @type {string[]} */ more) => {
      // the points of a sweep advance together, so that all of them show something early
      for (const item of more.sort((one, other) => number(one) - number(other))) {
        const [point, index, stage] = item.split("/");
        if (index === "0" && stage === "observed") firsts[point] = item;
        waiting.push({ request, item });
      }
    };
    add(items);
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(cancelled()), { once: true });
      const idle = this.computing.map((_, index) => index);
      const next = () => {
        if (waiting.length === 0 && open === 0) resolve(firsts);
        while (waiting.length > 0 && idle.length > 0) {
          open += 1;
          void one(/** @type {number} */ (idle.shift()), /** @type {Work} */ (waiting.shift()));
        }
      };
      /** @param {number} core @param {Work} work */
      const one = async (core, work) => {
        try {
          const { failure, record } = await this.#replicate(core, work, signal);
          if (signal.aborted) return;
          // the core goes on while the record is merged
          idle.push(core);
          next();
          const { answer } = await this.merging.exchange({ call: "ended", item: work.item, failure }, record);
          if (signal.aborted) return;
          const ended = understood(answer);
          request = ended.request ?? request; // the next value of a search
          add(ended.items);
          open -= 1;
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
   * @param {Work} work
   * @param {AbortSignal} signal
   * @returns {Promise<{ failure?: string, record?: Uint8Array }>}
   */
  async #replicate(core, { request, item }, signal) {
    const instance = this.computing[core];
    try {
      await instance.opened(request);
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
 * What `watch` calls to draw while replications arrive: at once, at most so often, and what has waited as soon as it may, so that
 * the second replication of two that end together is drawn as well, with the first interval. The last results of all come from
 * the run itself.
 *
 * @param {number} pause_ms
 * @param {(found: Evaluation) => void} draw
 * @returns {(progress: Progress) => void}
 */
export function often(pause_ms, draw) {
  let drawn = -Infinity;
  /** @type {Progress | undefined} */
  let waiting;
  const now = async () => {
    const progress = waiting;
    waiting = undefined;
    if (!progress || progress.done === progress.of) return;
    drawn = performance.now();
    await progress.results().then(draw).catch(() => undefined); // of a run that was cancelled
  };
  return progress => {
    const isTimed = waiting !== undefined;
    waiting = progress;
    if (!isTimed) setTimeout(() => void now(), Math.max(0, drawn + pause_ms - performance.now()));
  };
}

/**
 * An answer without mistakes or faults, which are thrown.
 *
 * @param {any} answer
 * @returns {any}
 */
export function understood(answer) {
  if (answer.problems) throw new Mistakes(answer.problems);
  if (answer.fault) throw new Error(answer.fault);
  return answer;
}

/** @returns {DOMException} */
function cancelled() {
  return new DOMException("cancelled", "AbortError");
}
