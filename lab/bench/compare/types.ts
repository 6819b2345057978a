/**
 * The types of the benchmarks. A benchmark has rows. A row compares sides that do the same work in alternating rounds,
 * ours first. Each round reports the work that an observer outside the side has seen.
 */

/** Rows of the table of docs/benchmarks.md. */
export type BarId = `P${1 | 3 | 4 | 5 | 6 | 7 | 8 | 10 | 11 | 12 | 13 | 14 | 15}`;

export interface Round {
  /** In the unit of the row's figure. CPU is user plus system time of the side's process for one operation. */
  readonly value: number;
  /**
   * The part of the round's work that is missing, such as "3 of 8000 frames"; null when all was done. It must be
   * counted from received or stored data (frames, bytes, ticks, rows, answers), never from what the side reports about
   * itself.
   */
  readonly missing: string | null;
  /** Further figures of the round, by a name that ends in the unit, such as "ms late (p99)". */
  readonly more?: { readonly [name: string]: number };
}

/** One side of a row. `start` must leave it without CPU use, since other sides are measured in between. */
export interface Side {
  readonly name: string;
  start?(): Promise<void>;
  /** `round` counts from 0. Only this side may use the CPU during a round. */
  runRound(round: number): Promise<Round>;
  stop?(): Promise<void>;
}

export interface Figure {
  /** Such as "CPU for each delivered frame". */
  readonly name: string;
  /** Such as "us"; printed after the value. */
  readonly unit: string;
  readonly better: "lower" | "higher";
}

/**
 * What the first side should reach.
 * `times`: it is at least that many times as good as the other (0.8: it reaches four fifths of it).
 * `share`: its figure is at most that share of the other's.
 * `max`, `min`: its own figure, or one of `more` if `of` selects it.
 */
export type Bar =
  | { readonly against: string; readonly times: number }
  | { readonly against: string; readonly share: number }
  | { readonly max: number; readonly of?: string }
  | { readonly min: number; readonly of?: string };

export interface Row {
  readonly id: BarId;
  /** The work, such as "4 viewers of 100 sessions at 20 Hz"; distinguishes the rows of a benchmark. */
  readonly what: string;
  readonly figure: Figure;
  readonly rounds: number;
  /** Ours first, then its peers. */
  readonly sides: readonly [Side, ...Side[]];
  /** Does none of the work and reports a good value. The check must detect it (`--self-test`). */
  readonly idle: Side;
  readonly bars: readonly Bar[];
}

export interface Options {
  /** Small loads and few rounds, for a self-test or a first look; not for figures. */
  readonly isQuick: boolean;
}

/** `lab/bench/NAME.ts` exports one as `benchmark`. */
export interface Benchmark {
  readonly summary: string;
  /** The next row is created only after the previous one has been measured. */
  rows(options: Options): AsyncIterable<Row> | Iterable<Row>;
}

/** A median with its extremes. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface SideResult {
  readonly name: string;
  readonly value: Spread;
  /** Our value relative to this side's, in pairs of rounds, since the machine's load varies; null for our side. */
  readonly oursToIt: Spread | null;
  readonly validRounds: number;
  readonly more: { readonly [name: string]: Spread };
}

export interface BarResult {
  readonly bar: Bar;
  readonly reached: Spread;
  /** By the median. */
  readonly isMet: boolean;
}

export interface RowResult {
  readonly id: BarId;
  readonly what: string;
  readonly figure: Figure;
  readonly rounds: number;
  readonly sides: readonly SideResult[];
  readonly bars: readonly BarResult[];
}
