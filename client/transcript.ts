/** A player's record of its session: its part of the seed, what it sent, and what the service acknowledged. */
import type { Hex } from "viem";
import { bytesToHex } from "viem/utils";
import { EMPTY_INPUTS_DIGEST } from "../domain/replay/inputs-digest.ts";
import { SESSION_TIMES } from "../domain/session.ts";
import type { FrameBody, HelloMessage } from "./channel.ts";
import { ArcadeEvidenceError } from "./errors.ts";

export interface SentMessage {
  readonly seq: number;
  readonly message: { readonly t: string; readonly [field: string]: unknown };
}

/** A frame that changed the acknowledged `seq` or the digest of the inputs. */
export interface TranscriptMark {
  readonly tick: number;
  /** The tick of the previous frame on the same socket; null for the first one. */
  readonly previousTick: number | null;
  readonly ackSeq: number | null;
  readonly inputsDigest: Hex;
}

/** After a crash the service resumed from its recording: later acknowledgements are void. */
export interface TranscriptRewind {
  /** The newest tick that the service had shown. */
  readonly fromTick: number;
  /** The tick of the `hello` from which it continued. */
  readonly toTick: number;
  /** How many of `marks` are older. */
  readonly marks: number;
  /** How many of `sent` are older: those that no older mark acknowledges may be lost. */
  readonly sent: number;
}

/** A socket was lost: the service releases the held input of a player that does not return in time. */
export interface TranscriptAbsence {
  /** The newest tick that the service had shown, or the earliest that it may have gone back to. */
  readonly fromTick: number;
  /** The tick of the next `hello`; null after the last socket. */
  readonly toTick: number | null;
  /** How many of `sent` are older: those that no older mark acknowledges may be lost. */
  readonly sent: number;
}

export interface Transcript {
  readonly sessionId: string;
  /** From `start`, or from the first `hello`. */
  readonly seedCommitment: Hex;
  /** The player's part of the seed as confirmed by `hello`; null before the first one. */
  readonly entropy: Hex | null;
  /** Ticks per second from `hello`; null before it. */
  readonly tickHz: number | null;
  readonly sent: readonly SentMessage[];
  readonly marks: readonly TranscriptMark[];
  /** The service dropped messages (`RATE_LIMITED`), or the player joined a running session. */
  readonly isPartial: boolean;
  /** In the order in which they happened. */
  readonly rewinds: readonly TranscriptRewind[];
  /** In the order in which they happened. */
  readonly absences: readonly TranscriptAbsence[];
}

/** 32 random bytes. */
const createEntropy = (): Hex => bytesToHex(crypto.getRandomValues(new Uint8Array(32)));

/** Keeps the transcript of one session across its sockets. */
export class TranscriptRecorder {
  /** Sent with the first message of every socket; only the session's first one counts. */
  readonly entropy: Hex;
  readonly #sessionId: string;
  #seedCommitment: Hex | null;
  #countedEntropy: Hex | null = null;
  #tickHz: number | null = null;
  #isPartial = false;
  #lastSeq = 0;
  #lastTick: number | null = null;
  /** Never lowered: a service that goes back repeatedly gains no more than one that does it once. */
  #newestTick = 0;
  /** The tick of the socket's `hello`, until its first frame. */
  #helloTick: number | null = null;
  #last: { readonly ackSeq: number | null; readonly inputsDigest: Hex | null } = { ackSeq: null, inputsDigest: null };
  readonly #sent: SentMessage[] = [];
  readonly #marks: TranscriptMark[] = [];
  readonly #rewinds: TranscriptRewind[] = [];
  readonly #absences: TranscriptAbsence[] = [];

  /** `seedCommitment`: from the start response; null for a session that was started elsewhere. */
  constructor(sessionId: string, seedCommitment: Hex | null, entropy: Hex = createEntropy()) {
    this.#sessionId = sessionId;
    this.#seedCommitment = seedCommitment;
    this.entropy = entropy;
  }

  /** Throws `ArcadeEvidenceError` if the service's seed or entropy differs from its earlier statement. */
  onHello(hello: HelloMessage): void {
    const { seedCommitment, entropy, resumed, tick, tickHz } = hello;
    this.#seedCommitment ??= seedCommitment as Hex;
    if (seedCommitment !== this.#seedCommitment)
      throw new ArcadeEvidenceError("seedCommitment", this.#seedCommitment, seedCommitment);
    const expected = this.#countedEntropy ?? (resumed || tick > 0 ? entropy : this.entropy);
    if (entropy !== expected) throw new ArcadeEvidenceError("entropy", String(expected), String(entropy));
    if (this.#countedEntropy === null && (resumed || tick > 0)) this.#isPartial = true;
    this.#tickHz ??= tickHz;
    if (resumed) this.#addAbsence(tick, tickHz);
    this.#countedEntropy = entropy as Hex | null;
    this.#lastTick = null;
    this.#helloTick = tick;
    // A service that went back further keeps its marks, and so differs from its replay.
    const isAllowed = this.#newestTick - tick <= SESSION_TIMES.rewindSeconds * tickHz;
    if (tick < this.#newestTick && isAllowed)
      this.#rewind(tick, this.#marks.findLastIndex((mark) => mark.tick <= tick) + 1);
  }

  /** A service that went back may have continued from the earliest tick that it may go back to. */
  #addAbsence(toTick: number, tickHz: number): void {
    const newest = this.#newestTick;
    const fromTick = toTick < newest ? newest - SESSION_TIMES.rewindSeconds * tickHz : newest;
    this.#absences.push({ fromTick, toTick, sent: this.#sent.length });
  }

  /** Keeps the first `marks`, and records the rewind. */
  #rewind(toTick: number, marks: number): void {
    this.#marks.length = marks;
    const older = this.#rewinds.map((rewind) => ({ ...rewind, marks: Math.min(rewind.marks, marks) }));
    const rewind = { fromTick: this.#newestTick, toTick, marks, sent: this.#sent.length };
    this.#rewinds.splice(0, Infinity, ...older, rewind);
    this.#last = { ackSeq: null, inputsDigest: null };
  }

  /** Commands are recorded one tick after the frame that acknowledges them: those of the last frame may be lost too. */
  #dropLostCommands(tick: number, inputsDigest: string): void {
    if (tick !== this.#helloTick) return;
    const known = this.#marks.findLastIndex((mark) => mark.inputsDigest === inputsDigest);
    if (known < 0 && inputsDigest !== EMPTY_INPUTS_DIGEST) return;
    const lost = this.#marks.slice(known + 1);
    if (lost.length > 0 && lost.every((mark) => mark.tick === tick)) this.#rewind(tick, known + 1);
  }

  /** The message as sent: with its own `seq`, or the next one. */
  addSent(message: object): object {
    const seq = (message as { readonly seq?: number }).seq ?? this.#lastSeq + 1;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#sent.push({ seq, message: message as SentMessage["message"] });
    return { ...message, seq };
  }

  onFrame(frame: Pick<FrameBody, "tick" | "ackSeq" | "inputsDigest">): void {
    const { tick, inputsDigest } = frame;
    const ackSeq = frame.ackSeq ?? null;
    if (inputsDigest === undefined) return;
    this.#dropLostCommands(tick, inputsDigest);
    this.#helloTick = null;
    if (ackSeq !== this.#last.ackSeq || inputsDigest !== this.#last.inputsDigest) {
      this.#marks.push({ tick, previousTick: this.#lastTick, ackSeq, inputsDigest: inputsDigest as Hex });
      this.#last = { ackSeq, inputsDigest: inputsDigest as Hex };
    }
    this.#lastTick = tick;
    this.#newestTick = Math.max(this.#newestTick, tick);
  }

  onError({ code }: { readonly code: string }): void {
    if (code === "RATE_LIMITED") this.#isPartial = true;
  }

  getTranscript(): Transcript {
    return {
      sessionId: this.#sessionId,
      seedCommitment: this.#seedCommitment ?? "0x",
      entropy: this.#countedEntropy,
      tickHz: this.#tickHz,
      sent: [...this.#sent],
      marks: [...this.#marks],
      isPartial: this.#isPartial,
      rewinds: [...this.#rewinds],
      absences: [...this.#absences, { fromTick: this.#newestTick, toTick: null, sent: this.#sent.length }],
    };
  }
}
