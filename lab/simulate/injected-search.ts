/** How many runs it takes to find an injected fault. */
import type { Failure } from "./batch.ts";
import { runInProcesses } from "./processes.ts";
import type { InjectedRow } from "./result-types.ts";

/** The distance between the first seeds of searches. */
const SEARCH_DISTANCE = 100_000;
/** Odd, for the median. */
const SEARCHES = 3;

/** Injected faults of every kind that a few runs find: a short search shows that the simulation finds faults at all. */
export const QUICKLY_FOUND: readonly string[] = [
  // Acknowledged data is lost.
  ...["document-not-stored", "end-before-store", "sessions-not-recovered"],
  // Something that may happen once happens twice.
  ...["nonce-used-twice", "play-token-used-twice", "signature-not-recorded", "sent-before-stored"],
  // A backend writes without its lease; a repeated request is executed again; a limit does not hold.
  ...["lease-not-checked", "answer-not-kept", "sponsor-without-limit"],
  // The store and the operator's transactions do not follow the chain.
  ...["orphans-kept", "gap-not-filled", "blocks-not-compared"],
];

export interface SearchOptions {
  readonly seed: number;
  readonly runsMax: number;
  /** The time limit of one search; null if only the number of runs is limited. */
  readonly secondsMax: number | null;
}

async function search(name: string, { seed, runsMax, secondsMax }: SearchOptions): Promise<InjectedRow["searches"][0]> {
  const request = { seed, runs: runsMax, isDescending: false, stopsAtFailure: true, isSteered: false };
  const result = await runInProcesses({ ...request, processes: 1, injected: name, secondsMax });
  return { seed, runs: result.runs, isFound: result.failures.length > 0 };
}

/** A search for an injected fault, and the run that found it. */
export interface QuickResult {
  readonly name: string;
  /** The number of runs. */
  readonly runs: number;
  /** Null if none broke an invariant. */
  readonly failure: Failure | null;
  /** Whether the run broke the same invariant, with the same trace, in another process that ran nothing else. */
  readonly isRepeated: boolean;
}

/** One search, whose end does not depend on time: the same seed has the same result on every machine. */
export async function searchTwice(
  name: string,
  { seed, runsMax }: Pick<SearchOptions, "seed" | "runsMax">,
  run: typeof runInProcesses = runInProcesses,
): Promise<QuickResult> {
  const request = {
    isDescending: false,
    stopsAtFailure: true,
    isSteered: false,
    processes: 1,
    injected: name,
    secondsMax: null,
  };
  const found = await run({ ...request, seed, runs: runsMax });
  const [failure = null] = found.failures;
  if (failure === null) return { name, runs: found.runs, failure, isRepeated: false };
  const again = await run({ ...request, seed: failure.seed, runs: 1 });
  const isRepeated =
    again.digests[0] === found.digests.at(-1) &&
    again.failures[0]?.violation?.invariant === failure.violation?.invariant;
  return { name, runs: found.runs, failure, isRepeated };
}

/** Several searches for one injected fault, each from a different seed. */
async function searchOften(name: string, options: SearchOptions): Promise<InjectedRow> {
  const searches: InjectedRow["searches"][0][] = [];
  for (let index = 0; index < SEARCHES; index++) {
    const found = await search(name, { ...options, seed: options.seed + index * SEARCH_DISTANCE });
    searches.push(found);
  }
  return { name, searches };
}

/** Calls `work` with each name, `processes` of them at a time. */
async function forEach(
  names: readonly string[],
  processes: number,
  work: (name: string) => Promise<void>,
): Promise<void> {
  const waiting = [...names];
  const runShare = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await work(name);
  };
  await Promise.all(Array.from({ length: processes }, runShare));
}

/** Searches for several injected faults side by side; `onRow` is called with each when it is done. */
export async function searchInjected(
  names: readonly string[],
  options: SearchOptions & { readonly processes: number },
  onRow: (row: InjectedRow) => void,
): Promise<readonly InjectedRow[]> {
  const rows: InjectedRow[] = [];
  await forEach(names, options.processes, async (name) => {
    const row = await searchOften(name, options);
    rows.push(row);
    onRow(row);
  });
  return rows;
}

/** Searches once for each injected fault that is found quickly. `onResult` is called with each result. */
export async function searchQuickly(
  options: Pick<SearchOptions, "seed" | "runsMax"> & { readonly processes: number },
  onResult: (result: QuickResult) => void,
): Promise<readonly QuickResult[]> {
  const results: QuickResult[] = [];
  await forEach(QUICKLY_FOUND, options.processes, async (name) => {
    const result = await searchTwice(name, options);
    results.push(result);
    onResult(result);
  });
  return results;
}
