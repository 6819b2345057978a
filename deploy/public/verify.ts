import { setTimeout as wait } from "node:timers/promises";
import { type VerifyContractArgs, verifyContract } from "@nomicfoundation/hardhat-verify/verify";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { DeploymentRecord } from "../record.ts";

export type Explorer = "etherscan" | "sourcify";

export interface VerifyOutcome {
  readonly name: string;
  readonly address: `0x${string}`;
  readonly explorer: Explorer;
  readonly verified: boolean;
  readonly attempts: number;
  /** Why not, in the explorer's words; null where it is verified. */
  readonly reason: string | null;
}

export interface VerifyOptions {
  readonly runtime: HardhatRuntimeEnvironment;
  readonly record: DeploymentRecord;
  readonly explorers: readonly Explorer[];
  readonly attempts: number;
  /** Wait before the second attempt; doubles from one to the next. Explorers see a contract some blocks late. */
  readonly firstWaitMs: number;
  readonly tell: (outcome: VerifyOutcome) => void;
}

const SOURCES: { readonly [contract: string]: string } = {
  RewardToken: "contracts/RewardToken.sol:RewardToken",
  AgentIdentity: "contracts/AgentIdentity.sol:AgentIdentity",
  GameNFT: "contracts/GameNFT.sol:GameNFT",
  RewardsV2: "contracts/RewardsV2.sol:RewardsV2",
};

/** Every explorer says it in its own words. */
const isVerifiedAlready = (error: Error): boolean => /already (been )?verified/i.test(error.message);

async function verifyOne(
  { runtime, attempts, firstWaitMs }: VerifyOptions,
  name: string,
  args: VerifyContractArgs & { readonly address: `0x${string}` },
  explorer: Explorer,
): Promise<VerifyOutcome> {
  const outcome = { name, address: args.address, explorer };
  let reason = "";
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (attempt > 1) await wait(firstWaitMs * 2 ** (attempt - 2));
    try {
      await verifyContract({ ...args, provider: explorer }, runtime);
      return { ...outcome, verified: true, attempts: attempt, reason: null };
    } catch (error) {
      if (isVerifiedAlready(error as Error)) return { ...outcome, verified: true, attempts: attempt, reason: null };
      reason = (error as Error).message.trim().split("\n").filter(Boolean).join(" ");
    }
  }
  return { ...outcome, verified: false, attempts, reason };
}

/** What the plugin prints for people goes nowhere: we tell outcomes ourselves. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { log } = console;
  console.log = () => {};
  try {
    return await run();
  } finally {
    console.log = log;
  }
}

/** Publishes the sources of every contract of a deployment. Never throws: what failed is an outcome. */
export async function verifySources(options: VerifyOptions): Promise<readonly VerifyOutcome[]> {
  const outcomes: VerifyOutcome[] = [];
  for (const [name, { address, args, txHash }] of Object.entries(options.record.contracts)) {
    for (const explorer of options.explorers) {
      const contract = SOURCES[name.split(".").at(-1)!];
      const call = {
        address,
        constructorArgs: [...args],
        creationTxHash: txHash,
        ...(contract === undefined ? {} : { contract }),
      };
      const outcome = await quietly(() => verifyOne(options, name, call, explorer));
      options.tell(outcome);
      outcomes.push(outcome);
    }
  }
  return outcomes;
}
