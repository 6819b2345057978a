import { ArcadeError } from "../../domain/errors.ts";
import type { EndReason, SessionSource } from "../../domain/session.ts";
import type { Game } from "../../games/game.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LiveSessions, LiveView } from "../../ports/live.ts";
import type { SessionRow } from "../../ports/store-sessions.ts";
import { Seats } from "./seats.ts";
import { LiveSession, type Restored } from "./session.ts";

interface RegistryOptions {
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  readonly rulesOf: (slug: string, rulesVersion: number) => Game | undefined;
  readonly spectatorsMax: number;
  readonly opened: (session: LiveSession) => void;
  /**
   * Stores an ended session. Answers the present attempt: it fails when the store does, and the runtime tries again by
   * itself until `close` is called with the stored row.
   */
  readonly ended: (session: LiveSession) => void;
  /** The attempt to store an ended session that is under way. */
  readonly storing: (session: LiveSession) => Promise<SessionRow>;
}

/** The sessions that run in this process. */
export class LiveRegistry implements LiveSessions {
  readonly #options: RegistryOptions;
  readonly #sessions = new Map<string, LiveSession>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  open(row: SessionRow): void {
    this.host(row);
  }

  /** Like `open`, for a session that a restart found running too. Throws where the rules are unknown. */
  host(row: SessionRow, restored?: Restored): LiveSession {
    const known = this.#sessions.get(row.sessionId);
    if (known) return known;
    const { clock, rulesOf, spectatorsMax, opened, ended } = this.#options;
    const game = rulesOf(row.slug, row.rulesVersion);
    if (!game) throw new ArcadeError("GAME_NOT_FOUND", `No rules ${row.rulesVersion} of ${row.slug} in this build.`);
    const seats = new Seats(spectatorsMax);
    const session = new LiveSession({ row, game, seats, nowMs: clock.monotonicMs(), onEnd: ended, restored });
    this.#sessions.set(row.sessionId, session);
    opened(session);
    return session;
  }

  get(sessionId: string): LiveSession | undefined {
    return this.#sessions.get(sessionId);
  }

  all(): Iterable<LiveSession> {
    return this.#sessions.values();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Forgets a session that is stored as ended. */
  close(session: LiveSession): void {
    this.#sessions.delete(session.row.sessionId);
  }

  view(sessionId: string): LiveView | null {
    const session = this.#sessions.get(sessionId);
    if (!session) return null;
    const { phase, score, tickCount: tick, seats } = session;
    const spectators = { current: seats.connected, max: seats.max };
    return { phase, score, tick, joinable: phase !== "ended", spectators };
  }

  heartbeat(sessionId: string): ReturnType<LiveSessions["heartbeat"]> {
    const session = this.#sessions.get(sessionId);
    return session && session.phase !== "ended" ? session.heartbeat(this.#options.clock.monotonicMs()) : null;
  }

  async end(sessionId: string, reason: EndReason): Promise<SessionRow | null> {
    const session = this.#sessions.get(sessionId);
    if (!session) return null;
    session.end(reason);
    return this.#options.storing(session);
  }

  reserveSeat(seat: Parameters<LiveSessions["reserveSeat"]>[0]): ReturnType<LiveSessions["reserveSeat"]> {
    const session = this.#sessions.get(seat.sessionId);
    if (!session || session.phase === "ended") return null;
    const nowMs = this.#options.clock.nowMs();
    const reserved = session.seats.reserve(seat, nowMs);
    return { reserved, current: session.seats.count(nowMs), max: session.seats.max };
  }

  totals(slug: string, source?: SessionSource): { readonly sessions: number; readonly spectators: number } {
    let sessions = 0;
    let spectators = 0;
    for (const session of this.#sessions.values()) {
      if (session.row.slug !== slug || session.phase === "ended") continue;
      if (source !== undefined && session.row.source !== source) continue;
      sessions += 1;
      spectators += session.seats.connected;
    }
    return { sessions, spectators };
  }
}
