/** What the runs of this process have exercised. */

/** `state` and `transition` of the stored machines, `check` of an invariant, `fault` that changed something. */
export type Exercised = "state" | "transition" | "check" | "fault";

/** In how many runs something happened, and how often in total. */
export interface Occurrences {
  readonly runs: number;
  readonly times: number;
}

export type Coverage = { readonly [name: string]: Occurrences };

const counts = new Map<string, number>();
let faults = 0;

export function mark(what: Exercised, name: string): void {
  const key = `${what} ${name}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (what === "fault") faults += 1;
}

/** How many faults have changed something. */
export const countFaults = (): number => faults;

/** Call it when a run begins. */
export function clearCoverage(): void {
  counts.clear();
}

/** How often rows changed to a state from another one, so far. */
const countMarks = (pattern: RegExp): number =>
  [...counts].reduce((sum, [name, times]) => (pattern.test(name) ? sum + times : sum), 0);

const COUNTED = [
  /^transition transactions: .* → included$/,
  /^transition transactions: .* → failed$/,
  /^transition transactions: (included|failed) → (queued|sent)$/,
] as const;

/** How many rows were included, have failed, and have lost their blocks so far. */
export const countChanges = (): readonly number[] => COUNTED.map(countMarks);

/** What the run exercised so far. */
export const readCoverage = (): Coverage =>
  Object.fromEntries([...counts].map(([name, times]) => [name, { runs: 1, times }]));

export function addCoverage(parts: readonly Coverage[]): Coverage {
  const sums: Record<string, Occurrences> = {};
  for (const part of parts)
    for (const [name, { runs, times }] of Object.entries(part)) {
      const before = sums[name] ?? { runs: 0, times: 0 };
      sums[name] = { runs: before.runs + runs, times: before.times + times };
    }
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)));
}
