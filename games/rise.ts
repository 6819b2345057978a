/** How difficulty grows in the games: without end, and never beyond a limit. */

/**
 * A whole number that grows with distance from 0 towards `limit`, half of which it reaches at `halfway`:
 * `floor(limit * distance / (distance + halfway))`.
 */
export function rise(distance: number, limit: number, halfway: number): number {
  return Math.floor((limit * distance) / (distance + halfway));
}
