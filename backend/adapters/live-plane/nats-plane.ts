import { randomBytes } from "node:crypto";
import type { StepRequest, StepResult } from "../../../domain/protocol/step.ts";
import { type EndReason, SESSION_SOURCES, type SessionSource } from "../../../domain/session.ts";
import type { Game } from "../../../games/game.ts";
import type { Awaitable, LiveHeartbeat, LiveTotals, LiveView, SeatRequest, SeatResult } from "../../ports/live.ts";
import type {
  ChannelSocket,
  HostedState,
  JoinResult,
  LivePlane,
  LocalPlane,
  SessionListener,
} from "../../ports/live-channels.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { Bus } from "./bus.ts";
import { HostedSession } from "./hosted-session.ts";
import { OwnerCalls } from "./owner-calls.ts";
import { Peers } from "./peers.ts";
import {
  endedSchema,
  heartbeatSchema,
  type Link,
  seatSchema,
  stepSchema,
  type Totals,
  viewSchema,
} from "./plane-messages.ts";
import { RemoteSession } from "./remote-session.ts";
import { PlaneStarts } from "./session-starts.ts";
import { createSubjects, type Subjects } from "./subjects.ts";

export interface NatsPlaneOptions {
  readonly bus: Bus;
  readonly local: LocalPlane;
  readonly deployment: { readonly chainId: number; readonly rewards: string };
  readonly sessions: Pick<SessionStore, "find">;
  readonly getRules: (slug: string, rulesVersion: number) => Pick<Game, "inputs"> | undefined;
  readonly slugs: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** How often this node announces what it hosts, in milliseconds. */
  readonly periodMs?: number;
}

const PERIOD_MS = 500;
/** How long records and lists show the same state of another node's session, so that reads never flood its owner. */
const PEEK_KEPT_MS = 250;

/**
 * The live plane of several nodes over NATS. Sessions of this process are reached by function calls; those of other
 * nodes by requests to their owner, and by one subscription to their frames.
 */
export class NatsPlane implements LivePlane {
  readonly #options: NatsPlaneOptions;
  readonly #subjects: Subjects;
  readonly #calls: OwnerCalls;
  readonly #peers: Peers;
  readonly #node = randomBytes(8).toString("hex");
  readonly #hosted = new Map<string, HostedSession>();
  readonly #remote = new Map<string, RemoteSession>();
  readonly #peeks = new Map<string, Promise<LiveView | null>>();
  readonly starts: PlaneStarts;
  #hostCount = 0;

  constructor(options: NatsPlaneOptions) {
    const { bus, clock, local } = options;
    this.#options = options;
    this.#subjects = createSubjects(options.deployment);
    const isOpen = (sessionId: string) => this.#isOpen(sessionId);
    this.starts = new PlaneStarts({
      bus,
      clock,
      subjects: this.#subjects,
      node: this.#node,
      getPeers: () => this.#peers,
      sessions: options.sessions,
      log: options.log,
    });
    this.#calls = new OwnerCalls({ bus, subjects: this.#subjects, clock, isOpen });
    this.#peers = new Peers({
      bus,
      clock,
      subject: this.#subjects.totals,
      node: this.#node,
      periodMs: options.periodMs ?? PERIOD_MS,
      readTotals: () => this.#readTotals(),
      takesStarts: () => this.starts.isServing,
      onLost: (link) => this.#onNodeLost(link),
    });
    local.onHosted((sessionId, state) => this.#onHosted(sessionId, state));
    bus.onConnectionChange((isConnected) => this.#onConnectionChange(isConnected));
  }

  /** Why sessions of other nodes cannot be reached; null while they can. */
  findProblem(): string | null {
    return this.#options.bus.isConnected ? null : "NATS does not answer; sessions of other servers cannot be reached";
  }

  /** Hands over the sessions of this process, and closes the connection. */
  async close(): Promise<void> {
    for (const session of this.#hosted.values()) session.moveAway();
    this.#hosted.clear();
    this.#peers.leave();
    await this.#options.bus.close();
  }

  admit(session: Parameters<LivePlane["admit"]>[0]): () => void {
    return this.#options.local.admit(session);
  }

  open(...session: Parameters<LivePlane["open"]>): void {
    this.#options.local.open(...session);
  }

  findRow(sessionId: string): SessionRow | null {
    return this.#options.local.findRow(sessionId);
  }

  waitUntilRecovered(sessionId: string): Promise<void> {
    return this.#options.local.waitUntilRecovered(sessionId);
  }

  reclaim(): void {
    this.#options.local.reclaim();
  }

  getVersion(): number {
    return this.#options.local.getVersion() + this.#peers.version;
  }

  peekView(sessionId: string): Awaitable<LiveView | null> {
    const { local } = this.#options;
    if (local.isHosted(sessionId)) return local.getView(sessionId);
    return this.#peeks.get(sessionId) ?? this.#peek(sessionId);
  }

  getView(sessionId: string): Awaitable<LiveView | null> {
    const { local } = this.#options;
    return local.isHosted(sessionId)
      ? local.getView(sessionId)
      : this.#calls.call(sessionId, { op: "view" }, viewSchema);
  }

  heartbeat(sessionId: string): Awaitable<LiveHeartbeat | null> {
    const { local } = this.#options;
    return local.isHosted(sessionId)
      ? local.heartbeat(sessionId)
      : this.#calls.call(sessionId, { op: "heartbeat" }, heartbeatSchema);
  }

  step(sessionId: string, request: StepRequest): Awaitable<StepResult | null> {
    const { local } = this.#options;
    return local.isHosted(sessionId)
      ? local.step(sessionId, request)
      : this.#calls.call(sessionId, { op: "step", ...request }, stepSchema);
  }

  async end(sessionId: string, reason: EndReason): Promise<SessionRow | null> {
    const { local, sessions } = this.#options;
    const ended = local.isHosted(sessionId) ? await local.end(sessionId, reason) : null;
    if (ended !== null) return ended;
    const isEnded = await this.#calls.call(sessionId, { op: "end", reason }, endedSchema);
    return isEnded ? await sessions.find(sessionId) : null;
  }

  reserveSeat(seat: SeatRequest): Awaitable<SeatResult | null> {
    const { local } = this.#options;
    const { sessionId, tokenHash, ip, expiresAtMs, perIpMax } = seat;
    return local.isHosted(sessionId)
      ? local.reserveSeat(seat)
      : this.#calls.call(sessionId, { op: "reserve", tokenHash, ip, expiresAtMs, perIpMax }, seatSchema);
  }

  closeChannel(sessionId: string, tokenHash: string): void {
    const { local } = this.#options;
    if (local.isHosted(sessionId)) local.closeChannel(sessionId, tokenHash);
    else this.#calls.send(sessionId, { op: "close", tokenHash });
  }

  listDemo(slug: string): readonly SessionRow[] {
    return this.#options.local.listDemo(slug);
  }

  getTotals(slug: string, source?: SessionSource): LiveTotals {
    const own = this.#options.local.getTotals(slug, source);
    const others = this.#peers.getTotals(slug, source);
    return { sessions: own.sessions + others.sessions, spectators: own.spectators + others.spectators };
  }

  subscribe(sessionId: string, listener: SessionListener): () => void {
    const { local } = this.#options;
    const remote = this.#remote.get(sessionId);
    if (remote === undefined && local.isHosted(sessionId)) return local.subscribe(sessionId, listener);
    return (remote ?? this.#openRemote(sessionId)).subscribe(listener);
  }

  /** If this node's channel gets the session's frames over NATS, its sockets join over NATS too. */
  join(sessionId: string, socket: ChannelSocket, result: JoinResult): void {
    (this.#remote.get(sessionId) ?? localJoin(this.#options.local, sessionId)).join(socket, result);
  }

  #peek(sessionId: string): Promise<LiveView | null> {
    const view = this.#calls.peek(sessionId, { op: "view" }, viewSchema).catch(() => null);
    this.#peeks.set(sessionId, view);
    void view.then(() => this.#options.clock.after(PEEK_KEPT_MS, () => this.#peeks.delete(sessionId)));
    return view;
  }

  #openRemote(sessionId: string): RemoteSession {
    const { bus, clock, getRules, log } = this.#options;
    const session = new RemoteSession({
      sessionId,
      bus,
      clock,
      getRules,
      log,
      subjects: this.#subjects,
      getLink: () => this.#peers.link,
      onLink: (link) => this.#peers.add(link),
      isOpen: () => this.#isOpen(sessionId),
      onUnused: () => this.#remote.delete(sessionId),
    });
    this.#remote.set(sessionId, session);
    return session;
  }

  #onHosted(sessionId: string, state: HostedState): void {
    const { bus, local, clock, log } = this.#options;
    const hosted = this.#hosted.get(sessionId);
    this.#hosted.delete(sessionId);
    if (state === "ended") hosted?.stopListening();
    else hosted?.moveAway();
    if (state !== "hosted") return;
    this.#hostCount += 1;
    this.#hosted.set(
      sessionId,
      new HostedSession({
        sessionId,
        bus,
        local,
        clock,
        log,
        subjects: this.#subjects,
        host: `${this.#node}-${this.#hostCount}`,
        getLink: () => this.#peers.link,
        onLink: (link) => this.#peers.add(link),
      }),
    );
  }

  #onConnectionChange(isConnected: boolean): void {
    if (!isConnected) {
      this.#peers.loseAll();
      return;
    }
    this.#peers.reconnect();
    for (const session of this.#remote.values()) session.reconnect();
  }

  #onNodeLost(link: Link): void {
    for (const session of this.#hosted.values()) session.dropNode(link);
    for (const session of [...this.#remote.values()]) session.loseNode(link);
  }

  #readTotals(): Totals["totals"] {
    const { local, slugs } = this.#options;
    return slugs.flatMap((slug) =>
      SESSION_SOURCES.flatMap((source) => {
        const { sessions, spectators } = local.getTotals(slug, source);
        return sessions === 0 ? [] : [{ slug, source, sessions, spectators }];
      }),
    );
  }

  async #isOpen(sessionId: string): Promise<boolean> {
    const row = await this.#options.sessions.find(sessionId);
    return row !== null && row.phase !== "ended";
  }
}

const localJoin = (local: LocalPlane, sessionId: string): Pick<RemoteSession, "join"> => ({
  join: (socket, result) => local.join(sessionId, socket, result),
});
