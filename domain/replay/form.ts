/** The form of a replay: which fields and inputs are well-formed and within their bounds. */
import { TICK_RATES } from "../../games/fixed.ts";
import { COMMAND_CODES } from "../../games/game.ts";
import { END_REASONS, SESSION_TIMES } from "../session.ts";
import { PAUSE_CODES, type Replay } from "./replay.ts";
import { computeGameSeed, computeSeedCommitment, ENTROPY_PATTERN, NO_ENTROPY } from "./seed.ts";

export interface ReplayState {
  tick: number;
  score: number;
  over: boolean;
}

/** What a replay needs of a game; every `Game` fits. */
export interface ReplayRules {
  readonly inputs: readonly { readonly code: number; readonly mode: "held" | "once" | "idle" }[];
  // The state's type is the game's own and never leaves this run.
  init(seed: Uint8Array, tickHz: number): ReplayState;
  // biome-ignore lint/suspicious/noExplicitAny: each game has its own state type
  step(state: any, codes: readonly number[]): ReplayState;
}

export interface ReplayDifference {
  readonly field: string;
  /** The rule, or a description of what is compared: never a value that would help to forge a replay. */
  readonly expected: string;
  /** The value in the replay (or the claim). */
  readonly received: string;
}

const MAX_DIFFERENCES = 20;
/** How far pauses of a kind may exceed their budget: a pause ends with the next tick, later on a busy machine. */
const PAUSE_TOLERANCE_MS = 10_000;
/** All pauses of a session together, those of restarts included. */
const ALL_PAUSES_MS = 15 * 60_000;
/** How long a session may pause in total, by the code of the reason. */
const PAUSE_BUDGETS_MS = [SESSION_TIMES.pauseSeconds * 1000, SESSION_TIMES.disconnectPauseSeconds * 1000];
const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SEED = /^0x[0-9a-f]{64}$/;

/** The longest replay: no session lasts longer, and a verifier must not run forever. */
const getMaxTicks = (tickHz: number): number => (SESSION_TIMES.maxDurationSeconds + 1) * tickHz;

export class Differences {
  readonly list: ReplayDifference[] = [];

  add(field: string, expected: unknown, received: unknown): void {
    if (this.list.length < MAX_DIFFERENCES) {
      this.list.push({ field, expected: String(expected), received: String(received) });
    }
  }

  /** `words` replace an expected value that would help to forge a replay. */
  compare(field: string, expected: unknown, received: unknown, words: unknown = expected): void {
    if (expected !== received) this.add(field, words, received);
  }
}

const isTick = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Checks that both parts give the seed, and that the commitment is that of the service's part. */
function checkSeed({ seed, serverSeed, seedCommitment, entropy }: Replay, differences: Differences): void {
  const isEntropyValid = entropy === NO_ENTROPY || ENTROPY_PATTERN.test(entropy);
  if (!isEntropyValid) differences.add("entropy", "0x and at most 32 bytes in lower-case hex", entropy);
  if (!SEED.test(serverSeed)) differences.add("serverSeed", "0x and 64 lower-case hex digits", serverSeed);
  else {
    differences.compare("seedCommitment", computeSeedCommitment(serverSeed), seedCommitment, "sha256 of serverSeed");
    if (isEntropyValid) differences.compare("seed", computeGameSeed(serverSeed, entropy), seed, "sha256 of both parts");
  }
}

/** Pauses ascend by tick, have a known reason and a length; those of a kind, and all of them, stay within their budget. */
function checkPauses({ pauses, ticks }: Replay, differences: Differences): void {
  if (!Array.isArray(pauses)) {
    differences.add("pauses", "a list of [tick, reason, ms]", typeof pauses);
    return;
  }
  const budgetsMs = [...PAUSE_BUDGETS_MS];
  let leftMs = ALL_PAUSES_MS;
  let lastTick = 0;
  pauses.forEach((pause: unknown, index) => {
    const field = `pauses[${index}]`;
    const [tick, reason, ms] = Array.isArray(pause) && pause.length === 3 ? pause : [undefined, undefined, undefined];
    const isReason = Object.values<unknown>(PAUSE_CODES).includes(reason);
    if (!isTick(tick) || tick < lastTick || tick > ticks || !isReason || !isTick(ms)) {
      differences.add(field, "[tick, reason, ms], ascending by tick", JSON.stringify(pause));
      return;
    }
    lastTick = tick;
    leftMs -= ms;
    if (leftMs < 0) differences.add(field, `pauses of at most ${ALL_PAUSES_MS} ms in all`, ALL_PAUSES_MS - leftMs);
    const budgetMs = budgetsMs[reason];
    if (budgetMs === undefined) return;
    budgetsMs[reason] = budgetMs - ms;
    if (ms > budgetMs + PAUSE_TOLERANCE_MS) differences.add(field, `at most ${Math.max(0, budgetMs)} ms`, ms);
  });
}

/** Errors of form; a replay with one of them is not run. */
export function checkForm(replay: Replay, differences: Differences): void {
  differences.compare("v", 2, replay.v);
  checkSeed(replay, differences);
  if (!SEED.test(replay.rulesHash)) differences.add("rulesHash", "0x and 64 lower-case hex digits", replay.rulesHash);
  checkPauses(replay, differences);
  if (!SESSION_ID.test(replay.sessionId)) differences.add("sessionId", "a UUID in lower case", replay.sessionId);
  const isTickHzValid = TICK_RATES.includes(replay.tickHz);
  if (!isTickHzValid) differences.add("tickHz", `one of ${TICK_RATES.join(", ")}`, replay.tickHz);
  const ticksMax = isTickHzValid ? getMaxTicks(replay.tickHz) : 0;
  if (!isTick(replay.ticks) || replay.ticks > ticksMax) {
    differences.add("ticks", `an integer of 0 to ${ticksMax}`, replay.ticks);
  }
  if (!isTick(replay.finalScore)) differences.add("finalScore", "an integer from 0", replay.finalScore);
  if (!END_REASONS.includes(replay.endReason)) {
    differences.add("endReason", END_REASONS.join(" | "), replay.endReason);
  }
  if (!Array.isArray(replay.inputs)) differences.add("inputs", "a list of [tick, code]", typeof replay.inputs);
}

/**
 * Inputs ascend by tick, each code belongs to the game or is a command, and one tick holds at most one held input, one
 * of each single action, and as many commands as a session may send. Commands may stand one tick after the last step.
 */
export function checkInputs(replay: Replay, rules: ReplayRules, differences: Differences): void {
  const modeOf = new Map(rules.inputs.map((input) => [input.code, input.mode]));
  const commands = new Set<number>(Object.values(COMMAND_CODES));
  let lastTick = 0;
  let heldInTick = false;
  let seenInTick = new Set<number>();
  let pauses = 0;
  let paused = false;
  replay.inputs.forEach((input: unknown, index) => {
    const field = `inputs[${index}]`;
    const [tick, code] = Array.isArray(input) && input.length === 2 ? input : [undefined, undefined];
    if (!isTick(tick) || !Number.isSafeInteger(code)) {
      differences.add(field, "[tick, code] of two integers", JSON.stringify(input));
      return;
    }
    if (tick < lastTick) differences.add(field, `a tick from ${lastTick} on`, tick);
    if (tick !== lastTick) {
      heldInTick = false;
      seenInTick = new Set();
    }
    lastTick = tick;
    const isCommand = commands.has(code);
    const last = isCommand ? replay.ticks + 1 : replay.ticks;
    if (tick < 1 || tick > last) differences.add(field, `a tick of 1 to ${last}`, tick);
    if (code === COMMAND_CODES.pause) {
      pauses += 1;
      if (paused || pauses > SESSION_TIMES.pauseCount) {
        differences.add(field, `at most ${SESSION_TIMES.pauseCount} pauses, each resumed before the next`, "a pause");
      }
      paused = true;
    } else if (code === COMMAND_CODES.resume) {
      if (!paused) differences.add(field, "a resume after a pause only", "a resume");
      paused = false;
    } else if (code === COMMAND_CODES.exit) {
      if (index !== replay.inputs.length - 1) differences.add(field, "exit as the last input", "an earlier exit");
    } else {
      const mode = modeOf.get(code);
      if (mode === undefined || mode === "idle") {
        differences.add(field, `a code of ${replay.slug} that acts`, code);
      } else if (seenInTick.has(code) || (mode === "held" && heldInTick)) {
        differences.add(field, "one held input and one of each action in a tick", `code ${code} again`);
      }
      if (mode === "held") heldInTick = true;
      seenInTick.add(code);
    }
  });
}
