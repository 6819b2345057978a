/** The changes of the file of `--roles` by which the chain would be as decided. */
import type { CheckResult, RolesEntry } from "./target.ts";

/** Values of the whole file that may also be below `next`, while some contracts have the old value. */
const canBeNext = (path: string): boolean => /^(admin|guardian|operator|adminDelaySeconds)$/.test(path);

/** One entry for each path. A path that several contracts answer differently is left out: no file can have both. */
export function listRolesChanges(results: readonly CheckResult[]): readonly RolesEntry[] {
  const entries = new Map<string, RolesEntry | null>();
  const decidedPaths = new Set(results.map(({ decidedPath }) => decidedPath));
  for (const { rolesEntry, status } of results) {
    if (rolesEntry === undefined) continue;
    const isPartial = canBeNext(rolesEntry.path) && decidedPaths.has(rolesEntry.path);
    // What is planned already stays below `next` until every contract has it.
    if (isPartial && status === "ok") continue;
    const path = isPartial ? `next.${rolesEntry.path}` : rolesEntry.path;
    const known = entries.get(path);
    const isSame = known === undefined || known?.value === rolesEntry.value;
    entries.set(path, isSame ? { path, value: rolesEntry.value } : null);
  }
  return [...entries.values()].filter((entry) => entry !== null);
}
