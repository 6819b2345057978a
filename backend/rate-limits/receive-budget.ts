import type { Duplex } from "node:stream";
import { ADDRESS_LIMITS, CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import type { ChannelRole } from "../../domain/protocol/rules.ts";
import type { Clock, RateLimiter } from "../ports/system.ts";
import { FrameScanner } from "./frame-scanner.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Bytes of a rejected socket that are discarded before the connection is destroyed. */
const DISCARDED_MAX_BYTES = 64 * 1024;

interface BudgetOptions {
  readonly role: ChannelRole;
  readonly ip: string;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly limiter: RateLimiter;
  /** Called once, with the bound that the socket has exceeded. */
  readonly onExceeded: (explanation: string) => void;
  /** Called when it keeps sending after that. */
  readonly onDiscarded: () => void;
}

/**
 * Bounds what one socket sends, in frames of every kind and in bytes, and what all sockets of its address send
 * together. Before its token is accepted, a socket may send one text message and a close frame.
 */
export class ReceiveBudget {
  readonly #options: BudgetOptions;
  readonly #scanner = new FrameScanner();
  readonly #bytes: TokenBucket;
  /** Null until the token is accepted. */
  #frames: TokenBucket | null = null;
  #framesPerSecond = 0;
  #isExceeded = false;
  #discardedBytes = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
    const bytesPerSecond = CHANNEL_LIMITS.bytesPerSecond[options.role];
    const nowMs = options.clock.monotonicMs();
    this.#bytes = new TokenBucket(bytesPerSecond * CHANNEL_LIMITS.burstSeconds, bytesPerSecond, nowMs);
  }

  /** Counts every chunk of the socket before its listeners get it; what is over the budget never reaches them. */
  attach(socket: Duplex): void {
    const listeners = socket.listeners("data");
    socket.removeAllListeners("data");
    socket.on("data", (chunk: Buffer) => {
      if (!this.#accept(chunk)) return;
      for (const listener of listeners) listener.call(socket, chunk);
    });
  }

  /** Call when the token is accepted: the session's tick rate bounds the frames a second. */
  setTickRate(tickHz: number): void {
    const perSecond = CHANNEL_LIMITS.messagesPerTick * tickHz + CHANNEL_LIMITS.framesBeyondMessages;
    const nowMs = this.#options.clock.monotonicMs();
    this.#framesPerSecond = perSecond;
    this.#frames = new TokenBucket(perSecond * CHANNEL_LIMITS.burstSeconds, perSecond, nowMs);
  }

  #accept(chunk: Buffer): boolean {
    if (this.#isExceeded) {
      this.#discardedBytes += chunk.length;
      if (this.#discardedBytes > DISCARDED_MAX_BYTES) this.#options.onDiscarded();
      return false;
    }
    const exceeded = this.#count(chunk);
    if (exceeded === null) return true;
    this.#isExceeded = true;
    this.#options.onExceeded(`Expected ${exceeded}; received more.`);
    return false;
  }

  /** The bound that this chunk exceeds; null if it exceeds none. */
  #count(chunk: Buffer): string | null {
    const { clock, limiter, ip, role } = this.#options;
    const scanner = this.#scanner;
    const before = scanner.frames;
    scanner.scan(chunk);
    const frames = scanner.frames - before;
    const nowMs = clock.monotonicMs();
    if (this.#frames === null) {
      if (scanner.frames > 1 || scanner.controlsAndFragments > 0)
        return "one text message with the token, in one frame and without pings, before `hello`";
    } else if (!this.#frames.take(frames, nowMs)) return `at most ${this.#framesPerSecond} frames a second`;
    if (!this.#bytes.take(chunk.length, nowMs)) return `at most ${CHANNEL_LIMITS.bytesPerSecond[role]} bytes a second`;
    for (const [unit, count] of [
      ["frames", frames],
      ["bytes", chunk.length],
    ] as const) {
      const bound = ADDRESS_LIMITS[unit];
      if (!limiter.consume(bound, ip, count).allowed)
        return `at most ${bound.limit} ${unit} in ${bound.windowSeconds} s from all sockets of your address`;
    }
    return null;
  }
}
