/** A player's transcript of a run, and the service's recording of it, without sockets. */

import { Run } from "../../backend/live/run.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { checkTranscript } from "../../client/check-transcript.ts";
import { TranscriptRecorder } from "../../client/transcript.ts";
import type { HelloMessage } from "../../domain/protocol/messages.ts";
import { getGameSeed } from "../../domain/replay/build-replay.ts";
import type { Replay, ReplayInput } from "../../domain/replay/replay.ts";
import { runInputs } from "../../domain/replay/verify.ts";
import type { Game, InputCode } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";

export const TICK_HZ = 15;
const SEED = `0x${"07".repeat(32)}` as const;
const ENTROPY = `0x${"09".repeat(32)}` as const;
const SESSION_ID = "9b2d6f0e-4a5c-4f0e-8d39-0d1f6a3f1c55";

function createRow(slug: string): SessionRow {
  const fields = { sessionId: SESSION_ID, slug, seed: SEED, seedCommitment: SEED, tickHz: TICK_HZ, rulesVersion: 2 };
  return { ...fields, entropy: ENTROPY } as unknown as SessionRow;
}

/** A player and a service that loses its socket, is killed and continues from its store, or lies. */
export class Play {
  readonly recorder = new TranscriptRecorder(SESSION_ID, SEED, ENTROPY);
  readonly #row: SessionRow;
  readonly #game: Game;
  #run: Run;

  constructor(slug = "shellrunners") {
    this.#row = createRow(slug);
    this.#game = findGame(slug)!;
    this.#run = new Run(this.#row, this.#game);
    this.#hello(false);
  }

  get tick(): number {
    return this.#run.state.tick;
  }

  #hello(resumed: boolean): void {
    const { tick } = this;
    const hello = { seedCommitment: SEED, entropy: ENTROPY, resumed, tick, tickHz: TICK_HZ };
    this.recorder.onHello(hello as unknown as HelloMessage);
  }

  /** The tick's frame. `isSkipped`: it does not reach the player. */
  frame(isSkipped = false): void {
    const { ackSeq, recording } = this.#run;
    const { tick } = this;
    const { inputsDigest } = recording;
    if (!isSkipped) this.recorder.onFrame({ tick, inputsDigest, ...(ackSeq === null ? {} : { ackSeq }) });
  }

  send(index: number, { isLost = false } = {}): void {
    const { inputs } = this.#game;
    const { message } = inputs[index % inputs.length]!;
    const { seq } = this.recorder.addSent(message) as { readonly seq: number };
    if (!isLost) this.#run.addInput(message as InputCode["message"], seq);
  }

  /** The service acknowledges a message that it does not play. */
  sendDropped(index: number): void {
    const { seq } = this.recorder.addSent(this.#game.inputs[index]!.message) as { readonly seq: number };
    this.#run.receiveSeq(seq);
  }

  /** The service plays a message that was not sent. */
  insert(message: InputCode["message"]): void {
    this.#run.addInput(message, undefined);
  }

  /**
   * The socket is lost for some ticks. The service then releases the held input, and messages in transit are lost.
   */
  leave(ticks: number): void {
    this.send(2, { isLost: true });
    this.#run.releaseHeld();
    this.advance(ticks, undefined, true);
    this.#hello(true);
    this.frame();
  }

  command(command: "pause" | "resume"): void {
    const { seq } = this.recorder.addSent({ t: "cmd", cmd: command }) as { readonly seq: number };
    this.#run.receiveSeq(seq);
    this.#run.recordCommand(command);
    this.frame();
  }

  advance(ticks: number, getMove: (tick: number) => number | null = () => null, isSkipped = false): void {
    for (let made = 0; made < ticks && !this.#run.state.over; made++) {
      const move = getMove(this.tick);
      if (move !== null) this.send(move);
      this.#run.step();
      this.frame(isSkipped);
    }
  }

  /** Continues from `tick`, with the inputs up to it, and `inputs` in place of them if given. */
  kill(tick: number, inputs?: readonly ReplayInput[]): void {
    const stored = inputs ?? this.#run.recording.inputs.filter(([at]) => at <= tick);
    const seed = getGameSeed(this.#row);
    const state = runInputs(this.#game, { seed, tickHz: TICK_HZ, inputs: stored, ticks: tick });
    this.#run = new Run(this.#row, this.#game, { state, inputs: stored, pauses: [] });
    this.#hello(true);
    this.frame();
  }

  get inputs(): readonly ReplayInput[] {
    return this.#run.recording.inputs;
  }

  /** The differences between the player's transcript and the replay, which has `inputs` if given. */
  compare(inputs = this.inputs): readonly string[] {
    const facts = { sessionId: SESSION_ID, seedCommitment: SEED, entropy: ENTROPY, tickHz: TICK_HZ };
    const replay = { ...facts, inputs } as unknown as Replay;
    return checkTranscript(replay, this.recorder.getTranscript(), this.#game).map(({ field }) => field);
  }
}

/** Sends an input at every third tick. */
export const everyThird = (tick: number): number | null => (tick % 3 === 0 ? tick / 3 : null);
