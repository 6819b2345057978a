import type { Address } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import { gameNFTAbi, rewardTokenAbi } from "../../../../domain/typed-data/contract-abis.ts";
import type { Deployment, GameNftRecord, TokenInfo } from "../../../ports/chain.ts";
import type { Rpc } from "../rpc.ts";
import { readAll, readEach } from "./multicall.ts";

export function createTokenReads(rpc: Rpc, deployment: Pick<Deployment, "token" | "nft">) {
  const { token: address, nft } = deployment;
  const token = { address, abi: rewardTokenAbi };
  /** Name, symbol and decimals never change. */
  let tokenInfo: TokenInfo | null = null;
  return {
    getBalance: (holder: Address) =>
      rpc.withDeadline((client) => client.readContract({ ...token, functionName: "balanceOf", args: [holder] })),

    getTokenInfo: async (): Promise<TokenInfo> => {
      tokenInfo ??= await rpc.withDeadline(async (client) => {
        const views = [
          { ...token, functionName: "name" },
          { ...token, functionName: "symbol" },
          { ...token, functionName: "decimals" },
        ] as const;
        const [name, symbol, decimals] = await readAll(client, views, { blockTag: "latest" });
        return { address, name, symbol, decimals };
      });
      return tokenInfo;
    },

    getGameNft: async (slug: string, tokenId: bigint): Promise<GameNftRecord | null> => {
      const collection = nft[slug];
      if (collection === undefined)
        throw new ArcadeError(
          "GAME_NOT_FOUND",
          `Expected a game with an NFT, received "${slug}". List the games at GET /api/games.`,
        );
      const view = { address: collection, abi: gameNFTAbi, args: [tokenId] } as const;
      const views = [
        { ...view, functionName: "ownerOf" },
        { ...view, functionName: "recordOf" },
      ] as const;
      const [owner, record] = await rpc.withDeadline((client) => readEach(client, views, { blockTag: "latest" }));
      return owner === null || record === null ? null : { owner, score: record.score, tier: record.tier };
    },
  };
}
