import type { Address, Hex, PublicClient } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import { parseReadinessReasons } from "../../../../domain/rewards.ts";
import type { Deployment, Readiness, RewardsState } from "../../../ports/chain.ts";
import { rewardsV2Abi, rewardTokenAbi } from "../abi.ts";
import type { Rpc } from "../rpc.ts";
import { readHead } from "./blocks.ts";
import { PreparedViews } from "./prepared-views.ts";
import { findView, readView } from "./views.ts";

const IS_SESSION_CONSUMED = findView(rewardsV2Abi, "isSessionConsumed");
const OPERATOR_ROLE = findView(rewardsV2Abi, "OPERATOR_ROLE");
const HAS_ROLE = findView(rewardsV2Abi, "hasRole");

/** What the contract says of all wallets together. */
const prepareState = ({ rewards, token }: Pick<Deployment, "rewards" | "token">) =>
  new PreparedViews([
    { address: token, abi: rewardTokenAbi, functionName: "totalSupply" },
    { address: rewards, abi: rewardsV2Abi, functionName: "floatBalance" },
    { address: rewards, abi: rewardsV2Abi, functionName: "caps" },
    { address: rewards, abi: rewardsV2Abi, functionName: "scoreToTokenRate" },
  ]);

/** The contract RewardsV2. */
export class RewardsReader {
  readonly #rpc: Rpc;
  readonly #rewards: { readonly address: Address; readonly abi: typeof rewardsV2Abi };
  readonly #state: ReturnType<typeof prepareState>;

  constructor(rpc: Rpc, deployment: Pick<Deployment, "rewards" | "token">) {
    this.#rpc = rpc;
    this.#rewards = { address: deployment.rewards, abi: rewardsV2Abi };
    this.#state = prepareState(deployment);
  }

  getReadiness(wallet: Address): Promise<Readiness> {
    return this.#rpc.withDeadline((client) => this.#readReadiness(client, wallet));
  }

  getRewardsState(): Promise<RewardsState> {
    return this.#rpc.withDeadline(async (client) => {
      const asOf = await readHead(client);
      const state = await this.#state.read(client, BigInt(asOf.number));
      const [totalSupply, float, [dailyCap, weeklyCap], scoreToTokenRate] = state;
      return { totalSupply, float, dailyCap, weeklyCap, scoreToTokenRate, asOf };
    });
  }

  isSessionConsumed(wallet: Address, gameSessionHash: Hex): Promise<boolean> {
    const { address } = this.#rewards;
    const view = { address, view: IS_SESSION_CONSUMED, args: [wallet, gameSessionHash] };
    return this.#rpc.withDeadline((client) => readView(client, view) as Promise<boolean>);
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
    const views = new PreparedViews([
      { ...this.#rewards, functionName: "readiness", args: [wallet] },
      { ...this.#rewards, functionName: "getScorebank", args: [wallet] },
      { ...this.#rewards, functionName: "getDailyRemaining" },
      { ...this.#rewards, functionName: "getWeeklyRemaining" },
      { ...this.#rewards, functionName: "floatBalance" },
      { ...this.#rewards, functionName: "scoreToTokenRate" },
    ]);
    // The local chain mines no block between transactions: only its pending block has the present time.
    const block = isLocalChain(this.#rpc.chainId) ? "pending" : BigInt(asOf.number);
    const [[ready, reasons, nextPayoutAt, amount], scorebank, dailyRemaining, weeklyRemaining, float, rate] =
      await views.read(client, block);
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
