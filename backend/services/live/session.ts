import type { Command, EndMessage, EventMessage, FrameMessage, HelloMessage } from "../../domain/protocol.ts";
import { digestJson, type Hex, type ReplayInput, replayDigest } from "../../domain/replay.ts";
import type { EndReason, Phase } from "../../domain/session.ts";
import { seedBytes } from "../../domain/verify-replay.ts";
import { COMMAND_CODES, type Game, type GameState, type InputCode } from "../../games/game.ts";
import type { EndedSession, SessionRow } from "../../ports/store-sessions.ts";
import { buildEnd, buildFrame, buildHello } from "./frame.ts";
import { Liveness } from "./liveness.ts";
import { Recording } from "./recording.ts";
import type { Seats } from "./seats.ts";
import { Steering } from "./steering.ts";

/** Hears what a session has to say. Called on the tick: it must not throw and must not block. */
export interface SessionListener {
  /** Once a tick: what happened in it, then the whole state. `frame.phase` is `ended` in the last one. */
  published(events: readonly EventMessage[], frame: FrameMessage): void;
  /** The session is over and stored. */
  finished(end: EndMessage): void;
}

/** A game found open after a restart, played again up to its last recorded tick. */
export interface Restored {
  readonly state: GameState;
  readonly inputs: readonly ReplayInput[];
  readonly stateDigests: readonly Hex[];
}

const EVENTS_PER_TICK_MAX = 64;

/**
 * One running game. Knows neither sockets nor timers: `tick` is called once a tick with the monotonic time, and what it
 * has to say goes to its listeners. Of several players' sockets the latest alone steers, by its epoch.
 */
export class LiveSession {
  readonly row: SessionRow;
  readonly game: Game;
  readonly seats: Seats;
  readonly recording: Recording;
  /** The wallet's best score before this session. */
  high = 0;
  readonly #onEnd: (session: LiveSession) => void;
  readonly #liveness: Liveness;
  readonly #steering: Steering;
  /** Replaced when it changes, so that a listener may leave while all are told. */
  #listeners: readonly SessionListener[] = [];
  #state: GameState;
  #events: EventMessage[] = [];
  #phase: Phase;
  #epoch = 0;
  #connected = false;
  #ackSeq: number | null = null;
  #outcome: Omit<EndedSession, "endedAtMs"> | null = null;

  constructor(options: {
    readonly row: SessionRow;
    readonly game: Game;
    readonly seats: Seats;
    readonly nowMs: number;
    readonly onEnd: (session: LiveSession) => void;
    readonly restored?: Restored | undefined;
  }) {
    const { row, game, seats, nowMs, onEnd, restored } = options;
    this.row = row;
    this.game = game;
    this.seats = seats;
    this.#onEnd = onEnd;
    this.#state = restored?.state ?? game.init(seedBytes(row.seed), row.tickHz);
    this.recording = new Recording(restored ?? { inputs: [], stateDigests: [] });
    this.#steering = new Steering(game, this.recording.inputs);
    this.#liveness = new Liveness(nowMs, restored && livenessOf(restored, row.tickHz));
    this.#phase = this.#liveness.phase;
  }

  get tickHz(): number {
    return this.row.tickHz;
  }
  get phase(): Phase {
    return this.#liveness.phase;
  }
  get tickCount(): number {
    return this.#state.tick;
  }
  get score(): number {
    return this.#state.score;
  }
  get playerConnected(): boolean {
    return this.#connected;
  }

  listen(listener: SessionListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Advances by one tick where the phase allows it, and publishes events and frame. */
  tick(nowMs: number): void {
    if (this.phase === "ended") return;
    for (const turn of this.#liveness.advance(nowMs)) {
      if (turn.turn === "end") {
        this.end(turn.reason);
        return;
      }
      if (turn.turn === "pause_spent") this.#record(COMMAND_CODES.resume);
      if (turn.turn === "grace_over") this.#steering.release();
    }
    this.#notePhase();
    if (this.phase === "running") {
      this.#step();
      if (this.#state.over) this.end("lives_lost");
    }
    if (this.#outcome === null) this.#publish();
  }

  /**
   * Gives the controls to a new player's socket. Every later call carries the epoch; `resumed`: the player had the
   * controls before.
   */
  connectPlayer(nowMs: number): { readonly epoch: number; readonly resumed: boolean } {
    const resumed = this.#liveness.joined;
    this.#liveness.join(nowMs);
    this.#connected = true;
    this.#notePhase();
    this.#epoch += 1;
    return { epoch: this.#epoch, resumed };
  }

  disconnectPlayer(epoch: number, nowMs: number): void {
    if (epoch !== this.#epoch || !this.#connected) return;
    this.#connected = false;
    this.#liveness.leave(nowMs);
    this.#notePhase();
  }

  /** False where the game does not know the message. A displaced epoch is heard and ignored. */
  steer(epoch: number, message: InputCode["message"], seq: number | undefined): boolean {
    if (epoch !== this.#epoch || this.phase === "ended") return true;
    if (!this.#steering.accept(message)) return false;
    this.#ackSeq = seq ?? this.#ackSeq;
    return true;
  }

  /** `denied`: the pause budget is spent. Where there is nothing to do, nothing happens. */
  command(epoch: number, command: Command, seq: number | undefined, nowMs: number): "done" | "ignored" | "denied" {
    if (epoch !== this.#epoch || this.phase === "ended") return "ignored";
    this.#ackSeq = seq ?? this.#ackSeq;
    if (command === "exit") {
      this.#record(COMMAND_CODES.exit);
      this.end("exit");
      return "done";
    }
    const verdict = command === "pause" ? this.#liveness.pause(nowMs) : this.#liveness.resume(nowMs);
    if (verdict === "done") this.#record(COMMAND_CODES[command]);
    this.#notePhase();
    return verdict;
  }

  heartbeat(nowMs: number): { readonly phase: Phase; readonly expiresInSeconds: number } {
    return { expiresInSeconds: this.#liveness.heartbeat(nowMs), phase: this.phase };
  }

  hello(role: HelloMessage["role"], resumed: boolean, nowMs: number): HelloMessage {
    return buildHello({ ...this.#facts(), role, resumed, pauseBudget: this.#liveness.pauseBudget(nowMs) });
  }

  /** Ends the game with its score; a second call changes nothing. */
  end(reason: EndReason): void {
    if (this.#outcome !== null) return;
    this.#liveness.end();
    this.#phase = "ended";
    const { sessionId, slug, rulesVersion, tickHz, seed } = this.row;
    const { inputs, stateDigests } = this.recording;
    const core = { slug, rulesVersion, tickHz, seed, inputs, ticks: this.tickCount, finalScore: this.score };
    this.#outcome = {
      sessionId,
      endReason: reason,
      score: this.score,
      tick: this.tickCount,
      inputs,
      stateDigests,
      replayDigest: replayDigest({ v: 1, ...core, endReason: reason }),
    };
    this.#say({ event: "ended", endReason: reason, score: this.score });
    this.#publish();
    this.#onEnd(this);
  }

  /** What is to be stored of the ended session. */
  outcome(endedAtMs: number): EndedSession {
    if (this.#outcome === null) throw new Error(`session ${this.row.sessionId} has not ended`);
    return { ...this.#outcome, endedAtMs };
  }

  /** Tells the listeners that the ended session is stored, and lets them go. */
  finish(row: SessionRow): void {
    for (const listener of this.#listeners) listener.finished(buildEnd(row));
    this.#listeners = [];
  }

  #step(): void {
    const tick = this.#state.tick + 1;
    const codes = this.#steering.take();
    for (const code of codes) this.recording.add(tick, code);
    this.#state = this.game.step(this.#state, codes);
    if (this.recording.isDigestTick(tick)) this.recording.stateDigests.push(digestJson(this.#state));
    for (const event of this.#state.events.slice(0, EVENTS_PER_TICK_MAX)) this.#say(event);
  }

  #record(command: number): void {
    this.recording.add(this.#state.tick + 1, command);
  }

  #facts() {
    const spectators = { current: this.seats.connected, max: this.seats.max };
    return { row: this.row, game: this.game, state: this.#state, phase: this.phase, spectators };
  }

  #notePhase(): void {
    const before = this.#phase;
    const after = this.phase;
    if (before === after) return;
    this.#phase = after;
    if (after === "paused") this.#say({ event: "paused", by: this.#liveness.pausedBy });
    else if (after === "running") this.#say({ event: before === "ready" ? "started" : "resumed" });
  }

  #say(event: { readonly event: string; readonly [field: string]: unknown }): void {
    if (this.#listeners.length === 0) return;
    this.#events.push({ ...event, t: "event", event: event.event, tick: this.#state.tick });
  }

  #publish(): void {
    if (this.#listeners.length === 0) return;
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    const frame = buildFrame({ ...this.#facts(), high: this.high, ackSeq: this.#ackSeq });
    for (const listener of this.#listeners) listener.published(events, frame);
  }
}

function livenessOf(restored: Restored, tickHz: number) {
  const codes = restored.inputs.map(([, code]) => code);
  const pauses = codes.filter((code) => code === COMMAND_CODES.pause).length;
  const resumes = codes.filter((code) => code === COMMAND_CODES.resume).length;
  return { playedMs: (restored.state.tick * 1000) / tickHz, pauses, pausedByPlayer: pauses > resumes };
}
