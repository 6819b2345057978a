import { ArcadeError } from "../domain/errors.ts";
import type { Replay } from "../domain/replay.ts";
import type { Log, SessionRow, SessionStore, Worker } from "../ports.ts";

interface VerificationPorts {
  readonly store: Pick<SessionStore, "find" | "setVerification">;
  readonly worker: Worker;
  readonly log: Log;
  readonly replayOf: (slug: string, sessionId: string) => Promise<Replay>;
}

export type Verification = ReturnType<typeof makeVerification>;

/** Derives ended scores again from their replays, off the tick thread, before anything may sign them. */
export function makeVerification({ store, worker, log, replayOf }: VerificationPorts) {
  const running = new Map<string, Promise<"verified" | "withheld">>();

  async function derive(row: SessionRow): Promise<"verified" | "withheld"> {
    const verdict = await worker.verifyReplay(await replayOf(row.slug, row.sessionId));
    const agrees = verdict.ok && verdict.finalScore === row.score && verdict.replayDigest === row.replayDigest;
    const state = agrees ? ("verified" as const) : ("withheld" as const);
    if (!agrees) log.error({ sessionId: row.sessionId, verdict }, "score withheld: its replay gives something else");
    await store.setVerification(row.sessionId, state);
    return state;
  }

  return {
    /** The session's verdict, derived now where there is none yet. Throws `REPLAY_MISMATCH` when it is withheld. */
    async require(row: SessionRow): Promise<void> {
      let state = row.verification;
      if (state === "pending") {
        const job = running.get(row.sessionId) ?? derive(row).finally(() => running.delete(row.sessionId));
        running.set(row.sessionId, job);
        state = await job;
      }
      if (state === "withheld") {
        throw new ArcadeError(
          "REPLAY_MISMATCH",
          `The score of session ${row.sessionId} could not be derived again from its replay; it is withheld and the operator has been told.`,
          { sessionId: row.sessionId },
        );
      }
    },
  };
}
