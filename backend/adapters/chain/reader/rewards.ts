import type { Address, Hex, PublicClient } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import { parseReadinessReasons } from "../../../../domain/rewards.ts";
import { rewardsV2Abi, rewardTokenAbi } from "../../../../domain/typed-data/contract-abis.ts";
import type { Deployment, Readiness, RewardsState } from "../../../ports/chain.ts";
import type { Rpc } from "../rpc.ts";
import { readHead } from "./blocks.ts";
import { readAll } from "./multicall.ts";

/** The contract RewardsV2. */
export function createRewardsReads(rpc: Rpc, deployment: Pick<Deployment, "rewards" | "token">) {
  const rewards = { address: deployment.rewards, abi: rewardsV2Abi };
  const token = { address: deployment.token, abi: rewardTokenAbi };

  async function readReadiness(client: PublicClient, wallet: Address): Promise<Readiness> {
    const asOf = await readHead(client);
    const [[ready, reasons, nextPayoutAt, amount], scorebank, dailyRemaining, weeklyRemaining, float, rate] =
      await readAll(
        client,
        [
          { ...rewards, functionName: "readiness", args: [wallet] },
          { ...rewards, functionName: "getScorebank", args: [wallet] },
          { ...rewards, functionName: "getDailyRemaining" },
          { ...rewards, functionName: "getWeeklyRemaining" },
          { ...rewards, functionName: "floatBalance" },
          { ...rewards, functionName: "scoreToTokenRate" },
        ],
        // The local chain mines no block between transactions: only its pending block has the current time.
        isLocalChain(rpc.chainId) ? { blockTag: "pending" } : { blockNumber: BigInt(asOf.number) },
      );
    return {
      ready,
      reasons: parseReadinessReasons(reasons),
      scorebank,
      points: amount / rate,
      amount,
      nextPayoutAt: Number(nextPayoutAt),
      caps: { dailyRemaining, weeklyRemaining, float },
      asOf,
    };
  }

  async function readState(client: PublicClient): Promise<RewardsState> {
    const asOf = await readHead(client);
    const [totalSupply, float, [dailyCap, weeklyCap], scoreToTokenRate] = await readAll(
      client,
      [
        { ...token, functionName: "totalSupply" },
        { ...rewards, functionName: "floatBalance" },
        { ...rewards, functionName: "caps" },
        { ...rewards, functionName: "scoreToTokenRate" },
      ],
      { blockNumber: BigInt(asOf.number) },
    );
    return { totalSupply, float, dailyCap, weeklyCap, scoreToTokenRate, asOf };
  }

  return {
    getReadiness: (wallet: Address) => rpc.withDeadline((client) => readReadiness(client, wallet)),

    getRewardsState: () => rpc.withDeadline(readState),

    isSessionConsumed: (wallet: Address, gameSessionHash: Hex) =>
      rpc.withDeadline((client) =>
        client.readContract({ ...rewards, functionName: "isSessionConsumed", args: [wallet, gameSessionHash] }),
      ),
  };
}
