import type { Address, PublicClient } from "viem";
import { agentIdentityAbi, rewardsV2Abi } from "../../../../domain/typed-data/contract-abis.ts";
import type { ContractFigures, Deployment } from "../../../ports/chain.ts";
import type { Rpc } from "../rpc.ts";
import { readAll } from "./multicall.ts";

/** Reads the contracts' figures after one block, in one request, for comparison with the indexed events. */
export function createAuditReads(rpc: Rpc, deployment: Pick<Deployment, "identity" | "rewards">) {
  const identity = { address: deployment.identity, abi: agentIdentityAbi };
  const rewards = { address: deployment.rewards, abi: rewardsV2Abi };

  async function readTotals(client: PublicClient, blockNumber: bigint): Promise<ContractFigures["totals"]> {
    const [identities, [dailyCap, weeklyCap], dailyRemaining, weeklyRemaining] = await readAll(
      client,
      [
        { ...identity, functionName: "totalSupply" },
        { ...rewards, functionName: "caps" },
        { ...rewards, functionName: "getDailyRemaining" },
        { ...rewards, functionName: "getWeeklyRemaining" },
      ],
      { blockNumber },
    );
    return { identities, dailyCap, weeklyCap, dailyRemaining, weeklyRemaining };
  }
  const listAccountViews = (wallets: readonly Address[]) =>
    wallets.map((wallet) => ({ ...rewards, functionName: "accountOf", args: [wallet] }) as const);
  const listPrimaryViews = (wallets: readonly Address[]) =>
    wallets.map((wallet) => ({ ...identity, functionName: "primaryIdentity", args: [wallet] }) as const);

  return {
    readFigures: (wallets: readonly Address[], block: number): Promise<ContractFigures> =>
      rpc.withDeadline(async (client) => {
        const blockNumber = BigInt(block);
        const [header, totals, accounts, primaries] = await Promise.all([
          client.getBlock({ blockNumber }),
          readTotals(client, blockNumber),
          readAll(client, listAccountViews(wallets), { blockNumber }),
          readAll(client, listPrimaryViews(wallets), { blockNumber }),
        ]);
        return {
          block,
          hash: header.hash,
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
          totals,
        };
      }),
  };
}
