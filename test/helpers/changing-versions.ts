import type { Versions } from "../../backend/ports/versions.ts";

/** Every fact is new at each look, so that no response that tells of one is kept. */
export function createChangingVersions(): Versions {
  let last = 0;
  const next = (): number => ++last;
  return { standings: next, runs: next, league: next, live: next, chain: () => String(next()), day: next };
}
