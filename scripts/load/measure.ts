/** The measurements of a load run: times as histograms, errors by code, bytes. */

/** Relative width of a bucket: quantiles are accurate within 2 %. */
const GROWTH = Math.log(1.02);
const RESOLUTION_MS = 0.01;

/** Milliseconds in buckets of growing width, so that long runs need no more memory than short ones. */
export class Histogram {
  readonly #counts: number[] = [];
  #count = 0;
  #maxMs = 0;

  record(valueMs: number): void {
    const value = Math.max(0, valueMs);
    const bucket = Math.floor(Math.log1p(value / RESOLUTION_MS) / GROWTH);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#maxMs = Math.max(this.#maxMs, value);
  }

  /** The value below which a share of the values lies; 0 if there is none. */
  getQuantileMs(fraction: number): number {
    let rest = Math.ceil(this.#count * fraction);
    for (const [bucket, count = 0] of this.#counts.entries()) {
      rest -= count;
      if (count > 0 && rest <= 0) return Math.min(this.#maxMs, RESOLUTION_MS * Math.expm1((bucket + 1) * GROWTH));
    }
    return this.#maxMs;
  }

  toFigures() {
    const round = (value: number): number => Math.round(value * 100) / 100;
    return {
      count: this.#count,
      p50Ms: round(this.getQuantileMs(0.5)),
      p99Ms: round(this.getQuantileMs(0.99)),
      maxMs: round(this.#maxMs),
    };
  }
}

/**
 * Lateness of frames, relative to the earliest one of the same socket so far. A frame's play time (`tMs`) stands still
 * in a pause, which therefore starts a new comparison.
 */
export class FrameTimes {
  readonly #lateness: Histogram;
  #bestOffsetMs = Number.POSITIVE_INFINITY;
  #lastTick = -1;
  frames = 0;
  missed = 0;

  constructor(lateness: Histogram) {
    this.#lateness = lateness;
  }

  restart(): void {
    this.#bestOffsetMs = Number.POSITIVE_INFINITY;
    this.#lastTick = -1;
  }

  record({ tick, tMs, phase }: { readonly tick: number; readonly tMs: number; readonly phase: string }, nowMs: number) {
    if (phase !== "running") return this.restart();
    this.frames += 1;
    if (this.#lastTick >= 0) this.missed += Math.max(0, tick - this.#lastTick - 1);
    this.#lastTick = tick;
    const offsetMs = nowMs - tMs;
    this.#bestOffsetMs = Math.min(this.#bestOffsetMs, offsetMs);
    this.#lateness.record(offsetMs - this.#bestOffsetMs);
  }
}

/** All measurements of one run. */
export class LoadMeasurement {
  readonly lateness = new Histogram();
  answers = new Histogram();
  readonly errors = new Map<string, number>();
  frameTimes: FrameTimes[] = [];
  sessions = 0;
  receivedBytes = 0;
  sentBytes = 0;

  /** Discards what was measured before the load. */
  startOver(): void {
    this.answers = new Histogram();
    this.receivedBytes = 0;
    this.sentBytes = 0;
  }

  addError(code: string): void {
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }

  createFrameTimes(): FrameTimes {
    const times = new FrameTimes(this.lateness);
    this.frameTimes.push(times);
    return times;
  }

  /** A `fetch` that times each response up to its last byte. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const startedMs = performance.now();
    const response = await fetch(url, init);
    const body = await response.arrayBuffer();
    this.answers.record(performance.now() - startedMs);
    this.receivedBytes += body.byteLength;
    this.sentBytes += typeof init.body === "string" ? init.body.length : 0;
    return new Response(response.status === 204 ? null : body, response);
  };

  /** A WebSocket class that counts the bytes of its messages. */
  createWebSocketClass(): typeof WebSocket {
    const measurement = this;
    return class extends WebSocket {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args);
        this.addEventListener("message", ({ data }) => {
          measurement.receivedBytes += typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
        });
      }

      override send(data: string): void {
        measurement.sentBytes += data.length;
        super.send(data);
      }
    };
  }
}
