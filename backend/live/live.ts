import type { Address } from "viem";
import type { VerificationState } from "../../domain/session.ts";
import type { Game } from "../../games/game.ts";
import type { RecoveryProgress } from "../ports/live.ts";
import type { NodeOwnership } from "../ports/store/nodes.ts";
import type { SessionRow, SessionStore } from "../ports/store/sessions.ts";
import type { Clock, Log, Worker } from "../ports/system.ts";
import { Recorder } from "./recorder.ts";
import { Recovery, type RecoveryResult } from "./recovery.ts";
import { LiveRegistry } from "./registry.ts";
import { Scheduler } from "./scheduler.ts";
import type { LiveSession } from "./session.ts";
import { Takeover } from "./takeover.ts";
import { Verifier } from "./verifier.ts";

export interface LiveOptions {
  /** `node`: this process among others on the database; null if it is the only one. */
  readonly store: { readonly sessions: SessionStore; readonly node: NodeOwnership | null };
  readonly clock: Clock;
  readonly worker: Pick<Worker, "verifyReplay">;
  /** Has every rules version ever played, so that open sessions of an older build continue. */
  readonly getRules: (slug: string, rulesVersion: number) => Game | undefined;
  readonly settings: {
    readonly spectatorsMax: number;
    readonly chainId: number;
    readonly rewards: Address;
    /** The maximum number of running sessions; unlimited if left out. */
    readonly sessionsMax?: number;
    /** How long lost sockets may pause a session in total; the longest time by default. */
    readonly disconnectPauseSeconds?: number | undefined;
    /** Whether the running sessions of one address are limited; false by default. */
    readonly limitPerIp?: boolean;
  };
  readonly log: Log;
}

export interface LiveStats {
  /** Running sessions, and ended ones that are not stored yet. */
  readonly sessions: number;
  /** Sessions that the scheduler ticks. */
  readonly scheduled: number;
  /** Ended sessions that are not stored yet. */
  readonly storing: number;
  readonly ticks: number;
  readonly droppedTicks: number;
  readonly lateness: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  readonly storeFailures: number;
  readonly withheld: number;
}

/** The running games of this process: registry, scheduler, recorder, recovery and verification. */
export class Live {
  readonly registry: LiveRegistry;
  readonly #options: LiveOptions;
  readonly #recovery: Recovery;
  readonly #scheduler: Scheduler<LiveSession>;
  readonly #recorder: Recorder;
  readonly #verifier: Verifier;
  readonly #takeover: Takeover;
  readonly #endedCallbacks = new Set<(row: SessionRow) => void>();

  constructor(options: LiveOptions) {
    const { store, clock, worker, getRules, settings, log } = options;
    const { sessions } = store;
    const chain = { chainId: settings.chainId, rewards: settings.rewards };
    this.#options = options;
    const { node } = store;
    this.#scheduler = new Scheduler<LiveSession>(
      clock,
      (session, error) => this.#onTickError(session, error),
      () => node?.isHeld() ?? true,
      ({ seats }) => 1 + seats.connected,
    );
    this.#verifier = new Verifier({ sessions, worker, chain, clock, log });
    this.#recovery = new Recovery({
      sessions,
      getRules,
      clock,
      log,
      // Once the lease is lost, other nodes may claim its sessions before this node gets a new id.
      getOwnership: ({ owner }) => {
        if (!this.#isShared || node === null) return "own";
        if (owner !== node.nodeId) return "other";
        return node.isHeld() ? "own" : "unknown";
      },
      isHosted: (sessionId) => this.registry.isHosted(sessionId),
      host: (row, restored) => this.registry.host(row, { restored }),
      endAsRecorded: async (row, recording) =>
        this.#onSessionStored(await this.#recorder.endAsRecorded(row, recording)),
      onChange: () => this.registry.markChanged(),
    });
    this.registry = new LiveRegistry({
      recovery: this.#recovery,
      clock,
      getRules,
      spectatorsMax: settings.spectatorsMax,
      sessionsMax: settings.sessionsMax ?? Number.POSITIVE_INFINITY,
      disconnectPauseSeconds: settings.disconnectPauseSeconds,
      limitPerIp: settings.limitPerIp ?? false,
      onOpened: (session) => {
        this.#scheduler.add(session);
        void readHighScore(sessions, session);
      },
      onEnded: (session) => {
        this.#scheduler.remove(session);
        this.#recorder.end(session);
      },
      waitUntilStored: (session) => this.#recorder.waitUntilStored(session),
    });
    this.#takeover = new Takeover({ recovery: this.#recovery, clock, log });
    this.#recorder = new Recorder({
      sessions,
      clock,
      log,
      chain,
      getSessions: () => this.registry.all(),
      onStored: (session, row) => {
        this.registry.remove(session);
        session.notifyStored(row);
        this.#onSessionStored(row);
      },
      onMoved: (session) => this.#onMoved(session),
    });
  }

  start(): void {
    this.#scheduler.start();
    this.#recorder.start();
  }

  /**
   * Takes over the sessions that the last process left open; from now on requests wait for their session. Call this
   * once, before requests are accepted. Takes none if there are other nodes: they can host them at once, this node only
   * in `recover`.
   */
  async prepareRecovery(): Promise<void> {
    if (!this.#isShared) await this.#recovery.prepare();
  }

  /**
   * Hosts the sessions that were taken over, and from now on those of other nodes. Call this once, before or after
   * `start`.
   */
  async recover(): Promise<RecoveryResult> {
    const result = await this.#recovery.run();
    if (this.#isShared) this.#takeover.start();
    return result;
  }

  recoveryProgress(): RecoveryProgress {
    return this.#recovery.progress();
  }

  /**
   * Stops the ticks and stores everything; running sessions stay open in the store for the next process, or for other
   * nodes. A second call changes nothing.
   */
  async drain(): Promise<void> {
    await Promise.all([this.#takeover.stop(), this.#recovery.stop()]);
    this.#scheduler.stop();
    await this.#recorder.stop();
    if (this.#isShared) await this.#handOver();
    await this.#verifier.stop();
  }

  /**
   * The lease of this node has expired, so other nodes may have claimed its sessions. Drops them, closes their sockets,
   * and stores nothing more for them; `Takeover` claims sessions again once the node has its next lease.
   */
  abandonAll(): void {
    this.#recovery.abandonAll();
    this.#recorder.abandonAll();
    for (const session of [...this.registry.all()]) this.#onMoved(session);
  }

  /** Whether other nodes may have open sessions too. */
  get #isShared(): boolean {
    return this.#options.store.node?.isShared ?? false;
  }

  /** From now on other nodes can claim the sessions. */
  async #handOver(): Promise<void> {
    const { store, log } = this.#options;
    await store.sessions
      .releaseOpen()
      .catch((error: unknown) => log.warn({ err: error }, "sessions could not be released; their lease will expire"));
    for (const session of [...this.registry.all()]) this.#onMoved(session);
  }

  /** Whether a replay has confirmed the score of an ended session; runs the check if it has not run yet. */
  verify(row: SessionRow): Promise<VerificationState> {
    return this.#verifier.verify(row);
  }

  /** Calls back with the row of each session once it is stored as ended; the returned function removes the callback. */
  onEnded(callback: (row: SessionRow) => void): () => void {
    this.#endedCallbacks.add(callback);
    return () => this.#endedCallbacks.delete(callback);
  }

  /** A session by its id, running or stored; null when there is none. */
  async find(sessionId: string): Promise<SessionRow | null> {
    return this.registry.get(sessionId)?.row ?? (await this.#options.store.sessions.find(sessionId));
  }

  stats(): LiveStats {
    return {
      sessions: this.registry.size,
      scheduled: this.#scheduler.size,
      storing: this.#recorder.pendingEndCount,
      ticks: this.#scheduler.lateness.count,
      droppedTicks: this.#scheduler.droppedTicks,
      lateness: this.#scheduler.lateness.percentiles(),
      storeFailures: this.#recorder.failures,
      withheld: this.#verifier.withheld,
    };
  }

  #onTickError(session: LiveSession, error: unknown): void {
    const { log } = this.#options;
    const { sessionId } = session.row;
    log.error({ err: error, sessionId }, "a game failed in its tick; its session ends");
    this.#scheduler.remove(session);
    try {
      session.end("server_restart");
    } catch (endError) {
      log.error({ err: endError, sessionId }, "the failed game could not send its last frame");
    }
  }

  /** This node no longer stores, ends or signs the session. */
  #onMoved(session: LiveSession): void {
    const { sessionId } = session.row;
    if (this.registry.get(sessionId) !== session) return;
    this.#options.log.warn({ sessionId }, "another backend runs this session now; it was dropped here");
    this.#scheduler.remove(session);
    this.registry.remove(session);
    session.move();
  }

  #onSessionStored(row: SessionRow): void {
    this.#verifier.verifyWithRetry(row);
    for (const callback of this.#endedCallbacks) callback(row);
  }
}

/** Opens the game server. Nothing runs before `start`; `drain` closes it. */
export const openLive = (options: LiveOptions): Live => new Live(options);

/** Reads the best score before this session, for its frames; until then they show the session's own score. */
async function readHighScore(sessions: SessionStore, session: LiveSession): Promise<void> {
  const { wallet, slug } = session.row;
  if (wallet === null) return;
  const best = await sessions.findBest(wallet, slug).catch(() => null);
  session.highScore = best?.score ?? 0;
}
