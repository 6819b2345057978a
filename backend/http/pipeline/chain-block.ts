/**
 * Lets clients read their own writes at any server: a response contains the block that it is true at, and a request the
 * latest block that its client has seen.
 */
import { z } from "zod";
import { ArcadeError } from "../../../domain/errors.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import { requireBlock } from "../../services/chain-reads.ts";
import type { Route } from "../routing/route.ts";

export const MIN_BLOCK_HEADER = "Arcade-Min-Block";
export const BLOCK_HEADER = "Arcade-Block";

export const MIN_BLOCK = /^\d{1,15}$/;
const minBlock = z.string().regex(MIN_BLOCK).transform(Number);

/** Routes whose response depends on the chain and is created for one caller. */
export const dependsOnChain = ({ method, errors = [], localOnly }: Route): boolean =>
  method === "POST" && localOnly !== true && errors.includes("CHAIN_UNAVAILABLE");

/**
 * Waits until this server knows the request's block, and returns the response's block; null if none is known yet.
 * Throws `VALIDATION_FAILED` or `CHAIN_UNAVAILABLE`.
 */
export async function reachBlock(
  header: string | undefined,
  index: Pick<ChainIndex, "getStoredHead" | "waitForBlock">,
): Promise<number | null> {
  if (header !== undefined) {
    const { data, success } = minBlock.safeParse(header);
    if (!success)
      throw new ArcadeError("VALIDATION_FAILED", `${MIN_BLOCK_HEADER}: expected the number of a block, as digits.`, {
        issues: [{ path: `header.${MIN_BLOCK_HEADER.toLowerCase()}`, message: "expected 1 to 15 digits" }],
      });
    await requireBlock(index, data);
  }
  return index.getStoredHead()?.number ?? null;
}
