import type { Hex } from "viem";
import type { Command, FrameMessage, HelloMessage } from "../../domain/protocol/messages.ts";
import { createMoveError, type StepRequest, type StepResult } from "../../domain/protocol/step.ts";
import { NO_ENTROPY } from "../../domain/replay/seed.ts";
import type { EndReason, Phase } from "../../domain/session.ts";
import type { Game, InputCode } from "../../games/game.ts";
import type { SessionListener } from "../ports/live-channels.ts";
import type { EndedSession, SessionRow } from "../ports/store/sessions.ts";
import { buildEnd, buildFrame, buildHello } from "./frame.ts";
import { Liveness, toPlayedTime } from "./liveness.ts";
import { Lockstep, requireLockstep } from "./lockstep.ts";
import type { Outcome } from "./outcome.ts";
import type { Recording } from "./recording.ts";
import { type RestoredSession, Run } from "./run.ts";
import type { Seats } from "./seats.ts";
import { SessionListeners } from "./session-listeners.ts";
import { SessionSockets } from "./session-sockets.ts";

/**
 * One running game, without sockets and timers: the scheduler calls `tick` once per tick with the monotonic time, and
 * listeners receive events and frames. Of several sockets of the player only the latest has control; each gets an
 * epoch, and calls with an older epoch are ignored.
 */
export class LiveSession {
  readonly row: SessionRow;
  readonly game: Game;
  readonly seats: Seats;
  readonly sockets = new SessionSockets();
  /** Key of the address that started it; null after a restart. */
  readonly ip: string | null;
  /** The wallet's best score before this session. */
  highScore = 0;
  readonly #onEnd: (session: LiveSession) => void;
  readonly #onChange: () => void;
  readonly #run: Run;
  readonly #liveness: Liveness;
  readonly #listeners = new SessionListeners();
  /** Null if the clock makes the ticks. */
  readonly #lockstep: Lockstep | null;
  #phase: Phase;
  #epoch = 0;
  #connected = false;
  /** The time of the last call. */
  #nowMs: number;
  #outcome: Outcome | null = null;
  /** True once another backend runs the session. */
  #isMoved = false;

  constructor(options: {
    readonly row: SessionRow;
    readonly game: Game;
    readonly seats: Seats;
    readonly ip?: string | null;
    readonly nowMs: number;
    readonly onEnd: (session: LiveSession) => void;
    readonly disconnectPauseSeconds?: number | undefined;
    /** Practice that waits for its player: it ticks when a move arrives. */
    readonly isLockstep?: boolean;
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
    this.#nowMs = nowMs;
    this.#lockstep = options.isLockstep === true ? new Lockstep() : null;
    this.#run = new Run(row, game, restored);
    const played = restored && toPlayedTime(restored, row.tickHz);
    this.#liveness = new Liveness(nowMs, played, options.disconnectPauseSeconds);
    this.#phase = this.#liveness.phase;
    this.#updatePause();
  }

  get tickHz(): number {
    return this.row.tickHz;
  }
  get phase(): Phase {
    return this.#liveness.phase;
  }
  get recording(): Recording {
    return this.#run.recording;
  }
  get tickCount(): number {
    return this.#run.state.tick;
  }
  /** The player's part of the seed; null before the first join. */
  get entropy(): Hex | null {
    return this.#run.entropy;
  }
  get score(): number {
    return this.#run.state.score;
  }
  /** The player was connected at least once. */
  get joined(): boolean {
    return this.#liveness.joined;
  }
  get playerConnected(): boolean {
    return this.#connected;
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: SessionListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** Applies the time rules, advances the game by one tick while it runs, and publishes events and frame. */
  tick(nowMs: number): void {
    if (this.phase === "ended" || this.#isMoved) return;
    this.#nowMs = nowMs;
    for (const transition of this.#liveness.advance(nowMs)) {
      if (transition.type === "end") {
        this.end(transition.reason);
        return;
      }
      if (transition.type === "pause_spent") this.#run.recordCommand("resume");
      if (transition.type === "grace_over") this.#run.releaseHeld();
    }
    this.#updatePhase();
    if (this.#lockstep?.isAbandoned(nowMs) === true) {
      this.end("disconnect_timeout");
      return;
    }
    const due = this.#lockstep?.getDue(this.phase, nowMs) ?? "tick";
    if (due === "tick") this.#advance();
    if (due !== "nothing") this.#publishRunning();
  }

  /**
   * Runs the next ticks of a session with lockstep now, with a move in the first one. Listeners get one frame, after
   * the last tick. Throws `SESSION_NOT_LOCKSTEP`, and `VALIDATION_FAILED` for a move that the game does not know.
   */
  step(nowMs: number, { move, ticks }: StepRequest): StepResult {
    const lockstep = requireLockstep(this.#lockstep);
    if (move !== null && !this.#run.addInput(move, move.seq)) throw createMoveError(this.row.slug);
    this.#nowMs = nowMs;
    const events = this.#listeners.collect(() => {
      const isByRequests = !this.#connected || lockstep.isPlayedByRequests;
      if (!this.#connected) this.connectPlayer(nowMs);
      if (isByRequests) lockstep.onRequest(nowMs);
      this.#liveness.startNow();
      this.#updatePhase();
      for (let made = 0; made < ticks && this.phase === "running"; made++) this.#advance();
    });
    this.#publishRunning();
    return { frame: this.#buildFrame().frame, events };
  }

  /**
   * Gives control to a new socket of the player. Later calls pass the returned epoch; `resumed`: the player was
   * connected before. The first socket's `entropy` determines the seed; later ones change nothing.
   */
  connectPlayer(nowMs: number, entropy: Hex = NO_ENTROPY): { readonly epoch: number; readonly resumed: boolean } {
    // After a restart between the first join and the first tick, the entropy is all that is known of the player.
    // safeguard: keep-first-entropy
    const resumed = this.#liveness.joined || this.entropy !== null;
    this.#nowMs = nowMs;
    if (!resumed) this.#run.setEntropy(entropy);
    this.#liveness.join(nowMs);
    this.#connected = true;
    this.#lockstep?.onJoin();
    this.#updatePhase();
    this.#epoch += 1;
    return { epoch: this.#epoch, resumed };
  }

  /** The player's socket is gone. Has no effect for a displaced socket, which has an older epoch. */
  disconnectPlayer(epoch: number, nowMs: number): void {
    if (epoch !== this.#epoch || !this.#connected) return;
    this.#nowMs = nowMs;
    this.#connected = false;
    this.#liveness.leave(nowMs);
    this.#updatePhase();
  }

  /** False if the game does not know the message. Messages of an older epoch are ignored. */
  acceptInput(epoch: number, message: InputCode["message"], seq: number | undefined): boolean {
    if (epoch !== this.#epoch || this.phase === "ended") return true;
    if (!this.#run.addInput(message, seq)) return false;
    if (this.#lockstep !== null && this.phase === "running") {
      this.#advance();
      this.#publishRunning();
    }
    return true;
  }

  /** `denied`: the pause budget is used up; `ignored`: the command has no effect now. */
  runCommand(epoch: number, command: Command, seq: number | undefined, nowMs: number): "done" | "ignored" | "denied" {
    if (epoch !== this.#epoch || this.phase === "ended") return "ignored";
    this.#nowMs = nowMs;
    this.#run.receiveSeq(seq);
    if (command === "exit") {
      this.#run.recordCommand("exit");
      this.end("exit");
      return "done";
    }
    const result = command === "pause" ? this.#liveness.pause(nowMs) : this.#liveness.resume(nowMs);
    if (result === "done") this.#run.recordCommand(command);
    this.#updatePhase();
    return result;
  }

  /** Records a heartbeat; the session would end after `expiresInSeconds` without another one. */
  heartbeat(nowMs: number): { readonly phase: Phase; readonly expiresInSeconds: number } {
    return { expiresInSeconds: this.#liveness.heartbeat(nowMs), phase: this.phase };
  }

  /** The `hello` for a socket that joins now. */
  toHelloMessage(role: HelloMessage["role"], resumed: boolean, nowMs: number): HelloMessage {
    return buildHello({
      ...this.#frameFacts(),
      role,
      resumed,
      pauseBudget: this.#liveness.pauseBudget(nowMs),
      entropy: this.entropy,
      lockstep: this.#lockstep !== null,
    });
  }

  /** Ends the game with its score; a second call has no effect. */
  end(reason: EndReason): void {
    if (this.#outcome !== null || this.#isMoved) return;
    this.#liveness.end();
    this.#updatePause();
    this.#phase = "ended";
    this.#onChange();
    this.#outcome = this.#run.buildOutcome(reason);
    this.#emit({ event: "ended", endReason: reason, score: this.score });
    this.#listeners.publish(() => this.#buildFrame());
    this.#onEnd(this);
  }

  /** The result of the ended session, for the store. Throws if it has not ended. */
  getOutcome(endedAtMs: number): EndedSession {
    if (this.#outcome === null) throw new Error(`session ${this.row.sessionId} has not ended`);
    return { ...this.#outcome, endedAtMs };
  }

  /** Notifies the listeners of the stored session's end, and removes them. */
  notifyStored(row: SessionRow): void {
    this.#listeners.end(() => buildEnd(row, this.recording.inputsDigest));
  }

  /** Stops the game here because another backend runs it. */
  move(): void {
    this.#isMoved = true;
    this.#listeners.move();
  }

  /** Runs a tick if the game runs here. */
  #advance(): void {
    if (this.phase !== "running" || this.#isMoved) return;
    for (const event of this.#run.step()) this.#emit(event);
    this.#lockstep?.onTick(this.#nowMs);
    this.#onChange();
    if (this.#run.state.over) this.end("lives_lost");
  }

  #updatePause(): void {
    const reason = this.phase === "paused" ? this.#liveness.pausedBy : null;
    this.recording.setPause(reason, this.tickCount, this.#nowMs);
  }

  #frameFacts() {
    const spectators = { current: this.seats.connected, max: this.seats.max };
    return { row: this.row, game: this.game, state: this.#run.state, phase: this.phase, spectators };
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
    this.#listeners.addEvent(event, this.tickCount);
  }

  /** Publishes the state of a running session; `end` publishes the last one. */
  #publishRunning(): void {
    if (this.#outcome === null) this.#listeners.publish(() => this.#buildFrame());
  }

  #buildFrame(): FrameMessage {
    const { highScore, recording } = this;
    const { ackSeq } = this.#run;
    return buildFrame({ ...this.#frameFacts(), highScore, ackSeq, inputsDigest: recording.inputsDigest });
  }
}
