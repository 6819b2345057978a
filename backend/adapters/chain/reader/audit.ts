import type { Address, Hex } from "viem";
import type { ContractFigures, Deployment } from "../../../ports/chain.ts";
import { agentIdentityAbi, rewardsV2Abi } from "../abi.ts";
import type { Rpc } from "../rpc.ts";
import { SINGLE_CALL } from "./multicall.ts";

/** Reads the contracts' own figures after one block, in one `eth_call`, for comparison with the indexed events. */
export class AuditReader {
  readonly #rpc: Rpc;
  readonly #identity: { readonly address: Address; readonly abi: typeof agentIdentityAbi };
  readonly #rewards: { readonly address: Address; readonly abi: typeof rewardsV2Abi };

  constructor(rpc: Rpc, { identity, rewards }: Deployment) {
    this.#rpc = rpc;
    this.#identity = { address: identity, abi: agentIdentityAbi };
    this.#rewards = { address: rewards, abi: rewardsV2Abi };
  }

  readFigures(wallets: readonly Address[], block: number): Promise<ContractFigures> {
    return this.#rpc.withDeadline(async (client) => {
      const blockNumber = BigInt(block);
      const call = { ...SINGLE_CALL, blockNumber, allowFailure: false } as const;
      const [header, [identities, [dailyCap, weeklyCap], dailyRemaining, weeklyRemaining], accounts, primaries] =
        await Promise.all([
          client.getBlock({ blockNumber }),
          client.multicall({
            ...call,
            contracts: [
              { ...this.#identity, functionName: "totalSupply" },
              { ...this.#rewards, functionName: "caps" },
              { ...this.#rewards, functionName: "getDailyRemaining" },
              { ...this.#rewards, functionName: "getWeeklyRemaining" },
            ],
          }),
          client.multicall({
            ...call,
            contracts: wallets.map((wallet) => ({
              ...this.#rewards,
              functionName: "accountOf" as const,
              args: [wallet] as const,
            })),
          }),
          client.multicall({
            ...call,
            contracts: wallets.map((wallet) => ({
              ...this.#identity,
              functionName: "primaryIdentity" as const,
              args: [wallet] as const,
            })),
          }),
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
