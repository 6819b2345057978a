import { ArcadeError } from "../../domain/errors.ts";
import type { StepRequest, StepResult } from "../../domain/protocol/step.ts";
import { type EndReason, isDemoSession, type SessionSource } from "../../domain/session.ts";
import type { Game } from "../../games/game.ts";
import type { LiveHeartbeat, LiveTotals, LiveView, SeatRequest, SeatResult } from "../ports/live.ts";
import type { ChannelSocket, HostedState, JoinResult, LocalPlane, SessionListener } from "../ports/live-channels.ts";
import type { SessionRow } from "../ports/store/sessions.ts";
import type { Clock } from "../ports/system.ts";
import { Admission, type Admitted } from "./admission.ts";
import type { Recovery } from "./recovery.ts";
import type { RestoredSession } from "./run.ts";
import { Seats } from "./seats.ts";
import { LiveSession } from "./session.ts";
import { LiveSessionMember } from "./session-member.ts";

interface RegistryOptions {
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  readonly getRules: (slug: string, rulesVersion: number) => Game | undefined;
  readonly spectatorsMax: number;
  readonly sessionsMax: number;
  readonly disconnectPauseSeconds?: number | undefined;
  /** Whether the running sessions of one address are limited. */
  readonly limitPerIp: boolean;
  /** The sessions of the last process that do not run again yet. */
  readonly recovery: Pick<Recovery, "progress" | "waitFor" | "reclaim" | "isOwn">;
  readonly onOpened: (session: LiveSession) => void;
  /** Starts storing an ended session; `remove` follows once it is stored. */
  readonly onEnded: (session: LiveSession) => void;
  /** The current attempt to store an ended session; rejects if the store fails. */
  readonly waitUntilStored: (session: LiveSession) => Promise<SessionRow>;
}

/** The sessions that run in this process. */
export class LiveRegistry implements LocalPlane {
  readonly #options: RegistryOptions;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #admission: Admission;
  readonly #hostedCallbacks: ((sessionId: string, state: HostedState) => void)[] = [];
  #version = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { sessionsMax, limitPerIp } = options;
    this.#admission = new Admission({
      getSessions: () => this.all(),
      countRecovering: () => {
        const { done, total } = options.recovery.progress();
        return total - done;
      },
      max: sessionsMax,
      limitPerIp,
    });
  }

  admit(admitted: Admitted): () => void {
    return this.#admission.admit(admitted);
  }

  open(row: SessionRow, ip: string | null, { isLockstep = false }: { readonly isLockstep?: boolean } = {}): void {
    // The lease was lost while the session was stored: the backend that claims the session hosts it.
    if (!this.#options.recovery.isOwn(row)) {
      this.reclaim();
      return;
    }
    this.#admission.makePlace({ source: row.source, ip });
    this.host(row, { ip, isLockstep });
  }

  step(sessionId: string, request: StepRequest): StepResult | null {
    const session = this.#sessions.get(sessionId);
    if (!session || session.phase === "ended") return null;
    return session.step(this.#options.clock.monotonicMs(), request);
  }

  /** `restored` is for a session that was open before a restart. Throws `GAME_NOT_FOUND`. */
  host(
    row: SessionRow,
    {
      ip = null,
      isLockstep = false,
      restored,
    }: { readonly ip?: string | null; readonly isLockstep?: boolean; readonly restored?: RestoredSession } = {},
  ): LiveSession {
    const existing = this.#sessions.get(row.sessionId);
    if (existing) return existing;
    const { clock, getRules, spectatorsMax, disconnectPauseSeconds, onOpened, onEnded } = this.#options;
    const game = getRules(row.slug, row.rulesVersion);
    if (!game)
      throw new ArcadeError("GAME_NOT_FOUND", `This build has no rules version ${row.rulesVersion} of ${row.slug}.`);
    const onChange = (): void => this.markChanged();
    const seats = new Seats(spectatorsMax, onChange);
    const nowMs = clock.monotonicMs();
    const rules = { row, game, seats, ip, nowMs, restored, disconnectPauseSeconds, isLockstep };
    const session = new LiveSession({ ...rules, onEnd: onEnded, onChange });
    this.#sessions.set(row.sessionId, session);
    onChange();
    onOpened(session);
    this.#notifyHosted(row.sessionId, "hosted");
    return session;
  }

  isHosted(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  onHosted(callback: (sessionId: string, state: HostedState) => void): void {
    this.#hostedCallbacks.push(callback);
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

  /** Removes a session that is stored as ended, or that now runs in another process. */
  remove(session: LiveSession): void {
    const { sessionId } = session.row;
    if (!this.#sessions.delete(sessionId)) return;
    this.markChanged();
    this.#notifyHosted(sessionId, session.phase === "ended" ? "ended" : "dropped");
  }

  waitUntilRecovered(sessionId: string): Promise<void> {
    return this.#options.recovery.waitFor(sessionId);
  }

  reclaim(): void {
    this.#options.recovery.reclaim();
  }

  findRow(sessionId: string): SessionRow | null {
    return this.#sessions.get(sessionId)?.row ?? null;
  }

  /** Call this when a view has changed that no running session shows. */
  markChanged(): void {
    this.#version += 1;
  }

  getVersion(): number {
    return this.#version;
  }

  peekView(sessionId: string): LiveView | null {
    return this.getView(sessionId);
  }

  getView(sessionId: string): LiveView | null {
    const session = this.#sessions.get(sessionId);
    if (!session) return null;
    const { phase, score, tickCount: tick, seats, joined } = session;
    const spectators = { current: seats.connected, max: seats.max };
    return { phase, score, tick, joined, joinable: phase !== "ended", spectators };
  }

  subscribe(sessionId: string, listener: SessionListener): () => void {
    return this.#sessions.get(sessionId)?.subscribe(listener) ?? (() => undefined);
  }

  join(sessionId: string, socket: ChannelSocket, result: JoinResult): void {
    const { clock } = this.#options;
    const session = this.#sessions.get(sessionId);
    if (session === undefined || session.phase === "ended") result.onRejected("SESSION_ENDED");
    else if (socket.role === "spectate" && !session.seats.take(socket.tokenHash, socket.ip, clock.nowMs()))
      result.onRejected("TOKEN_EXPIRED");
    else result.onJoined(new LiveSessionMember(session, socket, clock));
  }

  heartbeat(sessionId: string): LiveHeartbeat | null {
    const session = this.#sessions.get(sessionId);
    return session && session.phase !== "ended" ? session.heartbeat(this.#options.clock.monotonicMs()) : null;
  }

  async end(sessionId: string, reason: EndReason): Promise<SessionRow | null> {
    const session = this.#sessions.get(sessionId);
    if (!session) return null;
    session.end(reason);
    // safeguard: store-end-before-answer
    return this.#options.waitUntilStored(session);
  }

  reserveSeat(seat: SeatRequest): SeatResult | null {
    const session = this.#sessions.get(seat.sessionId);
    if (!session || session.phase === "ended") return null;
    const nowMs = this.#options.clock.nowMs();
    const reserved = session.seats.reserve(seat, nowMs);
    return { reserved, current: session.seats.count(nowMs), max: session.seats.max };
  }

  closeChannel(sessionId: string, tokenHash: string): void {
    this.#sessions.get(sessionId)?.sockets.closeRevoked(tokenHash);
  }

  listDemo(slug: string): readonly SessionRow[] {
    const running = [...this.#sessions.values()].filter(({ phase, row }) => phase !== "ended" && row.slug === slug);
    return running.map(({ row }) => row).filter(isDemoSession);
  }

  getTotals(slug: string, source?: SessionSource): LiveTotals {
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

  #notifyHosted(sessionId: string, state: HostedState): void {
    for (const callback of this.#hostedCallbacks) callback(sessionId, state);
  }
}
