/** The call that a flow expects for the mint or upgrade of an NFT. */
import type { Address } from "viem";
import type { CallExpectation } from "./check-call.ts";
import type { ArcadeClient } from "./client.ts";
import type { ArcadeContracts } from "./contracts.ts";
import { ArcadeChainError } from "./errors.ts";

/** Throws `CONTRACTS_UNKNOWN` for a game without a contract. */
function getNftContract(nft: ArcadeContracts["nft"], slug: string): Address {
  const address = Object.hasOwn(nft, slug) ? nft[slug] : undefined;
  if (address !== undefined) return address;
  throw new ArcadeChainError(
    "CONTRACTS_UNKNOWN",
    `Expected the NFT contract of ${slug} among the client's contracts, received those of ${Object.keys(nft).join(", ")}.`,
  );
}

/** The mint or upgrade of the wallet's NFT in this game. Throws `CONTRACTS_UNKNOWN`. */
export async function expectNftCall(
  client: ArcadeClient,
  slug: string,
  { wallet, action, score }: { readonly wallet: Address; readonly action: "mint" | "upgrade"; readonly score: number },
): Promise<CallExpectation> {
  const { chainId, nft } = await client.getContracts();
  return {
    chainId,
    to: getNftContract(nft, slug),
    functionName: action === "mint" ? "mintSigned" : "upgradeSigned",
    args: [wallet, undefined, String(score), undefined, undefined],
  };
}
