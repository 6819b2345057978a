import type { Address, Hex } from "viem";
import type { ContractFigures, Deployment } from "../../../ports/chain.ts";
import { agentIdentityAbi, rewardsV2Abi } from "../abi.ts";
import type { Rpc } from "../rpc.ts";
import { PreparedViews } from "./prepared-views.ts";

/** What the contracts say of all wallets together. */
const prepareTotals = ({ identity, rewards }: Pick<Deployment, "identity" | "rewards">) =>
  new PreparedViews([
    { address: identity, abi: agentIdentityAbi, functionName: "totalSupply" },
    { address: rewards, abi: rewardsV2Abi, functionName: "caps" },
    { address: rewards, abi: rewardsV2Abi, functionName: "getDailyRemaining" },
    { address: rewards, abi: rewardsV2Abi, functionName: "getWeeklyRemaining" },
  ]);

/** Reads the contracts' own figures after one block, in one request, for comparison with the indexed events. */
export class AuditReader {
  readonly #rpc: Rpc;
  readonly #deployment: Pick<Deployment, "identity" | "rewards">;
  readonly #totals: ReturnType<typeof prepareTotals>;

  constructor(rpc: Rpc, deployment: Pick<Deployment, "identity" | "rewards">) {
    this.#rpc = rpc;
    this.#deployment = deployment;
    this.#totals = prepareTotals(deployment);
  }

  #prepareAccounts(wallets: readonly Address[]) {
    const view = { address: this.#deployment.rewards, abi: rewardsV2Abi, functionName: "accountOf" } as const;
    return new PreparedViews(wallets.map((wallet) => ({ ...view, args: [wallet] as const })));
  }

  #preparePrimaries(wallets: readonly Address[]) {
    const view = {
      address: this.#deployment.identity,
      abi: agentIdentityAbi,
      functionName: "primaryIdentity",
    } as const;
    return new PreparedViews(wallets.map((wallet) => ({ ...view, args: [wallet] as const })));
  }

  readFigures(wallets: readonly Address[], block: number): Promise<ContractFigures> {
    return this.#rpc.withDeadline(async (client) => {
      const blockNumber = BigInt(block);
      const [header, [identities, [dailyCap, weeklyCap], dailyRemaining, weeklyRemaining], accounts, primaries] =
        await Promise.all([
          client.getBlock({ blockNumber }),
          this.#totals.read(client, blockNumber),
          this.#prepareAccounts(wallets).read(client, blockNumber),
          this.#preparePrimaries(wallets).read(client, blockNumber),
        ]);
      return {
        block,
        hash: header.hash as Hex,
        timestamp: Number(header.timestamp),
        wallets: wallets.map((wallet, index) => {
          const { scorebank, firstPlayAt, lastPayoutAt, lastSnapshotAt, snapshots } = accounts[index]!;
          return {
            wallet,
            snapshots: BigInt(snapshots),
            scorebank,
            firstPlayAt: BigInt(firstPlayAt),
            lastSnapshotAt: BigInt(lastSnapshotAt),
            lastPayoutAt: BigInt(lastPayoutAt),
            primaryIdentity: primaries[index]!,
          };
        }),
        totals: { identities, dailyCap, weeklyCap, dailyRemaining, weeklyRemaining },
      };
    });
  }
}
