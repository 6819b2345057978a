import type { Hex } from "viem";
import { digestJson } from "../domain/canonical-json.ts";
import { InputBuffer } from "../domain/protocol/input-buffer.ts";
import type { Command, EndMessage, EventMessage, FrameMessage, HelloMessage } from "../domain/protocol/messages.ts";
import { buildSeedFields, getGameSeed } from "../domain/replay/build-replay.ts";
import {
  computeReplayDigest,
  PAUSE_CODES,
  type PauseReason,
  type ReplayInput,
  type ReplayPause,
} from "../domain/replay/replay.ts";
import { NO_ENTROPY } from "../domain/replay/seed.ts";
import { parseSeed } from "../domain/replay/verify.ts";
import type { EndReason, Phase } from "../domain/session.ts";
import { COMMAND_CODES, type Game, type GameState, type InputCode } from "../games/game.ts";
import { getRulesHash } from "../games/rules-hash.ts";
import type { EndedSession, SessionRow } from "../ports/store/sessions.ts";
import { buildEnd, buildFrame, buildHello } from "./frame.ts";
import { Liveness } from "./liveness.ts";
import { Recording } from "./recording.ts";
import type { Seats } from "./seats.ts";

/** Receives the messages of a session. Called in the tick: it must not throw and must not block. */
export interface SessionListener {
  /** Called once a tick with its events and the whole state. `frame.phase` is `ended` in the last call. */
  onTick(events: readonly EventMessage[], frame: FrameMessage): void;
  /** Called when the session has ended and is stored. */
  onEnd(end: EndMessage): void;
}

/** A game that was open before a restart, replayed up to its last recorded tick. */
export interface RestoredSession {
  readonly state: GameState;
  readonly inputs: readonly ReplayInput[];
  readonly stateDigests: readonly Hex[];
  readonly pauses: readonly ReplayPause[];
}

/** A pause that goes on. */
interface OpenPause {
  readonly tick: number;
  readonly reason: PauseReason;
  readonly sinceMs: number;
}

const EVENTS_PER_TICK_MAX = 64;

/**
 * One running game, without sockets and timers: the scheduler calls `tick` once a tick with the monotonic time, and
 * listeners receive events and frames. Of several sockets of the player only the latest has control; each gets an epoch,
 * and calls with an older epoch are ignored.
 */
export class LiveSession {
  readonly row: SessionRow;
  readonly game: Game;
  readonly seats: Seats;
  /** Key of the address that started it; null when it is not known, as after a restart. */
  readonly ip: string | null;
  readonly recording: Recording;
  /** The wallet's best score before this session. */
  highScore = 0;
  readonly #onEnd: (session: LiveSession) => void;
  readonly #onChange: () => void;
  readonly #liveness: Liveness;
  readonly #inputBuffer: InputBuffer;
  /** Replaced on every change, so that a listener may unsubscribe while all of them are called. */
  #listeners: readonly SessionListener[] = [];
  readonly #channels = new Map<string, () => void>();
  #state: GameState;
  #events: EventMessage[] = [];
  #phase: Phase;
  #epoch = 0;
  #connected = false;
  #entropy: Hex | null;
  #openPause: OpenPause | null = null;
  /** The time of the last call. */
  #nowMs: number;
  /** The latest `seq` that was received, and the latest that was applied. */
  #receivedSeq: number | null = null;
  #ackSeq: number | null = null;
  #outcome: Omit<EndedSession, "endedAtMs"> | null = null;

  constructor(options: {
    readonly row: SessionRow;
    readonly game: Game;
    readonly seats: Seats;
    readonly ip?: string | null;
    readonly nowMs: number;
    readonly onEnd: (session: LiveSession) => void;
    /** Called after each change of phase, score or tick. */
    readonly onChange?: () => void;
    readonly restored?: RestoredSession | undefined;
  }) {
    const { row, game, seats, ip = null, nowMs, onEnd, onChange = () => undefined, restored } = options;
    this.row = row;
    this.game = game;
    this.seats = seats;
    this.ip = ip;
    this.#onEnd = onEnd;
    this.#onChange = onChange;
    this.#entropy = row.entropy ?? null;
    this.#nowMs = nowMs;
    this.#state = restored?.state ?? this.#initState();
    this.recording = new Recording(restored ?? { inputs: [], stateDigests: [], pauses: [] });
    this.#inputBuffer = new InputBuffer(game, this.recording.inputs);
    this.#liveness = new Liveness(nowMs, restored && toRestoredLiveness(restored, row.tickHz));
    this.#phase = this.#liveness.phase;
    this.#updatePause();
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
  /** The player's part of the seed; null before the first join, and in sessions of replay version 1. */
  get entropy(): Hex | null {
    return this.#entropy;
  }
  get score(): number {
    return this.#state.score;
  }
  /** The player was connected at least once. */
  get joined(): boolean {
    return this.#liveness.joined;
  }
  get playerConnected(): boolean {
    return this.#connected;
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Remembers how to close the channel that a token has opened; the returned function forgets it. */
  addChannel(tokenHash: string, close: () => void): () => void {
    this.#channels.set(tokenHash, close);
    return () => this.#channels.delete(tokenHash);
  }

  /** Closes the channel that a revoked token has opened, if it is open. */
  closeChannel(tokenHash: string): void {
    this.#channels.get(tokenHash)?.();
  }

  /** Applies the time rules, advances the game by one tick while it runs, and publishes events and frame. */
  tick(nowMs: number): void {
    if (this.phase === "ended") return;
    this.#nowMs = nowMs;
    for (const transition of this.#liveness.advance(nowMs)) {
      if (transition.type === "end") {
        this.end(transition.reason);
        return;
      }
      if (transition.type === "pause_spent") this.#recordCommand(COMMAND_CODES.resume);
      if (transition.type === "grace_over") this.#inputBuffer.releaseHeld();
    }
    this.#updatePhase();
    if (this.phase === "running") {
      this.#step();
      if (this.#state.over) this.end("lives_lost");
    }
    if (this.#outcome === null) this.#publish();
  }

  /**
   * Gives control to a new socket of the player. Later calls pass the returned epoch; `resumed`: the player was connected
   * before. The first socket's `entropy` fixes the seed; later ones change nothing.
   */
  connectPlayer(nowMs: number, entropy: Hex = NO_ENTROPY): { readonly epoch: number; readonly resumed: boolean } {
    const resumed = this.#liveness.joined;
    this.#nowMs = nowMs;
    if (!resumed && this.#entropy === null) {
      this.#entropy = entropy;
      this.#state = this.#initState();
    }
    this.#liveness.join(nowMs);
    this.#connected = true;
    this.#updatePhase();
    this.#epoch += 1;
    return { epoch: this.#epoch, resumed };
  }

  disconnectPlayer(epoch: number, nowMs: number): void {
    if (epoch !== this.#epoch || !this.#connected) return;
    this.#nowMs = nowMs;
    this.#connected = false;
    this.#liveness.leave(nowMs);
    this.#updatePhase();
  }

  /** False when the game does not know the message. Messages of an older epoch are ignored. */
  acceptInput(epoch: number, message: InputCode["message"], seq: number | undefined): boolean {
    if (epoch !== this.#epoch || this.phase === "ended") return true;
    if (!this.#inputBuffer.add(message)) return false;
    this.#receivedSeq = seq ?? this.#receivedSeq;
    return true;
  }

  /** `denied`: the pause budget is spent; `ignored`: the command has no effect now. */
  runCommand(epoch: number, command: Command, seq: number | undefined, nowMs: number): "done" | "ignored" | "denied" {
    if (epoch !== this.#epoch || this.phase === "ended") return "ignored";
    this.#nowMs = nowMs;
    this.#receivedSeq = seq ?? this.#receivedSeq;
    if (command === "exit") {
      this.#recordCommand(COMMAND_CODES.exit);
      this.end("exit");
      return "done";
    }
    const result = command === "pause" ? this.#liveness.pause(nowMs) : this.#liveness.resume(nowMs);
    if (result === "done") this.#recordCommand(COMMAND_CODES[command]);
    this.#updatePhase();
    return result;
  }

  heartbeat(nowMs: number): { readonly phase: Phase; readonly expiresInSeconds: number } {
    return { expiresInSeconds: this.#liveness.heartbeat(nowMs), phase: this.phase };
  }

  toHelloMessage(role: HelloMessage["role"], resumed: boolean, nowMs: number): HelloMessage {
    return buildHello({
      ...this.#frameFacts(),
      role,
      resumed,
      pauseBudget: this.#liveness.pauseBudget(nowMs),
      entropy: this.#entropy,
    });
  }

  /** Ends the game with its score; a second call changes nothing. */
  end(reason: EndReason): void {
    if (this.#outcome !== null) return;
    this.#liveness.end();
    this.#updatePause();
    this.#phase = "ended";
    this.#onChange();
    const { sessionId, slug, rulesVersion, tickHz, seed, seedCommitment } = this.row;
    const { inputs, stateDigests, pauses } = this.recording;
    const entropy = this.#entropy;
    const rulesHash = getRulesHash(slug, rulesVersion);
    const seedFields = buildSeedFields({ seed, seedCommitment, entropy }, { pauses, rulesHash });
    const core = { ...seedFields, slug, rulesVersion, tickHz, inputs, ticks: this.tickCount, finalScore: this.score };
    this.#outcome = {
      sessionId,
      endReason: reason,
      score: this.score,
      tick: this.tickCount,
      inputs,
      stateDigests,
      ...{ entropy, pauses, rulesHash },
      replayDigest: computeReplayDigest({ ...core, endReason: reason }),
    };
    this.#emit({ event: "ended", endReason: reason, score: this.score });
    this.#publish();
    this.#onEnd(this);
  }

  /** The result of the ended session, to be stored. Throws when it has not ended. */
  getOutcome(endedAtMs: number): EndedSession {
    if (this.#outcome === null) throw new Error(`session ${this.row.sessionId} has not ended`);
    return { ...this.#outcome, endedAtMs };
  }

  /** Calls the listeners with the end of the stored session, and removes them. */
  notifyStored(row: SessionRow): void {
    for (const listener of this.#listeners) listener.onEnd(buildEnd(row, this.recording.inputsDigest));
    this.#listeners = [];
  }

  #step(): void {
    const tick = this.#state.tick + 1;
    const codes = this.#inputBuffer.drain();
    for (const code of codes) this.recording.add(tick, code);
    this.#ackSeq = this.#receivedSeq;
    this.#state = this.game.step(this.#state, codes);
    if (this.recording.isDigestTick(tick)) this.recording.stateDigests.push(digestJson(this.#state));
    for (const event of this.#state.events.slice(0, EVENTS_PER_TICK_MAX)) this.#emit(event);
    this.#onChange();
  }

  #recordCommand(command: number): void {
    this.recording.add(this.#state.tick + 1, command);
  }

  #initState(): GameState {
    return this.game.init(parseSeed(getGameSeed({ seed: this.row.seed, entropy: this.#entropy })), this.row.tickHz);
  }

  /** Records a pause once it is over, or goes on for another reason. */
  #updatePause(): void {
    const reason = this.phase === "paused" ? this.#liveness.pausedBy : null;
    const open = this.#openPause;
    if (reason === (open?.reason ?? null)) return;
    if (open !== null) {
      this.recording.addPause([open.tick, PAUSE_CODES[open.reason], Math.round(this.#nowMs - open.sinceMs)]);
    }
    this.#openPause = reason === null ? null : { tick: this.#state.tick, reason, sinceMs: this.#nowMs };
  }

  #frameFacts() {
    const spectators = { current: this.seats.connected, max: this.seats.max };
    return { row: this.row, game: this.game, state: this.#state, phase: this.phase, spectators };
  }

  #updatePhase(): void {
    this.#updatePause();
    const before = this.#phase;
    const after = this.phase;
    if (before === after) return;
    this.#phase = after;
    this.#onChange();
    if (after === "paused") this.#emit({ event: "paused", by: this.#liveness.pausedBy });
    else if (after === "running") this.#emit({ event: before === "ready" ? "started" : "resumed" });
  }

  #emit(event: { readonly event: string; readonly [field: string]: unknown }): void {
    if (this.#listeners.length === 0) return;
    this.#events.push({ ...event, t: "event", event: event.event, tick: this.#state.tick });
  }

  #publish(): void {
    if (this.#listeners.length === 0) return;
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    const frame = buildFrame({
      ...this.#frameFacts(),
      highScore: this.highScore,
      ackSeq: this.#ackSeq,
      inputsDigest: this.recording.inputsDigest,
    });
    for (const listener of this.#listeners) listener.onTick(events, frame);
  }
}

function toRestoredLiveness(restored: RestoredSession, tickHz: number) {
  const codes = restored.inputs.map(([, code]) => code);
  const pauses = codes.filter((code) => code === COMMAND_CODES.pause).length;
  const resumes = codes.filter((code) => code === COMMAND_CODES.resume).length;
  return { playedMs: (restored.state.tick * 1000) / tickHz, pauses, pausedByPlayer: pauses > resumes };
}
