// A worker that holds one instance of the engine and answers calls: `crates/wasm` documents their layout.
//
// First message: { module: WebAssembly.Module }. Then { id, call, record? } -> { id, answer, record? } or { id, fault }.
// After a fault the instance is unusable: who gets one ends the worker.

/**
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(length: number) => number} input
 * @property {() => void} call
 * @property {() => number} output
 * @property {() => number} output_length
 */

/** @type {Promise<Exports> | undefined} */
let engine;

/** @param {MessageEvent} event */
self.onmessage = async ({ data }) => {
  if (data.module) {
    const module = /** @type {WebAssembly.Module} */ (data.module);
    engine = WebAssembly.instantiate(module, {}).then(instance => /** @type {any} */ (instance.exports));
    return;
  }
  const { id, call, record } = data;
  try {
    const found = exchange(await /** @type {Promise<Exports>} */ (engine), call, record);
    self.postMessage({ id, ...found }, /** @type {any} */ (found.record ? [found.record.buffer] : []));
  } catch (fault) {
    self.postMessage({ id, fault: fault instanceof Error ? fault.message : String(fault) });
  }
};

/**
 * @param {Exports} exports
 * @param {object} call
 * @param {Uint8Array} [record]
 * @returns {{ answer: any, record?: Uint8Array }}
 */
function exchange(exports, call, record = new Uint8Array()) {
  const json = new TextEncoder().encode(JSON.stringify(call));
  const at = exports.input(4 + json.length + record.length);
  new DataView(exports.memory.buffer).setUint32(at, json.length, true);
  new Uint8Array(exports.memory.buffer).set(json, at + 4);
  new Uint8Array(exports.memory.buffer).set(record, at + 4 + json.length);
  try {
    exports.call();
  } catch (trap) {
    throw new Error(output(exports).answer?.panic ?? String(trap));
  }
  return output(exports);
}

/**
 * @param {Exports} exports
 * @returns {{ answer: any, record?: Uint8Array }}
 */
function output(exports) {
  const bytes = new Uint8Array(exports.memory.buffer, exports.output(), exports.output_length());
  if (bytes.length < 4) return { answer: undefined };
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const answer = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return bytes.length > 4 + length ? { answer, record: bytes.slice(4 + length) } : { answer };
}
