import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";

export type RateVerdict = "ok" | "drop" | "warn" | "close";

/**
 * Counts one socket's messages per second since its start. After `rateWarnSeconds` above the rate messages are dropped
 * (with one warning a second), after `rateCloseSeconds` the socket is closed.
 */
export class MessageRate {
  readonly #maxPerSecond: number;
  readonly #startMs: number;
  #second = 0;
  #count = 0;
  #secondsOver = 0;
  #warned = false;

  constructor(tickHz: number, nowMs: number) {
    this.#maxPerSecond = CHANNEL_LIMITS.messagesPerTick * tickHz;
    this.#startMs = nowMs;
  }

  count(nowMs: number): RateVerdict {
    const second = Math.floor((nowMs - this.#startMs) / 1000);
    if (second !== this.#second) {
      const overAgain = this.#count > this.#maxPerSecond && second === this.#second + 1;
      this.#secondsOver = overAgain ? this.#secondsOver + 1 : 0;
      this.#second = second;
      this.#count = 0;
      this.#warned = false;
    }
    this.#count += 1;
    if (this.#secondsOver >= CHANNEL_LIMITS.rateCloseSeconds) return "close";
    const isFlood = this.#count > this.#maxPerSecond * CHANNEL_LIMITS.burstFactor;
    if (this.#secondsOver < CHANNEL_LIMITS.rateWarnSeconds && !isFlood) return "ok";
    if (this.#count <= this.#maxPerSecond && !isFlood) return "ok";
    if (this.#warned) return "drop";
    this.#warned = true;
    return "warn";
  }
}

/** True when an event happens for the `max`-th time within `windowMs`. */
export class EventWindow {
  readonly #max: number;
  readonly #windowMs: number;
  #timesMs: number[] = [];

  constructor(max: number, windowMs: number) {
    this.#max = max;
    this.#windowMs = windowMs;
  }

  record(nowMs: number): boolean {
    this.#timesMs = this.#timesMs.filter((atMs) => nowMs - atMs < this.#windowMs);
    this.#timesMs.push(nowMs);
    return this.#timesMs.length >= this.#max;
  }
}
