const KEPT = 8192;

/** How late the latest ticks were, in milliseconds. */
export class Lateness {
  readonly #values = new Float64Array(KEPT);
  #count = 0;

  note(lateMs: number): void {
    this.#values[this.#count % KEPT] = Math.max(0, lateMs);
    this.#count += 1;
  }

  /** Ticks since the start. */
  get count(): number {
    return this.#count;
  }

  percentiles(): { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number } {
    const kept = this.#values.slice(0, Math.min(this.#count, KEPT)).sort();
    const at = (share: number): number => kept[Math.min(kept.length - 1, Math.floor(share * kept.length))] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  }
}
