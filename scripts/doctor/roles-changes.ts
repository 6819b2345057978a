/** The changes of the roles file that would make it match the chain. */
import type { CheckResult, RolesEntry } from "./target.ts";

/** Values of the whole file that may also be under `next`, while some contracts have the old value. */
const canBeNext = (path: string): boolean => /^(admin|guardian|operator|adminDelaySeconds)$/.test(path);

/** One entry per path. A path with different values in several contracts is left out: no file can have both. */
export function listRolesChanges(results: readonly CheckResult[]): readonly RolesEntry[] {
  const entries = new Map<string, RolesEntry | null>();
  const decidedPaths = new Set(results.map(({ decidedPath }) => decidedPath));
  for (const { rolesEntry, status } of results) {
    if (rolesEntry === undefined) continue;
    const isPartial = canBeNext(rolesEntry.path) && decidedPaths.has(rolesEntry.path);
    // A planned value stays under `next` until every contract has it.
    if (isPartial && status === "ok") continue;
    const path = isPartial ? `next.${rolesEntry.path}` : rolesEntry.path;
    const known = entries.get(path);
    const isSame = known === undefined || known?.value === rolesEntry.value;
    entries.set(path, isSame ? { path, value: rolesEntry.value } : null);
  }
  return [...entries.values()].filter((entry) => entry !== null);
}
