/**
 * Measures a row: all sides in alternating rounds (ours first, then last, and so on). A round that did not do
 * its work is void. A row is void, and has no figure, when too few rounds of a side are valid.
 *
 * A new benchmark is a file `lab/bench/NAME.ts` that exports `benchmark` (see types.ts). A side that calls functions
 * in this process is made by `createOperationSide`; any other implements `Side` and checks its work with `findMissing`.
 */
import { getSpread } from "./statistics.ts";
import type { Bar, BarResult, Round, Row, RowResult, Side, SideResult, Spread } from "./types.ts";

/** The share of a side's rounds that must be valid. */
const MIN_VALID_SHARE = 0.7;

/** The row has no figure, because too many rounds of a side did not do their work. */
export class VoidRowError extends Error {
  constructor(row: Row, side: string, reasons: readonly string[]) {
    super(`${row.id} ${row.what}: void, ${side} did not do its work: ${[...new Set(reasons)].join("; ")}`);
    this.name = "VoidRowError";
  }
}

/** A round that failed counts as void. */
async function tryRound(side: Side, round: number): Promise<Round> {
  try {
    return await side.runRound(round);
  } catch (error) {
    return { value: Number.NaN, missing: error instanceof Error ? error.message : String(error) };
  }
}

async function withSides<T>(sides: readonly Side[], work: () => Promise<T>): Promise<T> {
  try {
    // One after the other, so that no side starts under the load of another.
    for (const side of sides) await side.start?.();
    return await work();
  } finally {
    for (const side of sides) await side.stop?.();
  }
}

async function runRounds(sides: readonly Side[], rounds: number): Promise<ReadonlyMap<Side, readonly Round[]>> {
  const results = new Map<Side, Round[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      results.get(side)!.push(await tryRound(side, round));
    }
  }
  return results;
}

const isValid = ({ missing, value }: Round): boolean => missing === null && Number.isFinite(value);

function spreadMore(rounds: readonly Round[]): { readonly [name: string]: Spread } {
  const names = Object.keys(rounds[0]?.more ?? {});
  return Object.fromEntries(names.map((name) => [name, getSpread(rounds.map(({ more }) => more![name]!))]));
}

function toSideResult(side: Side, rounds: readonly Round[], ours: readonly Round[]): SideResult {
  const valid = rounds.filter(isValid);
  const ratios = rounds.flatMap((theirs, round) => {
    const own = ours[round]!;
    return isValid(own) && isValid(theirs) ? [own.value / theirs.value] : [];
  });
  return {
    name: side.name,
    value: getSpread(valid.map(({ value }) => value)),
    oursToIt: rounds === ours ? null : getSpread(ratios),
    validRounds: valid.length,
    more: spreadMore(valid),
  };
}

const invert = ({ median, min, max }: Spread): Spread => ({ median: 1 / median, min: 1 / max, max: 1 / min });

function rateBar(bar: Bar, { figure }: Row, sides: readonly SideResult[]): BarResult {
  if ("against" in bar) {
    const share = sides.find(({ name }) => name === bar.against)?.oursToIt;
    if (!share) throw new Error(`A bar names ${bar.against}, which is no peer`);
    if ("share" in bar) return { bar, reached: share, isMet: share.median <= bar.share };
    const times = figure.better === "lower" ? invert(share) : share;
    return { bar, reached: times, isMet: times.median >= bar.times };
  }
  const [ours] = sides;
  const reached = bar.of === undefined ? ours!.value : ours!.more[bar.of];
  if (reached === undefined) throw new Error(`A bar names ${bar.of}, which is no figure`);
  return { bar, reached, isMet: "max" in bar ? reached.median <= bar.max : reached.median >= bar.min };
}

/** Throws `VoidRowError` if a side did not do its work. */
export async function measureRow(row: Row): Promise<RowResult> {
  const { id, what, figure, rounds } = row;
  return withSides(row.sides, async () => {
    const results = await runRounds(row.sides, rounds);
    for (const [side, all] of results) {
      const invalid = all.filter((round) => !isValid(round));
      if (rounds - invalid.length < rounds * MIN_VALID_SHARE) {
        throw new VoidRowError(
          row,
          side.name,
          invalid.map(({ missing }) => missing ?? "no value"),
        );
      }
    }
    const ours = results.get(row.sides[0])!;
    const sides = row.sides.map((side) => toSideResult(side, results.get(side)!, ours));
    return { id, what, figure, rounds, sides, bars: row.bars.map((bar) => rateBar(bar, row, sides)) };
  });
}

/** Attempts for our side, since a round may be void on a busy machine. */
const SELF_TEST_ROUNDS = 5;

/** Whether our side does its work in one of a few rounds. Throws `VoidRowError` if it does in none. */
async function expectWork(row: Row): Promise<void> {
  const [ours] = row.sides;
  const reasons: string[] = [];
  await withSides([ours], async () => {
    while (reasons.length < SELF_TEST_ROUNDS) {
      const round = await tryRound(ours, reasons.length);
      if (isValid(round)) return;
      reasons.push(round.missing ?? "no value");
    }
    throw new VoidRowError(row, ours.name, reasons);
  });
}

/**
 * Measures our side and the idle one. Returns the work that the check found missing on the idle side. Throws if it
 * found none, or if our side is void too, since a check that voids everything proves nothing.
 */
export async function findIdle(row: Row): Promise<string> {
  await expectWork(row);
  return withSides([row.idle], async () => {
    const { missing } = await tryRound(row.idle, 0);
    if (missing === null) throw new Error(`${row.id} ${row.what}: the idle side that does nothing was not found`);
    return missing;
  });
}
