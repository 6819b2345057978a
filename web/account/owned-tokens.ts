/** The tokens that a wallet holds, read from the chain. */
import { parseAbi } from "viem";
import type { Address } from "../../client/api.ts";
import type { Account } from "../wallet/account.ts";

export interface OwnedToken {
  /** `identity` or a game's slug. */
  readonly collection: string;
  readonly contract: Address;
  readonly tokenId: string;
}

const ABI = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "function ownerOf(uint256 tokenId) view returns (address)",
]);

/** Identities and game NFTs of the wallet, by collection. Throws the node's errors. */
export async function listOwnedTokens({ address, publicClient, chain }: Account): Promise<readonly OwnedToken[]> {
  const { identity, nft } = chain.contracts;
  const collections = [["identity", identity] as const, ...Object.entries(nft)];
  const found = await Promise.all(
    collections.map(async ([collection, contract]) => {
      const received = await publicClient.getContractEvents({
        address: contract,
        abi: ABI,
        eventName: "Transfer",
        args: { to: address },
        fromBlock: BigInt(chain.startBlock),
      });
      const ids = [...new Set(received.map(({ args }) => args.tokenId!))];
      const owners = await Promise.all(
        ids.map((id) =>
          publicClient
            .readContract({ address: contract, abi: ABI, functionName: "ownerOf", args: [id] })
            // A token that was burned has no owner.
            .catch(() => null),
        ),
      );
      return ids
        .filter((_, index) => owners[index]?.toLowerCase() === address.toLowerCase())
        .map((id): OwnedToken => ({ collection, contract, tokenId: id.toString() }));
    }),
  );
  return found.flat();
}
