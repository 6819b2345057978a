/**
 * Recomputes a score from its replay in a fresh run of the game. Pure: the same file runs in the server's worker, in
 * the command line and in a browser.
 */

import type { Hex } from "viem";
import { COMMAND_CODES } from "../../games/game.ts";
import {
  checkForm,
  checkInputs,
  Differences,
  type ReplayDifference,
  type ReplayRules,
  type ReplayState,
} from "./form.ts";
import { computeGameSessionHash, computeReplayDigest, type Replay, type ReplayInput } from "./replay.ts";

export type { ReplayDifference, ReplayRules } from "./form.ts";

/** Replaces the value, which would help to forge a replay. */
const FRESH_RUN = "what a fresh run gives";

export type RulesLookup = (slug: string, rulesVersion: number) => ReplayRules | null | undefined;

export interface ReplayResult {
  readonly ok: boolean;
  readonly finalScore: number;
  readonly ticks: number;
  readonly replayDigest: Hex;
  /** Computed from the replay's own facts; null for a session that takes no part in rewards (sequence 0). */
  readonly gameSessionHash: Hex | null;
  readonly differences: readonly ReplayDifference[];
}

/** Claims about the replay, for example the chain's event; compared when given. */
export interface ReplayClaims {
  readonly replayDigest?: Hex;
  readonly gameSessionHash?: Hex;
  readonly finalScore?: number;
}

/** A 0x hex seed as the bytes a game starts from. */
export const parseSeed = (hex: string): Uint8Array =>
  Uint8Array.from({ length: (hex.length - 2) / 2 }, (_, i) => Number.parseInt(hex.slice(2 + 2 * i, 4 + 2 * i), 16));

/** Steps a game through its inputs up to `ticks` or its own end; `visit` sees the state after each step. */
export function runInputs<State extends ReplayState>(
  rules: { init(seed: Uint8Array, tickHz: number): State; step(state: State, codes: readonly number[]): State },
  run: {
    readonly seed: Hex;
    readonly tickHz: number;
    readonly inputs: readonly ReplayInput[];
    readonly ticks: number;
  },
  visit?: (state: State) => void,
): State {
  const commands = new Set<number>(Object.values(COMMAND_CODES));
  let state = rules.init(parseSeed(run.seed), run.tickHz);
  let next = 0;
  for (let tick = 1; tick <= run.ticks && !state.over; tick++) {
    const codes: number[] = [];
    for (; next < run.inputs.length && run.inputs[next]![0] <= tick; next++) {
      const code = run.inputs[next]![1];
      if (!commands.has(code)) codes.push(code);
    }
    state = rules.step(state, codes);
    visit?.(state);
  }
  return state;
}

function checkEnd(replay: Replay, over: boolean, differences: Differences): void {
  if (over !== (replay.endReason === "lives_lost")) {
    differences.add("endReason", over ? "lives_lost" : "another reason: lives are left", replay.endReason);
  }
  const exited = replay.inputs.at(-1)?.[1] === COMMAND_CODES.exit;
  if (exited !== (replay.endReason === "exit")) {
    differences.add("endReason", exited ? "exit" : "another reason: there is no exit", replay.endReason);
  }
  if (exited) differences.compare("inputs.exit", replay.ticks + 1, replay.inputs.at(-1)?.[0], "ticks + 1");
  if (replay.endReason === "never_joined") differences.compare("ticks", 0, replay.ticks);
}

/** Compares a replay with a fresh run, and with `claims` if given; lists each differing field. */
export function verifyReplay(replay: Replay, getRules: RulesLookup, claims: ReplayClaims = {}): ReplayResult {
  const differences = new Differences();
  let finalScore = 0;
  let ticks = 0;
  checkForm(replay, differences);
  const rules = getRules(replay.slug, replay.rulesVersion);
  if (!rules) differences.add("rulesVersion", "a known game and version", `${replay.slug} ${replay.rulesVersion}`);
  if (rules && differences.list.length === 0) checkInputs(replay, rules, differences);
  if (rules && differences.list.length === 0) {
    try {
      const state = runInputs(rules, replay);
      finalScore = state.score;
      ticks = state.tick;
      checkEnd(replay, state.over, differences);
    } catch (error) {
      differences.add("inputs", "a run without an error", error instanceof Error ? error.message : String(error));
    }
    differences.compare("ticks", ticks, replay.ticks, FRESH_RUN);
    differences.compare("finalScore", finalScore, replay.finalScore, FRESH_RUN);
  }
  return concludeResult(replay, claims, differences, { finalScore, ticks });
}

function concludeResult(
  replay: Replay,
  claims: ReplayClaims,
  differences: Differences,
  run: { readonly finalScore: number; readonly ticks: number },
): ReplayResult {
  let digest: Hex = "0x";
  try {
    digest = computeReplayDigest(replay);
  } catch {
    differences.add("replay", "JSON of integers and strings", "something else");
  }
  let gameSessionHash: Hex | null = null;
  if (/^[1-9]\d*$/.test(replay.sequence)) {
    try {
      gameSessionHash = computeGameSessionHash({ ...replay, replayDigest: digest, sequence: BigInt(replay.sequence) });
    } catch {
      differences.add("sessionId, wallet, chainId, rewards", "the facts of a session on chain", "something else");
    }
  }
  if (claims.replayDigest !== undefined)
    differences.compare("replayDigest", digest, claims.replayDigest, "the digest of this replay");
  if (claims.finalScore !== undefined)
    differences.compare("finalScore (claimed)", run.finalScore, claims.finalScore, FRESH_RUN);
  if (claims.gameSessionHash !== undefined) {
    differences.compare("gameSessionHash", gameSessionHash, claims.gameSessionHash, "the hash of this replay");
  }
  return {
    ok: differences.list.length === 0,
    ...run,
    replayDigest: digest,
    gameSessionHash,
    differences: differences.list,
  };
}
