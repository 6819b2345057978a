import type { Address, Hex, PublicClient } from "viem";
import { isLocalChain } from "../../../domain/chain-ids.ts";
import { parseReadinessReasons } from "../../../domain/rewards.ts";
import type { Deployment, Readiness, RewardsState } from "../../../ports/chain.ts";
import { rewardsV2Abi, rewardTokenAbi } from "../abi.ts";
import type { Rpc } from "../rpc.ts";
import { readHead } from "./blocks.ts";
import { SINGLE_CALL } from "./multicall.ts";
import { findView, readView } from "./views.ts";

/** Each health check of the keys reads them. */
const OPERATOR_ROLE = findView(rewardsV2Abi, "OPERATOR_ROLE");
const HAS_ROLE = findView(rewardsV2Abi, "hasRole");

/** The contract RewardsV2. */
export class RewardsReader {
  readonly #rpc: Rpc;
  readonly #rewards: { readonly address: Address; readonly abi: typeof rewardsV2Abi };
  readonly #token: { readonly address: Address; readonly abi: typeof rewardTokenAbi };

  constructor(rpc: Rpc, deployment: Pick<Deployment, "rewards" | "token">) {
    this.#rpc = rpc;
    this.#rewards = { address: deployment.rewards, abi: rewardsV2Abi };
    this.#token = { address: deployment.token, abi: rewardTokenAbi };
  }

  getReadiness(wallet: Address): Promise<Readiness> {
    return this.#rpc.withDeadline((client) => this.#readReadiness(client, wallet));
  }

  getRewardsState(): Promise<RewardsState> {
    return this.#rpc.withDeadline(async (client) => {
      const asOf = await readHead(client);
      const [totalSupply, float, [dailyCap, weeklyCap], scoreToTokenRate] = await client.multicall({
        ...SINGLE_CALL,
        blockNumber: BigInt(asOf.number),
        allowFailure: false,
        contracts: [
          { ...this.#token, functionName: "totalSupply" },
          { ...this.#rewards, functionName: "floatBalance" },
          { ...this.#rewards, functionName: "caps" },
          { ...this.#rewards, functionName: "scoreToTokenRate" },
        ],
      });
      return { totalSupply, float, dailyCap, weeklyCap, scoreToTokenRate, asOf };
    });
  }

  isSessionConsumed(wallet: Address, gameSessionHash: Hex): Promise<boolean> {
    const call = {
      ...this.#rewards,
      functionName: "isSessionConsumed",
      args: [wallet, gameSessionHash],
    } as const;
    return this.#rpc.withDeadline((client) => client.readContract(call));
  }

  isOperator(account: Address): Promise<boolean> {
    const { address } = this.#rewards;
    return this.#rpc.withDeadline(async (client) => {
      const role = await readView(client, { address, view: OPERATOR_ROLE, args: [] });
      return (await readView(client, { address, view: HAS_ROLE, args: [role, account] })) as boolean;
    });
  }

  async #readReadiness(client: PublicClient, wallet: Address): Promise<Readiness> {
    const asOf = await readHead(client);
    // The local chain mines no block between transactions: only its pending block has the present time.
    const blockTarget = isLocalChain(this.#rpc.chainId)
      ? { blockTag: "pending" as const }
      : { blockNumber: BigInt(asOf.number) };
    const [[ready, reasons, nextPayoutAt, amount], scorebank, dailyRemaining, weeklyRemaining, float, rate] =
      await client.multicall({
        ...SINGLE_CALL,
        ...blockTarget,
        allowFailure: false,
        contracts: [
          { ...this.#rewards, functionName: "readiness", args: [wallet] },
          { ...this.#rewards, functionName: "getScorebank", args: [wallet] },
          { ...this.#rewards, functionName: "getDailyRemaining" },
          { ...this.#rewards, functionName: "getWeeklyRemaining" },
          { ...this.#rewards, functionName: "floatBalance" },
          { ...this.#rewards, functionName: "scoreToTokenRate" },
        ],
      });
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
}
