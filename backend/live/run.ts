import type { Hex } from "viem";
import { InputBuffer } from "../../domain/protocol/input-buffer.ts";
import { getGameSeed } from "../../domain/replay/build-replay.ts";
import type { ReplayInput, ReplayPause } from "../../domain/replay/replay.ts";
import { parseSeed } from "../../domain/replay/verify.ts";
import type { EndReason } from "../../domain/session.ts";
import { COMMAND_CODES, type Game, type GameState, type InputCode } from "../../games/game.ts";
import type { SessionRow } from "../ports/store/sessions.ts";
import { buildOutcome, type Outcome } from "./outcome.ts";
import { Recording, toFingerprint } from "./recording.ts";

const EVENTS_PER_TICK_MAX = 64;

/** A game that was open before a restart, replayed up to its last recorded tick. */
export interface RestoredSession {
  readonly state: GameState;
  readonly inputs: readonly ReplayInput[];
  readonly pauses: readonly ReplayPause[];
}

/** The game of one session and its recording: seed, state and inputs, but neither time nor listeners. */
export class Run {
  readonly recording: Recording;
  readonly #row: SessionRow;
  readonly #game: Game;
  readonly #inputBuffer: InputBuffer;
  #state: GameState;
  #entropy: Hex | null;
  /** The latest `seq` that was received, and the latest that was applied. */
  #receivedSeq: number | null = null;
  #ackSeq: number | null = null;

  constructor(row: SessionRow, game: Game, restored?: RestoredSession) {
    this.#row = row;
    this.#game = game;
    this.#entropy = row.entropy;
    this.#state = restored?.state ?? this.#initState();
    const stored = restored ?? { inputs: [], pauses: [] };
    this.recording = new Recording(stored, toFingerprint({ ...row, entropy: this.#entropy }));
    this.#inputBuffer = new InputBuffer(game, this.recording.inputs);
  }

  get state(): GameState {
    return this.#state;
  }
  get entropy(): Hex | null {
    return this.#entropy;
  }
  /** The last `seq` that was applied. */
  get ackSeq(): number | null {
    return this.#ackSeq;
  }

  /** Sets the player's part of the seed before the first tick; later calls change nothing. */
  setEntropy(entropy: Hex): void {
    if (this.#entropy !== null) return;
    this.#entropy = entropy;
    this.#state = this.#initState();
  }

  /** Takes an input for the next tick; false if the game does not know it. */
  addInput(message: InputCode["message"], seq: number | undefined): boolean {
    if (!this.#inputBuffer.add(message)) return false;
    this.receiveSeq(seq);
    return true;
  }

  /** The frame after the next tick will acknowledge this `seq`. */
  receiveSeq(seq: number | undefined): void {
    this.#receivedSeq = seq ?? this.#receivedSeq;
  }

  /** Releases the held direction, as an input of the next tick. */
  releaseHeld(): void {
    this.#inputBuffer.releaseHeld();
  }

  /** Records a command at the next tick. Games never receive it. */
  recordCommand(command: keyof typeof COMMAND_CODES): void {
    this.recording.add(this.#state.tick + 1, COMMAND_CODES[command]);
  }

  /** Advances the game by one tick with the inputs since the last one. Returns its events, whose number is bounded. */
  step(): GameState["events"] {
    const tick = this.#state.tick + 1;
    const codes = this.#inputBuffer.drain();
    for (const code of codes) this.recording.add(tick, code);
    this.#ackSeq = this.#receivedSeq;
    this.#state = this.#game.step(this.#state, codes);
    return this.#state.events.slice(0, EVENTS_PER_TICK_MAX);
  }

  /** The result of the run, with the digest of its replay. */
  buildOutcome(endReason: EndReason): Outcome {
    const { tick, score } = this.#state;
    return buildOutcome(this.#row, { entropy: this.#entropy, tick, score }, this.recording, endReason);
  }

  #initState(): GameState {
    return this.#game.init(parseSeed(getGameSeed({ seed: this.#row.seed, entropy: this.#entropy })), this.#row.tickHz);
  }
}
