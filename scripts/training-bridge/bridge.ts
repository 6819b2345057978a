/**
 * Training environments as bytes, so that many steps need one message.
 *
 * First one line of JSON: `slug`, `tickHz`, `runs` (null for a single run), `observationFields`, `actions`. Then, for
 * each request, the answer:
 *
 * | request | answer |
 * |---|---|
 * | `r`, seed as u32 | the observations |
 * | `s`, an action as u8 for each run | observations, rewards, scores, terminated, truncated |
 *
 * Observations, rewards and scores are f32, `terminated` and `truncated` u8; all numbers are little endian, run after
 * run. With several runs, a run that ends begins again with the next seed, and its score is the final one; a run that
 * goes on has the score 0. A single run has the score so far and waits for `r` at its end.
 */
import { makeEnv, makeVectorEnv } from "../../client/training/index.ts";

const RESET = "r".charCodeAt(0);
const STEP = "s".charCodeAt(0);
const RESET_BYTES = 5;

interface Steps {
  readonly observations: Float32Array;
  readonly rewards: Float32Array;
  readonly scores: Float32Array;
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
}

interface BridgeEnv {
  readonly slug: string;
  readonly tickHz: number;
  readonly observationFields: readonly object[];
  readonly actions: readonly object[];
  reset(seed: number): Float32Array;
  step(actions: Uint8Array): Steps;
}

function createSingleEnv(slug: string): BridgeEnv {
  const { step, reset, tickHz, observationFields, actions } = makeEnv(slug);
  return {
    slug,
    tickHz,
    observationFields,
    actions,
    reset: (seed) => reset(seed).observation,
    step([action]) {
      const { observation, reward, terminated, truncated, info } = step(action!);
      return {
        observations: observation,
        rewards: Float32Array.of(reward),
        scores: Float32Array.of(info.score),
        terminated: Uint8Array.of(terminated ? 1 : 0),
        truncated: Uint8Array.of(truncated ? 1 : 0),
      };
    },
  };
}

function createVectorEnv(slug: string, runs: number): BridgeEnv {
  const { step, reset, tickHz, observationFields, actions } = makeVectorEnv(slug, runs);
  const scores = new Float32Array(runs);
  return {
    slug,
    tickHz,
    observationFields,
    actions,
    reset(seed) {
      let next = seed;
      return reset(() => next++ >>> 0);
    },
    step(given) {
      const { observations, rewards, terminated, truncated, finalScores } = step(given);
      let ended = 0;
      for (let run = 0; run < runs; run++)
        scores[run] = terminated[run] === 1 || truncated[run] === 1 ? finalScores[ended++]! : 0;
      return { observations, rewards, scores, terminated, truncated };
    },
  };
}

const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array | Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * @param runs how many runs side by side; null for a single one that does not begin again
 * `take` returns the answers to the requests that are complete. It throws `RangeError` for an unknown request or action.
 */
export function createBridge(slug: string, runs: number | null) {
  const env = runs === null ? createSingleEnv(slug) : createVectorEnv(slug, runs);
  const stepBytes = 1 + (runs ?? 1);
  let rest: Buffer = Buffer.alloc(0);

  function answer(request: Buffer): Buffer {
    if (request[0] === RESET) return Buffer.from(toBytes(env.reset(request.readUInt32LE(1))));
    const { observations, rewards, scores, terminated, truncated } = env.step(request.subarray(1));
    return Buffer.concat([observations, rewards, scores, terminated, truncated].map(toBytes));
  }

  const { tickHz, observationFields, actions } = env;
  return {
    head: `${JSON.stringify({ slug, tickHz, runs, observationFields, actions })}\n`,
    *take(chunk: Buffer): Generator<Buffer> {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length > 0) {
        const op = rest[0]!;
        if (op !== RESET && op !== STEP) throw new RangeError(`a request is "r" or "s", not byte ${op}`);
        const size = op === RESET ? RESET_BYTES : stepBytes;
        if (rest.length < size) return;
        const request = rest.subarray(0, size);
        rest = rest.subarray(size);
        yield answer(request);
      }
    },
  };
}
