import { gameSessionHashOf, type Hex, replayDigest } from "../domain/replay.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { EndedSession, RecordedChunk, SessionRow, SessionStore } from "../ports/store-sessions.ts";
import type { RewardsChain } from "../services/live/replay-of.ts";
import type { LiveSession } from "../services/live/session.ts";

const FLUSH_MS = 1000;
const RETRY_MS = 1000;
/** Sessions of one transaction: their games wait while it is written. */
const SLICE = 64;
/** A flush of several slices is spread over this time. */
const SPREAD_MS = 500;

interface RecorderOptions {
  readonly sessions: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly chain: RewardsChain;
  readonly live: () => Iterable<LiveSession>;
  /** Called once for each session that is stored as ended. */
  readonly stored: (session: LiveSession, row: SessionRow) => void;
}

/**
 * Writes down what the sessions do: each of them once a second, many in one transaction, and each end in one
 * transaction of its own. A store that fails never stops a tick; what was not stored is offered again.
 */
export class Recorder {
  /** Flushes and ends that the store refused. */
  failures = 0;
  readonly #options: RecorderOptions;
  readonly #ends = new Map<LiveSession, { attempt: Promise<SessionRow> }>();
  #flushing: Promise<boolean> | null = null;
  #cancel: (() => void) | null = null;
  #hurry: (() => void) | null = null;
  #running = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Ended sessions that are not stored yet. */
  get storingCount(): number {
    return this.#ends.size;
  }

  start(): void {
    this.#running = true;
    this.#schedule();
  }

  /** Stops and stores everything a last time; sessions that run stay open in the store. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel?.();
    this.#hurry?.();
    await this.flush();
    // One flush may have been under way already, with older facts.
    await this.flush();
    await Promise.allSettled([...this.#ends.values()].map((end) => end.attempt));
  }

  /** Stores what is new of every running session; false where the store refused. Calls do not overlap. */
  flush(): Promise<boolean> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Begins to store an ended session and goes on until it is stored. */
  end(session: LiveSession): void {
    const endedAtMs = this.#options.clock.nowMs();
    this.#ends.set(session, { attempt: this.#tryEnd(session, endedAtMs) });
  }

  /** The attempt to store an ended session that is under way, or that failed last. */
  storing(session: LiveSession): Promise<SessionRow> {
    const end = this.#ends.get(session);
    if (!end) throw new Error(`session ${session.row.sessionId} is not being stored`);
    return end.attempt;
  }

  /** Ends a stored session that cannot be played again, with the score and the tick that were recorded last. */
  endAsRecorded(row: SessionRow, recording: Awaited<ReturnType<SessionStore["recording"]>>): Promise<SessionRow> {
    const { sessionId, slug, rulesVersion, tickHz, seed, tick, score } = row;
    const { inputs, stateDigests } = recording;
    const endReason = "server_restart";
    const core = { v: 1, slug, rulesVersion, tickHz, seed, inputs, ticks: tick, finalScore: score, endReason } as const;
    const endedAtMs = this.#options.clock.nowMs();
    const facts = { sessionId, endedAtMs, endReason, score, tick, inputs, stateDigests } as const;
    return this.#store(row, { ...facts, replayDigest: replayDigest(core) });
  }

  #schedule(): void {
    if (!this.#running) return;
    this.#cancel = this.#options.clock.after(FLUSH_MS, () => {
      void this.flush();
      this.#schedule();
    });
  }

  async #flushAll(): Promise<boolean> {
    const sessions = [...this.#options.live()];
    const gapMs = (SPREAD_MS * SLICE) / sessions.length;
    let isStored = true;
    for (let from = 0; from < sessions.length; from += SLICE) {
      if (from > 0) await this.#wait(gapMs);
      isStored = (await this.#flushSlice(sessions.slice(from, from + SLICE))) && isStored;
    }
    return isStored;
  }

  /** Lets ticks run between two slices; a recorder that stops waits no more. */
  #wait(ms: number): Promise<void> | undefined {
    if (!this.#running) return;
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#hurry = () => {
        cancel();
        resolve();
      };
    });
  }

  async #flushSlice(sessions: readonly LiveSession[]): Promise<boolean> {
    const chunks: RecordedChunk[] = [];
    const confirm: (() => void)[] = [];
    for (const session of sessions) {
      const { phase, tickCount: tick, score } = session;
      if (phase === "ended") continue;
      const pending = session.recording.pending(`${phase} ${tick} ${score}`);
      if (pending === null) continue;
      const { inputs, stateDigests, stored } = pending;
      chunks.push({ sessionId: session.row.sessionId, tick, score, phase, inputs, stateDigests });
      confirm.push(stored);
    }
    if (chunks.length === 0) return true;
    try {
      await this.#options.sessions.record(chunks);
    } catch (cause) {
      this.failures += 1;
      this.#options.log.error({ err: cause, sessions: chunks.length }, "The recorder could not store the inputs.");
      return false;
    }
    for (const stored of confirm) stored();
    return true;
  }

  #tryEnd(session: LiveSession, endedAtMs: number): Promise<SessionRow> {
    const attempt = this.#storeEnd(session, endedAtMs);
    attempt.then(
      (row) => {
        this.#ends.delete(session);
        this.#options.stored(session, row);
      },
      (cause) => {
        this.failures += 1;
        const { sessionId } = session.row;
        this.#options.log.error({ err: cause, sessionId }, "An ended session could not be stored; trying again.");
        if (!this.#running) return;
        this.#options.clock.after(RETRY_MS, () => {
          this.#ends.set(session, { attempt: this.#tryEnd(session, endedAtMs) });
        });
      },
    );
    return attempt;
  }

  async #storeEnd(session: LiveSession, endedAtMs: number): Promise<SessionRow> {
    return this.#store(session.row, session.outcome(endedAtMs));
  }

  /** A flush that lands after the end changes nothing: the store takes chunks of open sessions alone. */
  #store(row: SessionRow, ended: EndedSession): Promise<SessionRow> {
    return this.#options.sessions.end(ended, (sequence) => this.#hashOf(row, ended, sequence));
  }

  #hashOf(row: SessionRow, outcome: { score: number; replayDigest: Hex }, sequence: bigint): Hex {
    if (row.wallet === null) throw new Error(`session ${row.sessionId} has no wallet and no hash`);
    return gameSessionHashOf({
      ...this.#options.chain,
      slug: row.slug,
      wallet: row.wallet,
      sessionId: row.sessionId,
      replayDigest: outcome.replayDigest,
      finalScore: outcome.score,
      sequence,
    });
  }
}
