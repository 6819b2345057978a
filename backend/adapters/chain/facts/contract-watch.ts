import type { Address, PublicClient } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import { rewardsV2Abi, rewardTokenAbi } from "../../../../domain/typed-data/contract-abis.ts";
import type { Deployment, Head, TokenInfo } from "../../../ports/chain.ts";
import type { Log } from "../../../ports/system.ts";
import { readAll } from "../reader/multicall.ts";
import type { Rpc } from "../rpc.ts";
import { toLogFields } from "../rpc-errors.ts";

/** A short deadline for background reads, for which no request waits. */
const DEADLINE_MS = 3_000;

/** The contracts' state that is shared by all wallets, after one block. Amounts are token base units. */
export interface ContractState {
  readonly at: Head;
  /** How far the next block's earliest time is ahead of this machine's clock, in seconds; 0 on a public chain. */
  readonly clockLeadSeconds: number;
  readonly token: TokenInfo;
  readonly totalSupply: bigint;
  readonly float: bigint;
  readonly dailyCap: bigint;
  readonly weeklyCap: bigint;
  readonly maxPayout: bigint;
  readonly minScore: bigint;
  readonly cooldownSeconds: number;
  readonly scoreToTokenRate: bigint;
  readonly isPaused: boolean;
  /** All contracts that are paused. */
  readonly paused: readonly Address[];
  /** `lastPause()` of the rewards contract, unix seconds. */
  readonly pausedFrom: number;
  readonly pausedUntil: number;
}

export interface ContractWatchOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly log: Log;
}

/** Keeps the contracts' state as of the last indexed head, so that no request has to read it. */
export class ContractWatch {
  readonly #options: ContractWatchOptions;
  #state: ContractState | null = null;
  #reading: Promise<void> | null = null;

  constructor(options: ContractWatchOptions) {
    this.#options = options;
  }

  /** Null before the first read. */
  get state(): ContractState | null {
    return this.#state;
  }

  /** Reads the state after a new head. A failure keeps the last state. */
  update(head: Head): Promise<void> {
    // The time of the local chain's next block changes without a block.
    const isCurrent = this.#state?.at.hash === head.hash && !isLocalChain(this.#options.rpc.chainId);
    if (isCurrent) return Promise.resolve();
    this.#reading ??= this.#read(head)
      .catch((error: unknown) => this.#options.log.debug(toLogFields(error), "the contracts' state could not be read"))
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  async #read(at: Head): Promise<void> {
    const { rpc } = this.#options;
    this.#state = await rpc.withDeadline(
      async (client) => {
        const [values, clockLeadSeconds] = await Promise.all([
          this.#state?.at.hash === at.hash ? this.#state : this.#readValues(client, at),
          isLocalChain(rpc.chainId) ? this.#readClockLead(client) : 0,
        ]);
        return { ...values, at, clockLeadSeconds };
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** The local chain's clock may have been set forward; only its pending block shows it. */
  async #readClockLead(client: PublicClient): Promise<number> {
    const { timestamp } = await client.getBlock({ blockTag: "pending" });
    return Number(timestamp) - this.#options.rpc.getUnixSeconds();
  }

  async #readValues(client: PublicClient, at: Head): Promise<Omit<ContractState, "at" | "clockLeadSeconds">> {
    const { deployment } = this.#options;
    const rewards = { address: deployment.rewards, abi: rewardsV2Abi };
    const token = { address: deployment.token, abi: rewardTokenAbi };
    const views = [
      { ...token, functionName: "name" },
      { ...token, functionName: "symbol" },
      { ...token, functionName: "decimals" },
      { ...token, functionName: "totalSupply" },
      { ...rewards, functionName: "floatBalance" },
      { ...rewards, functionName: "caps" },
      { ...rewards, functionName: "maxPayout" },
      { ...rewards, functionName: "minScore" },
      { ...rewards, functionName: "payoutCooldown" },
      { ...rewards, functionName: "scoreToTokenRate" },
      { ...rewards, functionName: "lastPause" },
    ] as const;
    const pausable = [deployment.rewards, deployment.identity, ...Object.values(deployment.nft)];
    const pauses = pausable.map((address) => ({ address, abi: rewardsV2Abi, functionName: "paused" }));
    // viem infers no types from a list of any length.
    const all = [...views, ...pauses] as unknown as typeof views;
    const values = await readAll(client, all, { blockNumber: BigInt(at.number) });
    const [name, symbol, decimals, supply, float, [dailyCap, weeklyCap], maxPayout, minScore, cooldown, rate, pause] =
      values;
    const paused = pausable.filter((_, index) => (values as readonly unknown[])[views.length + index]);
    return {
      token: { address: token.address, name, symbol, decimals },
      totalSupply: supply,
      float,
      dailyCap,
      weeklyCap,
      maxPayout,
      minScore,
      isPaused: paused.includes(deployment.rewards),
      paused,
      pausedFrom: Number(pause[0]),
      pausedUntil: Number(pause[1]),
      cooldownSeconds: Number(cooldown),
      scoreToTokenRate: rate,
    };
  }
}
