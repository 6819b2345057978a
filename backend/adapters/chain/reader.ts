import type { MulticallResponse, PublicClient } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import { reasonsOf } from "../../domain/rewards.ts";
import type {
  ChainReader,
  Deployment,
  Head,
  Readiness,
  Receipt,
  ReceiptEvent,
  RewardsFacts,
  TokenInfo,
} from "../../ports.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi, rewardTokenAbi } from "./abi.ts";
import { isLocalChain } from "./chain-id.ts";
import { askContractWallet } from "./contract-wallet.ts";
import { decodeLog } from "./events.ts";
import { findRevert, findRpcError, type Rpc, unavailable } from "./rpc.ts";
import { readDomain, readIsOperator, readIsSigner, readSigners } from "./signing-facts.ts";

type Address = `0x${string}`;

/** viem would split a multicall by size; one `eth_call` is what makes its values belong together. */
export const ONE_CALL = { deployless: true, batchSize: 0 } as const;

/** The value of one call in a multicall; null where the contract reverted. Throws what is not the contract's answer. */
export function answerOf<T>(response: MulticallResponse<T, Error, true>): T | null {
  if (response.status === "success") return response.result;
  if (findRevert(response.error) !== null) return null;
  throw response.error;
}

const headOf = async (client: PublicClient): Promise<Head> => {
  const { number, hash, timestamp } = await client.getBlock({ blockTag: "latest" });
  return { number: Number(number), hash, timestamp: Number(timestamp) };
};

export interface ReaderOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  /** Blocks on top of one before it is called safe. */
  readonly confirmations: number;
}

/** Reads the chain; every answer within 6 s or `CHAIN_UNAVAILABLE`. Views that belong together are one `eth_call`. */
export function createReader({ rpc, deployment, confirmations }: ReaderOptions): ChainReader {
  const { guard } = rpc;
  const identity = { address: deployment.identity, abi: agentIdentityAbi } as const;
  const rewards = { address: deployment.rewards, abi: rewardsV2Abi } as const;
  const token = { address: deployment.token, abi: rewardTokenAbi } as const;
  let tokenInfo: TokenInfo | null = null;

  const nftOf = (slug: string) => {
    const address = deployment.nft[slug];
    if (address === undefined) throw new ArcadeError("GAME_NOT_FOUND", `There is no game NFT of "${slug}".`);
    return { address, abi: gameNFTAbi } as const;
  };

  async function readReadiness(client: PublicClient, wallet: Address): Promise<Readiness> {
    const asOf = await headOf(client);
    // A chain that mines on demand stands still between transactions: there the next block is asked, whose time runs.
    const at = isLocalChain(rpc.chainId) ? { blockTag: "pending" as const } : { blockNumber: BigInt(asOf.number) };
    const [[ready, reasons, nextPayoutAt, amount], scorebank, dailyRemaining, weeklyRemaining, float] =
      await client.multicall({
        ...ONE_CALL,
        ...at,
        allowFailure: false,
        contracts: [
          { ...rewards, functionName: "readiness", args: [wallet] },
          { ...rewards, functionName: "getScorebank", args: [wallet] },
          { ...rewards, functionName: "getDailyRemaining" },
          { ...rewards, functionName: "getWeeklyRemaining" },
          { ...rewards, functionName: "floatBalance" },
        ],
      });
    const caps = { dailyRemaining, weeklyRemaining, float };
    return { ready, reasons: reasonsOf(reasons), scorebank, amount, nextPayoutAt: Number(nextPayoutAt), caps, asOf };
  }

  async function readIdentityAt(wallet: Address, block: number): Promise<bigint | null> {
    const read = (client: PublicClient) =>
      client.readContract({
        ...identity,
        functionName: "primaryIdentity",
        args: [wallet],
        blockNumber: BigInt(block),
      });
    try {
      // A node that forgot the block says so by an error of its own, which must not count as the node's absence.
      const agentId = await guard(read, { answers: "errors" });
      return agentId === 0n ? null : agentId;
    } catch (error) {
      if (findRpcError(error) === null) throw error;
      throw unavailable(`it does not keep the state of block ${block}`);
    }
  }

  async function readRewardsFacts(client: PublicClient): Promise<RewardsFacts> {
    const asOf = await headOf(client);
    const [totalSupply, float, [dailyCap, weeklyCap], scoreToTokenRate] = await client.multicall({
      ...ONE_CALL,
      blockNumber: BigInt(asOf.number),
      allowFailure: false,
      contracts: [
        { ...token, functionName: "totalSupply" },
        { ...rewards, functionName: "floatBalance" },
        { ...rewards, functionName: "caps" },
        { ...rewards, functionName: "scoreToTokenRate" },
      ],
    });
    return { totalSupply, float, dailyCap, weeklyCap, scoreToTokenRate, asOf };
  }

  async function readIdentity(client: PublicClient, agentId: bigint) {
    const [owner, uri] = await client.multicall({
      ...ONE_CALL,
      contracts: [
        { ...identity, functionName: "ownerOf", args: [agentId] },
        { ...identity, functionName: "tokenURI", args: [agentId] },
      ],
    });
    const [ownerAddress, tokenURI] = [answerOf(owner), answerOf(uri)];
    return ownerAddress === null || tokenURI === null ? null : { owner: ownerAddress, tokenURI };
  }

  async function readGameNft(client: PublicClient, slug: string, tokenId: bigint) {
    const nft = nftOf(slug);
    const [owner, record] = await client.multicall({
      ...ONE_CALL,
      contracts: [
        { ...nft, functionName: "ownerOf", args: [tokenId] },
        { ...nft, functionName: "recordOf", args: [tokenId] },
      ],
    });
    const [ownerAddress, fields] = [answerOf(owner), answerOf(record)];
    if (ownerAddress === null || fields === null) return null;
    return { owner: ownerAddress, score: fields.score, tier: fields.tier };
  }

  async function readReceipt(client: PublicClient, txHash: Address): Promise<Receipt | null> {
    const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [txHash] });
    if (receipt === null || receipt.blockNumber === null) return null;
    const events = receipt.logs
      .map((log) => decodeLog(deployment, log))
      .filter((event): event is ReceiptEvent => event !== null);
    const status = receipt.status === "0x1" ? "success" : "reverted";
    return { txHash, status, block: Number(receipt.blockNumber), blockHash: receipt.blockHash, events };
  }

  async function readToken(client: PublicClient): Promise<TokenInfo> {
    const [name, symbol, decimals] = await client.multicall({
      ...ONE_CALL,
      allowFailure: false,
      contracts: [
        { ...token, functionName: "name" },
        { ...token, functionName: "symbol" },
        { ...token, functionName: "decimals" },
      ],
    });
    return { address: deployment.token, name, symbol, decimals };
  }

  async function readFinality(client: PublicClient) {
    const number = Number(await client.getBlockNumber());
    const safe = Math.max(0, number - confirmations);
    if (isLocalChain(rpc.chainId)) return { safe, final: safe };
    const finalized = await client.getBlock({ blockTag: "finalized" });
    return { safe, final: Math.min(safe, Number(finalized.number)) };
  }

  return {
    deployment,
    head: () => guard(headOf),
    finality: () => guard(readFinality),
    balanceOf: (address) =>
      guard((client) => client.readContract({ ...token, functionName: "balanceOf", args: [address] })),
    identityOf: (wallet) =>
      guard(async (client) => {
        const agentId = await client.readContract({ ...identity, functionName: "primaryIdentity", args: [wallet] });
        return agentId === 0n ? null : agentId;
      }),
    identityAt: (wallet, block) => readIdentityAt(wallet, block),
    identity: (agentId) => guard((client) => readIdentity(client, agentId)),
    mintNonceOf: (wallet) =>
      guard((client) => client.readContract({ ...identity, functionName: "mintNonces", args: [wallet] })),
    readiness: (wallet) => guard((client) => readReadiness(client, wallet)),
    rewardsFacts: () => guard(readRewardsFacts),
    isSessionConsumed: (wallet, gameSessionHash) =>
      guard((client) =>
        client.readContract({ ...rewards, functionName: "isSessionConsumed", args: [wallet, gameSessionHash] }),
      ),
    gameNft: (slug, tokenId) => guard((client) => readGameNft(client, slug, tokenId)),
    receipt: (txHash) => guard((client) => readReceipt(client, txHash)),
    token: async () => {
      tokenInfo ??= await guard(readToken);
      return tokenInfo;
    },
    hasCode: (address) => guard(async (client) => ((await client.getCode({ address })) ?? "0x") !== "0x"),
    isSigner: (contract, account) => readIsSigner(rpc, contract, account),
    signersOf: (contract) => readSigners(rpc, contract),
    isOperator: (account) => readIsOperator(rpc, deployment.rewards, account),
    domainOf: (contract) => readDomain(rpc, contract),
    isValidSignature: (wallet, digest, signature) => askContractWallet(rpc, wallet, digest, signature),
  };
}
