import { buildReplay, type RewardsChain } from "../../domain/replay/build-replay.ts";
import type { VerificationState } from "../../domain/session.ts";
import type { SessionRow, SessionStore } from "../ports/store/sessions.ts";
import type { Clock, Log, ReplayVerification, Worker } from "../ports/system.ts";

const RETRY_MS = 5000;

interface VerifierOptions {
  readonly sessions: Pick<SessionStore, "find" | "getRecording" | "setVerification">;
  readonly worker: Pick<Worker, "verifyReplay">;
  readonly chain: RewardsChain;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

/** Verifies the score of each ended session by its replay, in a worker thread, before anything can be signed. */
export class Verifier {
  /** The number of scores that their replays did not confirm. More than 0 is an alarm. */
  withheld = 0;
  readonly #options: VerifierOptions;
  readonly #running = new Map<string, Promise<VerificationState>>();
  #stopped = false;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Verifies an ended session that is still pending; calls for the same session share one run. */
  verify(row: SessionRow): Promise<VerificationState> {
    if (row.verification !== "pending" || row.source !== "agent_api" || row.endReason === null) {
      return Promise.resolve(row.verification);
    }
    const existing = this.#running.get(row.sessionId);
    if (existing !== undefined) return existing;
    const run = this.#run(row).finally(() => this.#running.delete(row.sessionId));
    this.#running.set(row.sessionId, run);
    return run;
  }

  /** Like `verify`, but tries again later if the store or the worker fails. */
  verifyWithRetry(row: SessionRow): void {
    this.verify(row).catch((error) => {
      this.#options.log.warn({ err: error, sessionId: row.sessionId }, "a replay could not be verified yet");
      if (!this.#stopped) this.#options.clock.after(RETRY_MS, () => this.verifyWithRetry(row));
    });
  }

  /** Stops the retries and waits for the runs that have started. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running.values());
  }

  async #run(row: SessionRow): Promise<VerificationState> {
    const { sessions, worker, chain, log } = this.#options;
    const replay = buildReplay(row, await sessions.getRecording(row.sessionId), chain);
    const verdict = await worker.verifyReplay(replay);
    const state = matchesRow(row, verdict) ? "verified" : "withheld";
    if (state === "withheld") {
      this.withheld += 1;
      const { differences } = verdict;
      log.error({ sessionId: row.sessionId, differences }, "a score differs from its replay and is withheld");
    }
    await sessions.setVerification(row.sessionId, state);
    return (await sessions.find(row.sessionId))?.verification ?? state;
  }
}

const matchesRow = (row: SessionRow, verdict: ReplayVerification): boolean =>
  verdict.ok && verdict.replayDigest === row.replayDigest && verdict.finalScore === row.score;
