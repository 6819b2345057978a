import type { ChainFacts } from "../../ports/chain.ts";

/**
 * The paused contracts, so that the operator learns of them before agents do; null if none is paused. `slugs` are the
 * games of this version; the addresses file may have more.
 */
export function findPauseProblem(
  { deployment, listPaused }: Pick<ChainFacts, "deployment" | "listPaused">,
  slugs: readonly string[],
): string | null {
  const { rewards, identity, nft } = deployment;
  const contracts = [
    ["rewards", rewards],
    ["identity", identity],
    ...slugs.map((slug) => [`nft.${slug}`, nft[slug]!] as const),
  ] as const;
  const paused = listPaused();
  const names = contracts.filter(([, address]) => paused.includes(address)).map(([name]) => name);
  if (names.length === 0) return null;
  return `paused on chain: ${names.join(", ")}; signed calls and payouts fail until the admin runs npm run admin -- chain unpause`;
}
