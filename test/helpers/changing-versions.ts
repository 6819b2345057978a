import type { Versions } from "../../backend/ports/versions.ts";

/** Every fact has a new version at each read, so that responses are never kept. */
export function createChangingVersions(): Versions {
  let last = 0;
  const next = (): number => ++last;
  return { standings: next, runs: next, league: next, live: next, chain: () => String(next()), day: next };
}
