/**
 * Training environments as bytes, so that many steps need one message.
 *
 * First one line of JSON: `slug`, `tickHz`, `runs` (null for a single run), `ticksPerStep`, `observationFields`,
 * `actions`. Then, for each request, the response:
 *
 * | request | answer |
 * |---|---|
 * | `r`, a seed as u32 for each run | the observations |
 * | `s`, an action as u8 for each run | observations, rewards, scores, terminated, truncated, then the last observations of each run that ended |
 *
 * Observations, rewards and scores are f32, `terminated` and `truncated` u8; all numbers are little endian, run after
 * run. With several runs, a run that ends restarts with the seed after the latest one, and its score is the final
 * one; the other runs have the score 0. A single run has the score so far and waits for `r` at its end.
 */
import { type EnvOptions, makeEnv, makeVectorEnv } from "../../client/training/index.ts";

const RESET = "r".charCodeAt(0);
const STEP = "s".charCodeAt(0);
const SEED_BYTES = 4;

interface Steps {
  readonly observations: Float32Array;
  readonly rewards: Float32Array;
  readonly scores: Float32Array;
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  readonly finalObservations: Float32Array;
}

interface BridgeEnv {
  readonly slug: string;
  readonly tickHz: number;
  readonly observationFields: readonly object[];
  readonly actions: readonly object[];
  reset(seeds: readonly number[]): Float32Array;
  step(actions: Uint8Array): Steps;
}

function createSingleEnv(slug: string, options: EnvOptions): BridgeEnv {
  const { step, reset, tickHz, observationFields, actions } = makeEnv(slug, options);
  return {
    slug,
    tickHz,
    observationFields,
    actions,
    reset: ([seed]) => reset(seed!).observation,
    step([action]) {
      const { observation, reward, terminated, truncated, info } = step(action!);
      return {
        observations: observation,
        rewards: Float32Array.of(reward),
        scores: Float32Array.of(info.score),
        terminated: Uint8Array.of(terminated ? 1 : 0),
        truncated: Uint8Array.of(truncated ? 1 : 0),
        finalObservations: new Float32Array(),
      };
    },
  };
}

function createVectorEnv(slug: string, runs: number, options: EnvOptions): BridgeEnv {
  const { step, reset, tickHz, observationFields, actions } = makeVectorEnv(slug, runs, options);
  const scores = new Float32Array(runs);
  return {
    slug,
    tickHz,
    observationFields,
    actions,
    reset(seeds) {
      let next = seeds.at(-1)!;
      const given = seeds.values();
      return reset(() => given.next().value ?? ++next >>> 0);
    },
    step(actions) {
      const { observations, rewards, terminated, truncated, finalScores, finalObservations } = step(actions);
      let ended = 0;
      for (let run = 0; run < runs; run++)
        scores[run] = terminated[run] === 1 || truncated[run] === 1 ? finalScores[ended++]! : 0;
      return { observations, rewards, scores, terminated, truncated, finalObservations };
    },
  };
}

const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array | Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * @param runs how many runs side by side; null for a single one that does not begin again
 * `take` returns the answers to the requests that are complete. It throws `RangeError` for an unknown request or action.
 */
export function createBridge(slug: string, runs: number | null, ticksPerStep = 1) {
  const options = { ticksPerStep };
  const env = runs === null ? createSingleEnv(slug, options) : createVectorEnv(slug, runs, options);
  const count = runs ?? 1;
  let rest: Buffer = Buffer.alloc(0);

  function answer(request: Buffer): Buffer {
    if (request[0] === RESET) {
      const seeds = Array.from({ length: count }, (_, run) => request.readUInt32LE(1 + run * SEED_BYTES));
      return Buffer.from(toBytes(env.reset(seeds)));
    }
    const { observations, rewards, scores, terminated, truncated, finalObservations } = env.step(request.subarray(1));
    return Buffer.concat([observations, rewards, scores, terminated, truncated, finalObservations].map(toBytes));
  }

  const { tickHz, observationFields, actions } = env;
  return {
    head: `${JSON.stringify({ slug, tickHz, runs, ticksPerStep, observationFields, actions })}\n`,
    *take(chunk: Buffer): Generator<Buffer> {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length > 0) {
        const op = rest[0]!;
        if (op !== RESET && op !== STEP) throw new RangeError(`a request is "r" or "s", not byte ${op}`);
        const size = 1 + count * (op === RESET ? SEED_BYTES : 1);
        if (rest.length < size) return;
        const request = rest.subarray(0, size);
        rest = rest.subarray(size);
        yield answer(request);
      }
    },
  };
}
