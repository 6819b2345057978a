import type { Address } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { Deployment, GameNftRecord, TokenInfo } from "../../../ports/chain.ts";
import { gameNFTAbi, rewardTokenAbi } from "../abi.ts";
import type { Rpc } from "../rpc.ts";
import { getCallResult, SINGLE_CALL } from "./multicall.ts";

/** The reward token and the games' NFTs. */
export class TokenReader {
  readonly #rpc: Rpc;
  readonly #deployment: Pick<Deployment, "token" | "nft">;
  /** Name, symbol and decimals never change. */
  #tokenInfo: TokenInfo | null = null;

  constructor(rpc: Rpc, deployment: Pick<Deployment, "token" | "nft">) {
    this.#rpc = rpc;
    this.#deployment = deployment;
  }

  getBalance(address: Address): Promise<bigint> {
    return this.#rpc.withDeadline((client) =>
      client.readContract({
        address: this.#deployment.token,
        abi: rewardTokenAbi,
        functionName: "balanceOf",
        args: [address],
      }),
    );
  }

  async getTokenInfo(): Promise<TokenInfo> {
    const { token: address } = this.#deployment;
    const token = { address, abi: rewardTokenAbi } as const;
    this.#tokenInfo ??= await this.#rpc.withDeadline(async (client) => {
      const [name, symbol, decimals] = await client.multicall({
        ...SINGLE_CALL,
        allowFailure: false,
        contracts: [
          { ...token, functionName: "name" },
          { ...token, functionName: "symbol" },
          { ...token, functionName: "decimals" },
        ],
      });
      return { address, name, symbol, decimals };
    });
    return this.#tokenInfo;
  }

  async getGameNft(slug: string, tokenId: bigint): Promise<GameNftRecord | null> {
    const address = this.#deployment.nft[slug];
    if (address === undefined) throw new ArcadeError("GAME_NOT_FOUND", `There is no game NFT of "${slug}".`);
    const nft = { address, abi: gameNFTAbi } as const;
    return this.#rpc.withDeadline(async (client) => {
      const [ownerResult, recordResult] = await client.multicall({
        ...SINGLE_CALL,
        contracts: [
          { ...nft, functionName: "ownerOf", args: [tokenId] },
          { ...nft, functionName: "recordOf", args: [tokenId] },
        ],
      });
      const owner = getCallResult(ownerResult);
      const record = getCallResult(recordResult);
      return owner === null || record === null ? null : { owner, score: record.score, tier: record.tier };
    });
  }
}
