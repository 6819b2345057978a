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
  /** Called once, when the socket has sent more than it may. */
  readonly onExceeded: () => void;
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
    const framesPerSecond = CHANNEL_LIMITS.messagesPerTick * tickHz + CHANNEL_LIMITS.framesBeyondMessages;
    const nowMs = this.#options.clock.monotonicMs();
    this.#frames = new TokenBucket(framesPerSecond * CHANNEL_LIMITS.burstSeconds, framesPerSecond, nowMs);
  }

  #accept(chunk: Buffer): boolean {
    if (this.#isExceeded) {
      this.#discardedBytes += chunk.length;
      if (this.#discardedBytes > DISCARDED_MAX_BYTES) this.#options.onDiscarded();
      return false;
    }
    if (this.#isWithin(chunk)) return true;
    this.#isExceeded = true;
    this.#options.onExceeded();
    return false;
  }

  #isWithin(chunk: Buffer): boolean {
    const { clock, limiter, ip } = this.#options;
    const scanner = this.#scanner;
    const before = scanner.frames;
    scanner.scan(chunk);
    const frames = scanner.frames - before;
    const nowMs = clock.monotonicMs();
    const isFramesOk =
      this.#frames === null
        ? scanner.frames <= 1 && scanner.controlsAndFragments === 0
        : this.#frames.take(frames, nowMs);
    return (
      isFramesOk &&
      this.#bytes.take(chunk.length, nowMs) &&
      limiter.consume(ADDRESS_LIMITS.frames, ip, frames).allowed &&
      limiter.consume(ADDRESS_LIMITS.bytes, ip, chunk.length).allowed
    );
  }
}
