/** Reorganizations of the chain. */
import type { Random } from "../../../testing/random.ts";
import type { Chain } from "../chain/chain.ts";
import type { EventLoop } from "../world/event-loop.ts";
import { mark } from "./coverage.ts";
import { OTHER_PROGRAM } from "./transaction-rows.ts";

interface ReorganizedWorld {
  readonly chain: Chain;
  readonly loop: EventLoop;
  readonly randoms: { readonly chain: Random };
  readonly unixSeconds: number;
}

/** Blocks come every other second anyway. */
const FREQUENT_EVERY_MS = 2_000;

/** Drops the last blocks and makes others; each transaction is forgotten with this probability. */
export function reorganize(
  { chain, randoms, unixSeconds }: ReorganizedWorld,
  depth: number,
  forgotten: number,
  isSameLength: boolean,
): void {
  const before = chain.blocks.length;
  const hasTransactions = chain.blocks.slice(-depth).some(({ transactions }) => transactions.length > 0);
  if (hasTransactions) mark("fault", "reorg");
  chain.drop(depth, ({ hash }) => randoms.chain.chance(forgotten) && hash !== OTHER_PROGRAM);
  const length = isSameLength ? before - chain.blocks.length : depth + 1;
  for (let block = 0; block < length; block++) chain.mine(unixSeconds);
}

/** Replaces the last blocks, then mines an extra block between every two others. */
export function makeBlocks(world: ReorganizedWorld, forMs: number, depth: number): void {
  if (depth > 0) reorganize(world, depth, 0, false);
  for (let delayMs = FREQUENT_EVERY_MS / 2; delayMs < forMs; delayMs += FREQUENT_EVERY_MS)
    world.loop.schedule(delayMs, () => void world.chain.mine(world.unixSeconds));
}
