/** What a player keeps of its own session: its part of the seed, what it sent, and what the service acknowledged. */
import type { Hex } from "viem";
import { bytesToHex } from "viem/utils";
import type { FrameBody, HelloMessage } from "./channel.ts";
import { ArcadeEvidenceError } from "./errors.ts";

export interface SentMessage {
  readonly seq: number;
  readonly message: { readonly t: string; readonly [field: string]: unknown };
}

/** A frame in which the acknowledged `seq` or the digest of the inputs had changed. */
export interface TranscriptMark {
  readonly tick: number;
  /** The tick of the frame before on the same socket; null for the first one. */
  readonly previousTick: number | null;
  readonly ackSeq: number | null;
  readonly inputsDigest: Hex;
}

export interface Transcript {
  readonly sessionId: string;
  /** As `start` gave it, or the first `hello`. */
  readonly seedCommitment: Hex;
  /** The player's part of the seed that counts; null where the service did not take one. */
  readonly entropy: Hex | null;
  readonly sent: readonly SentMessage[];
  readonly marks: readonly TranscriptMark[];
  /** The service dropped messages (`RATE_LIMITED`), or the player joined a running session. */
  readonly isPartial: boolean;
}

/** 32 random bytes. */
const createEntropy = (): Hex => bytesToHex(crypto.getRandomValues(new Uint8Array(32)));

/** Keeps the transcript of one session over all its sockets. */
export class TranscriptRecorder {
  /** Sent with the first message of every socket; the first one of the session counts. */
  readonly entropy: Hex;
  readonly #sessionId: string;
  #seedCommitment: Hex | null;
  #countedEntropy: Hex | null = null;
  #isPartial = false;
  #lastSeq = 0;
  #lastTick: number | null = null;
  #last: { readonly ackSeq: number | null; readonly inputsDigest: Hex | null } = { ackSeq: null, inputsDigest: null };
  readonly #sent: SentMessage[] = [];
  readonly #marks: TranscriptMark[] = [];

  /** `seedCommitment`: of the answer to the start; null for a session that was started elsewhere. */
  constructor(sessionId: string, seedCommitment: Hex | null, entropy: Hex = createEntropy()) {
    this.#sessionId = sessionId;
    this.#seedCommitment = seedCommitment;
    this.entropy = entropy;
  }

  /** Throws `ArcadeEvidenceError` where the service has another seed, or another entropy, than it said before. */
  onHello(hello: HelloMessage): void {
    const { seedCommitment, entropy = null, resumed, tick } = hello;
    this.#seedCommitment ??= seedCommitment as Hex;
    if (seedCommitment !== this.#seedCommitment)
      throw new ArcadeEvidenceError("seedCommitment", this.#seedCommitment, seedCommitment);
    const expected = this.#countedEntropy ?? (resumed || tick > 0 ? entropy : this.entropy);
    // A service of an older version knows no entropy.
    if (entropy !== null && entropy !== expected) throw new ArcadeEvidenceError("entropy", String(expected), entropy);
    if (this.#countedEntropy === null && (resumed || tick > 0)) this.#isPartial = true;
    this.#countedEntropy = entropy as Hex | null;
    this.#lastTick = null;
  }

  /** The message as it is sent: with a `seq`, its own or the next one. */
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
    if (ackSeq !== this.#last.ackSeq || inputsDigest !== this.#last.inputsDigest) {
      this.#marks.push({ tick, previousTick: this.#lastTick, ackSeq, inputsDigest: inputsDigest as Hex });
      this.#last = { ackSeq, inputsDigest: inputsDigest as Hex };
    }
    this.#lastTick = tick;
  }

  onError({ code }: { readonly code: string }): void {
    if (code === "RATE_LIMITED") this.#isPartial = true;
  }

  getTranscript(): Transcript {
    return {
      sessionId: this.#sessionId,
      seedCommitment: this.#seedCommitment ?? "0x",
      entropy: this.#countedEntropy,
      sent: [...this.#sent],
      marks: [...this.#marks],
      isPartial: this.#isPartial,
    };
  }
}
