/** A node's head is believed when it is not behind the best by more blocks. */
const HEAD_LAG_MAX_BLOCKS = 3;

/**
 * The best head: the highest one that a second node reaches within the lag, so that one node cannot invent it; where no
 * two nodes agree, the highest one. Null without heads.
 */
export function findBestHead(numbers: readonly number[]): number | null {
  const falling = [...numbers].sort((a, b) => b - a);
  const confirmed = falling.find((number, index) => number - (falling[index + 1] ?? -Infinity) <= HEAD_LAG_MAX_BLOCKS);
  return confirmed ?? falling[0] ?? null;
}

/** Why a node with this head is not used; null where its head is believed. */
export function findHeadProblem(number: number, best: number): string | null {
  if (best - number > HEAD_LAG_MAX_BLOCKS) return `is ${best - number} blocks behind`;
  if (number - best > HEAD_LAG_MAX_BLOCKS) return `is ${number - best} blocks ahead of the others`;
  return null;
}
