/** What the rooms count; the names are the adapter's. */
export interface RequestFacts {
  /** Name of the route, `none` where no route was found. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** Error code, null for a success. */
  readonly code: string | null;
  readonly seconds: number;
}

/** Values that are looked up when somebody asks. */
export interface MetricSources {
  readonly games: () => readonly { readonly slug: string; readonly sessions: number; readonly spectators: number }[];
  readonly live: () => {
    readonly ticks: number;
    readonly droppedTicks: number;
    readonly lateness: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
    readonly storeFailures: number;
    readonly withheld: number;
  };
  readonly chain: () => {
    readonly head: number | null;
    readonly followed: number | null;
    readonly lagBlocks: number | null;
    readonly healthy: boolean;
    readonly outageMs: number;
  };
  readonly checks: () => Promise<readonly { readonly name: string; readonly ok: boolean }[]>;
}

export interface Metrics {
  countRequest(facts: RequestFacts): void;
  countSessionEnd(facts: { readonly slug: string; readonly source: string; readonly endReason: string }): void;
  countSignature(facts: { readonly duty: string; readonly ok: boolean }): void;
  /** Everything in the text form of Prometheus 0.0.4. */
  text(): Promise<string>;
}
