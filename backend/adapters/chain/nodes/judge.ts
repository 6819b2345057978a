import type { Hex } from "viem";

/** A node's head is trusted if it is at most this many blocks behind the best one. */
export const HEAD_LAG_MAX_BLOCKS = 3;

/** The last blocks of the chain as one node reports them: the number of its head, and the hashes from the head down. */
export interface NamedChain {
  readonly number: number;
  readonly hashes: readonly Hex[];
}

/**
 * The best head: the highest one that a second node reaches within the lag, so that a single node cannot invent it. If
 * no two nodes agree, the highest one. Null without heads.
 */
export function findBestHead(numbers: readonly number[]): number | null {
  const falling = [...numbers].sort((a, b) => b - a);
  const confirmed = falling.find((number, index) => number - (falling[index + 1] ?? -Infinity) <= HEAD_LAG_MAX_BLOCKS);
  return confirmed ?? falling[0] ?? null;
}

/** Why a node with this head is not used; null if its head is trusted. */
export function findHeadProblem(number: number, best: number): string | null {
  if (best - number > HEAD_LAG_MAX_BLOCKS) return `is ${best - number} blocks behind`;
  if (number - best > HEAD_LAG_MAX_BLOCKS) return `is ${number - best} blocks ahead of the others`;
  return null;
}

/**
 * The chains that are not trusted because the others differ, in node order, each with the lowest block number that
 * differs. Compares the blocks that the two best heads have in common, from the lowest up.
 */
export function findOutvoted(chains: readonly NamedChain[]): ReadonlyMap<NamedChain, number> {
  const outvoted = new Map<NamedChain, number>();
  const best = findBestHead(chains.map(({ number }) => number)) ?? 0;
  const near = chains.filter(({ number }) => number <= best);
  // Above the second-highest head there is nothing to compare.
  const second = near.map(({ number }) => number).sort((a, b) => b - a)[1];
  if (second === undefined || best - second > HEAD_LAG_MAX_BLOCKS) return outvoted;
  const lowest = second - HEAD_LAG_MAX_BLOCKS;
  for (let number = lowest; number <= second; number++) {
    const believed = near.filter((chain) => chain.number >= lowest && !outvoted.has(chain));
    const voters = believed.filter((chain) => findHash(chain, number) !== undefined);
    const hash = chooseHash(
      voters.map((chain) => findHash(chain, number)!),
      believed.some((chain) => chain.number < number),
    );
    for (const chain of voters) if (findHash(chain, number) !== hash) outvoted.set(chain, number);
  }
  return outvoted;
}

const findHash = ({ number, hashes }: NamedChain, at: number): Hex | undefined => hashes[number - at];

/**
 * The hash reported by most nodes. In a tie: null while another node has not reached this block (its head stays trusted
 * until then), else the first node's hash, so that the choice is stable.
 */
function chooseHash(hashes: readonly Hex[], isOneBelow: boolean): Hex | null {
  const count = (hash: Hex): number => hashes.filter((other) => other === hash).length;
  const most = Math.max(...hashes.map(count));
  const first = hashes.find((hash) => count(hash) === most) ?? null;
  const isTie = hashes.some((hash) => hash !== first && count(hash) === most);
  return isTie && isOneBelow ? null : first;
}
