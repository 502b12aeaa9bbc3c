// Which keys of a scenario matter: each is raised alone, with the same random numbers, and the change of the mean response time (of streams
// and calls the one-way delay) has an interval, paired by replication. Keys are ranked by what the intervals establish, not by what the samples happened to give.

import { Mistakes } from "./engine.js";
import { pointsOf, timeOf } from "./shown.js";

/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./engine.js").Request} Request */
/** @typedef {import("./live.js").Input} Input */
/** @typedef {{ value: number, interval: [number, number], established: number }} Elasticity percent of the mean for one percent of a key */
/** @typedef {{ input: Input, share: number, pairs: [number, number][], found: Elasticity | null }} Key how a key was raised, the means
 *           of both settings by replication, and what they show */

const RAISED = 0.1;
/** Replications of each key at each look; a key is done as soon as its interval is on one side of 0. */
const LOOKS = [6, 6, 12];
/** A key whose interval lies within this many percent of 0 is done as well: it matters no more than that. */
const NOTHING = 0.05;
/** Seeds are read as signed numbers of 53 bits by pages. */
const MOST_SEED = 2 ** 52;

/**
 * The influence of each key, the largest that is established first.
 *
 * @param {Engine} engine
 * @param {Request} request
 * @param {Input[]} inputs
 * @param {(done: number, of: number) => void} tell of the keys of a look
 * @returns {Promise<Key[]>}
 */
export async function influence(engine, request, inputs, tell) {
  const keys = /** @type {Key[]} */ (inputs.map(input => raised(input)).filter(Boolean));
  for (const [look, replications] of LOOKS.entries()) {
    const open = keys.filter(key => !isDecided(key));
    if (open.length === 0) break;
    // each look has a seed of its own: the replications of the last one stay
    const runs = { ...request.runs, replications, seed: seedOf(request, look) };
    const before = await means(engine, { ...request, runs });
    for (const [index, key] of open.entries()) {
      tell(index + 1, open.length);
      const { path, suffix, values } = key.input;
      const set = [...(request.set ?? []), `${path}=${values[0] * (1 + key.share)} ${suffix}`.trim()];
      const after = await means(engine, { ...request, runs, set }).catch(fault => {
        // a value that another key excludes
        if (fault instanceof Mistakes) return [];
        throw fault;
      });
      key.pairs.push(...paired(before, after));
      const { elasticity } = await engine.ask({ call: "elasticity", pairs: key.pairs, share: key.share, looks: LOOKS.length });
      key.found = elasticity;
    }
  }
  const known = keys.filter(key => key.found);
  return known.sort((one, other) => (other.found?.established ?? 0) - (one.found?.established ?? 0));
}

/** A key before it is raised: a whole number by one at least; none where there is no room. @param {Input} input @returns {Key | undefined} */
function raised(input) {
  const now = input.values[0];
  if (!(now > 0)) return undefined;
  const moved = input.whole ? Math.max(now + 1, Math.round(now * (1 + RAISED))) : now * (1 + RAISED);
  return moved > (input.high ?? Infinity) ? undefined : { input, share: moved / now - 1, pairs: [], found: null };
}

/** @param {Key} key */
function isDecided({ found }) {
  if (!found) return false;
  return found.established > 0 || Math.max(...found.interval.map(Math.abs)) < NOTHING;
}

/** @param {Request} request @param {number} look */
const seedOf = ({ runs }, look) => ((runs?.seed ?? 1) + look * 1_000_003) % MOST_SEED;

/** The mean of each replication. @param {Engine} engine @param {Request} request @returns {Promise<(number | null)[]>} */
async function means(engine, request) {
  return timeOf(pointsOf(await engine.run(request))[0])?.by_replication?.mean ?? [];
}

/** @param {(number | null)[]} before @param {(number | null)[]} after @returns {[number, number][]} */
function paired(before, after) {
  /** @type {[number, number][]} */
  const found = [];
  before.forEach((mean, index) => {
    const other = after[index];
    if (mean != null && other != null) found.push([mean, other]);
  });
  return found;
}
