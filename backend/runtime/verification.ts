import { isEligible, type VerificationState } from "../domain/session.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SessionRow, SessionStore } from "../ports/store-sessions.ts";
import type { ReplayVerdict, Worker } from "../ports/worker.ts";
import { buildReplay, type RewardsChain } from "../services/live/replay-of.ts";

const RETRY_MS = 5000;

interface VerifierOptions {
  readonly sessions: Pick<SessionStore, "find" | "recording" | "setVerification">;
  readonly worker: Pick<Worker, "verifyReplay">;
  readonly chain: RewardsChain;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

/** Derives the score of each ended session again, off the tick thread, before anything can be signed. */
export class Verifier {
  /** Scores that could not be derived again. More than 0 is an alarm. */
  withheld = 0;
  readonly #options: VerifierOptions;
  readonly #running = new Map<string, Promise<VerificationState>>();
  #stopped = false;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Verifies an ended session unless that was done; calls for the same session share one run. */
  verify(row: SessionRow): Promise<VerificationState> {
    if (row.verification !== "pending" || !isEligible(row) || row.endReason === null) {
      return Promise.resolve(row.verification);
    }
    const known = this.#running.get(row.sessionId);
    if (known) return known;
    const run = this.#run(row).finally(() => this.#running.delete(row.sessionId));
    this.#running.set(row.sessionId, run);
    return run;
  }

  /** Like `verify`, and tries again later where the store or the worker does not answer. */
  start(row: SessionRow): void {
    this.verify(row).catch((cause) => {
      this.#options.log.warn({ err: cause, sessionId: row.sessionId }, "A replay could not be verified yet.");
      if (!this.#stopped) this.#options.clock.after(RETRY_MS, () => this.start(row));
    });
  }

  /** Waits for the runs under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running.values());
  }

  async #run(row: SessionRow): Promise<VerificationState> {
    const { sessions, worker, chain, log } = this.#options;
    const replay = buildReplay(row, await sessions.recording(row.sessionId), chain);
    const verdict = await worker.verifyReplay(replay);
    const state = agrees(row, verdict) ? "verified" : "withheld";
    if (state === "withheld") {
      this.withheld += 1;
      const { differences } = verdict;
      log.error({ sessionId: row.sessionId, differences }, "A score differs from its replay and is withheld.");
    }
    await sessions.setVerification(row.sessionId, state);
    return (await sessions.find(row.sessionId))?.verification ?? state;
  }
}

const agrees = (row: SessionRow, verdict: ReplayVerdict): boolean =>
  verdict.ok && verdict.replayDigest === row.replayDigest && verdict.finalScore === row.score;
