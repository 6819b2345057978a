import type { VerificationState } from "../domain/session.ts";
import type { Game } from "../games/game.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SessionRow, SessionStore } from "../ports/store-sessions.ts";
import type { Worker } from "../ports/worker.ts";
import { LiveRegistry } from "../services/live/registry.ts";
import type { LiveSession } from "../services/live/session.ts";
import { Recorder } from "./recorder.ts";
import { type Recovered, recoverSessions } from "./recover.ts";
import { Scheduler } from "./scheduler.ts";
import { Verifier } from "./verification.ts";

export interface LiveOptions {
  readonly store: { readonly sessions: SessionStore };
  readonly clock: Clock;
  readonly worker: Pick<Worker, "verifyReplay">;
  /** `rulesOf`: every rules version that was ever played, so that open sessions of an older build go on. */
  readonly rulesOf: (slug: string, rulesVersion: number) => Game | undefined;
  readonly settings: { readonly spectatorsMax: number; readonly chainId: number; readonly rewards: `0x${string}` };
  readonly log: Log;
}

export interface LiveStats {
  /** Running ones, and ended ones that are not stored yet. */
  readonly sessions: number;
  /** Sessions that are ticked. */
  readonly scheduled: number;
  /** Ended sessions that are not stored yet. */
  readonly storing: number;
  readonly ticks: number;
  readonly droppedTicks: number;
  readonly lateness: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  readonly storeFailures: number;
  readonly withheld: number;
}

export interface Live {
  readonly live: LiveRegistry;
  /** Starts ticks and recorder. */
  start(): void;
  /** Takes over the sessions that the last process left open. Call once, before or after `start`. */
  recover(): Promise<Recovered>;
  /** Stops ticks and stores everything; sessions that run stay open in the store for the next process. */
  drain(): Promise<void>;
  /** Whether the score of an ended session was derived again; runs the check where it was not done yet. */
  verify(row: SessionRow): Promise<VerificationState>;
  /** Calls back with the row of each session once it is stored as ended; the returned function stops that. */
  onEnded(callback: (row: SessionRow) => void): () => void;
  /** A session by its id: running here, or only stored, or null. */
  find(sessionId: string): Promise<SessionRow | null>;
  stats(): LiveStats;
}

/** Builds the game server: registry, scheduler, recorder, recovery and verification. Nothing runs before `start`. */
export function openLive(options: LiveOptions): Live {
  const { store, clock, worker, rulesOf, settings, log } = options;
  const { sessions } = store;
  const chain = { chainId: settings.chainId, rewards: settings.rewards };
  const endedCallbacks = new Set<(row: SessionRow) => void>();

  const scheduler = new Scheduler<LiveSession>(clock, (session, cause) => {
    const { sessionId } = session.row;
    log.error({ err: cause, sessionId }, "A game failed in its tick; its session ends.");
    scheduler.remove(session);
    try {
      session.end("server_restart");
    } catch (endCause) {
      log.error({ err: endCause, sessionId }, "The failed game could not show its last frame.");
    }
  });
  const registry = new LiveRegistry({
    clock,
    rulesOf,
    spectatorsMax: settings.spectatorsMax,
    opened: (session) => {
      scheduler.add(session);
      void readHighScore(sessions, session);
    },
    ended: (session) => {
      scheduler.remove(session);
      recorder.end(session);
    },
    storing: (session) => recorder.storing(session),
  });
  const recorder = new Recorder({
    sessions,
    clock,
    log,
    chain,
    live: () => registry.all(),
    stored: (session, row) => {
      registry.close(session);
      session.finish(row);
      settle(row);
    },
  });
  const settle = (row: SessionRow): void => {
    verifier.start(row);
    for (const callback of endedCallbacks) callback(row);
  };
  const verifier = new Verifier({ sessions, worker, chain, clock, log });

  return {
    live: registry,
    start: () => {
      scheduler.start();
      recorder.start();
    },
    recover: () =>
      recoverSessions({
        sessions,
        registry,
        rulesOf,
        clock,
        log,
        endAsRecorded: async (row, recording) => settle(await recorder.endAsRecorded(row, recording)),
      }),
    drain: async () => {
      scheduler.stop();
      await recorder.stop();
      await verifier.stop();
    },
    verify: (row) => verifier.verify(row),
    onEnded: (callback) => {
      endedCallbacks.add(callback);
      return () => endedCallbacks.delete(callback);
    },
    find: async (sessionId) => registry.get(sessionId)?.row ?? (await sessions.find(sessionId)),
    stats: () => ({
      sessions: registry.size,
      scheduled: scheduler.size,
      storing: recorder.storingCount,
      ticks: scheduler.lateness.count,
      droppedTicks: scheduler.droppedTicks,
      lateness: scheduler.lateness.percentiles(),
      storeFailures: recorder.failures,
      withheld: verifier.withheld,
    }),
  };
}

/** The best score before this session stands in its frames; without it they show the session's own. */
async function readHighScore(sessions: SessionStore, session: LiveSession): Promise<void> {
  const { wallet, slug } = session.row;
  if (wallet === null) return;
  const best = await sessions.best(wallet, slug).catch(() => null);
  session.high = best?.score ?? 0;
}
