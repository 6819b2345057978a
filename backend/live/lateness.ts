const SAMPLES_MAX = 8192;

/** How late the latest 8192 ticks ran, in milliseconds. */
export class Lateness {
  readonly #values = new Float64Array(SAMPLES_MAX);
  #count = 0;

  /** Adds a tick; one that ran early counts as on time. */
  record(lateMs: number): void {
    this.#values[this.#count % SAMPLES_MAX] = Math.max(0, lateMs);
    this.#count += 1;
  }

  /** Ticks since the start. */
  get count(): number {
    return this.#count;
  }

  /** Median, 99th percentile and maximum of the kept ticks; 0 before the first. */
  percentiles(): { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number } {
    const sorted = this.#values.slice(0, Math.min(this.#count, SAMPLES_MAX)).sort();
    const at = (fraction: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  }
}
