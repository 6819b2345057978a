/** What the file of `--roles` would have to say for the chain to be as decided. */
import type { CheckResult, RolesEntry } from "./target.ts";

/** One entry for each path. A path that several contracts answer differently is left out: no file can say both. */
export function listRolesChanges(results: readonly CheckResult[]): readonly RolesEntry[] {
  const entries = new Map<string, RolesEntry | null>();
  for (const { rolesEntry } of results) {
    if (rolesEntry === undefined) continue;
    const known = entries.get(rolesEntry.path);
    const isSame = known === undefined || known?.value === rolesEntry.value;
    entries.set(rolesEntry.path, isSame ? rolesEntry : null);
  }
  return [...entries.values()].filter((entry) => entry !== null);
}
