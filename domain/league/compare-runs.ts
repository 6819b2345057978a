/** Compares replayed runs with those of a round's file. Small enough for a page. */
import type { Run } from "./course.ts";

/** Whether the policy had to be stopped from outside. */
export const isStopped = (runs: readonly Pick<Run, "forfeit">[]): boolean =>
  runs.some(({ forfeit }) => forfeit?.reason === "stopped");

function compareRun(where: string, expected: Run, received: Run): string[] {
  // How far a process came before it was stopped depends on the machine.
  if (expected.forfeit?.reason === "stopped" && received.forfeit?.reason === "stopped") return [];
  const found: string[] = [];
  if (expected.moves !== received.moves) {
    const length = Math.max(expected.moves.length, received.moves.length);
    const at = Array.from({ length }, (_, index) => index).find((i) => expected.moves[i] !== received.moves[i])!;
    const [own, theirs] = [expected, received].map(({ moves }) => moves[at] ?? "nothing");
    found.push(`${where}: move of tick ${at + 1}: expected "${own}", the file has "${theirs}"`);
  }
  for (const field of ["score", "ticks", "fuel", "unknown", "forfeit"] as const) {
    const [own, theirs] = [expected, received].map((run) => JSON.stringify(run[field]));
    if (own !== theirs) found.push(`${where}: ${field}: expected ${own}, the file has ${theirs}`);
  }
  return found;
}

/** The differences between a player's replayed runs and those of the file. */
export const compareRuns = (id: string, expected: readonly Run[], received: readonly Run[]): string[] =>
  expected.flatMap((run, course) => {
    const other = received[course];
    return other === undefined ? [] : compareRun(`${id}, course ${course}`, run, other);
  });
