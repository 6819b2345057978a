/** How many lives it takes to find a planted fault. */
import { runInProcesses } from "./processes.ts";
import type { PlantedRow } from "./stored-runs.ts";

/** Searches begin so many seeds apart. */
const SEARCH_DISTANCE = 100_000;
/** An odd number, for a median. */
const SEARCHES = 3;

export interface SearchOptions {
  readonly seed: number;
  readonly livesMax: number;
  /** The time of one search; null: as many lives as are allowed. */
  readonly secondsMax: number | null;
}

async function search(name: string, { seed, livesMax, secondsMax }: SearchOptions): Promise<PlantedRow["searches"][0]> {
  const request = { seed, lives: livesMax, isDescending: false, stopsAtFailure: true };
  const result = await runInProcesses({ ...request, processes: 1, planted: name, secondsMax });
  return { seed, lives: result.lives, isFound: result.failures.length > 0 };
}

/** Several searches for one planted fault, each from a seed of its own. */
async function searchOften(name: string, options: SearchOptions): Promise<PlantedRow> {
  const searches: PlantedRow["searches"][0][] = [];
  for (let index = 0; index < SEARCHES; index++) {
    const found = await search(name, { ...options, seed: options.seed + index * SEARCH_DISTANCE });
    searches.push(found);
  }
  return { name, searches };
}

/** Searches for several planted faults side by side; `onRow` is called with each when it is done. */
export async function searchPlanted(
  names: readonly string[],
  options: SearchOptions & { readonly processes: number },
  onRow: (row: PlantedRow) => void,
): Promise<readonly PlantedRow[]> {
  const waiting = [...names];
  const rows: PlantedRow[] = [];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const row = await searchOften(name, options);
      rows.push(row);
      onRow(row);
    }
  };
  await Promise.all(Array.from({ length: options.processes }, work));
  return rows;
}
