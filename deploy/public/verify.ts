import { setTimeout as wait } from "node:timers/promises";
import type { VerifyContractArgs } from "@nomicfoundation/hardhat-verify/verify";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

export type Explorer = "etherscan" | "blockscout" | "sourcify";

export interface VerifyOutcome {
  readonly name: string;
  readonly address: `0x${string}`;
  readonly explorer: Explorer;
  readonly verified: boolean;
  readonly attempts: number;
  /** The explorer's reason for a failure; null if it is verified. */
  readonly reason: string | null;
}

export interface PublishedContract {
  readonly address: `0x${string}`;
  /** Constructor arguments; numbers as decimal strings. */
  readonly args: readonly unknown[];
  /** The creating transaction, if known. */
  readonly txHash?: `0x${string}`;
}

export interface VerifyOptions {
  readonly runtime: HardhatRuntimeEnvironment;
  /** What to publish, by name: the part after the last dot is the contract's name. */
  readonly contracts: { readonly [name: string]: PublishedContract };
  readonly explorers: readonly Explorer[];
  readonly attempts: number;
  /** Wait before the second attempt, doubled each time. Explorers see a contract some blocks late. */
  readonly initialDelayMs: number;
  /** Total time for a contract at an explorer: an attempt without an answer by then is abandoned. */
  readonly maxMs: number;
  readonly onOutcome: (outcome: VerifyOutcome) => void;
}

const SOURCES: { readonly [contract: string]: string } = {
  RewardToken: "contracts/RewardToken.sol:RewardToken",
  AgentIdentity: "contracts/AgentIdentity.sol:AgentIdentity",
  GameNFT: "contracts/GameNFT.sol:GameNFT",
  RewardsV2: "contracts/RewardsV2.sol:RewardsV2",
  TimelockController: "@openzeppelin/contracts/governance/TimelockController.sol:TimelockController",
};

/** Each explorer uses different words. */
const isAlreadyVerified = (error: Error): boolean => /already (been )?verified/i.test(error.message);

const ANSWER_MS = 5_000;

/** Why no explorer answers at a URL; null if one does, with any answer. */
export async function findSilence(url: string, maxMs = ANSWER_MS): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(maxMs) });
    await response.body?.cancel();
    return null;
  } catch (error) {
    if ((error as Error).name === "TimeoutError") return `no answer within ${maxMs / 1000} s`;
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return cause?.code ?? (error as Error).message;
  }
}

const UNREACHABLE = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH/;

function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (UNREACHABLE.test(`${(cause as { readonly code?: unknown }).code} ${cause.message}`)) return true;
  }
  return false;
}

/** The result of `attempt`, whose requests the plugin cannot cancel. Throws after `ms`. */
async function awaitFor<T>(attempt: Promise<T>, ms: number): Promise<T> {
  const signal = AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return Promise.race([attempt, promise]);
}

async function verifyContractSource(
  { runtime, attempts, initialDelayMs: firstWaitMs, maxMs }: VerifyOptions,
  name: string,
  args: VerifyContractArgs & { readonly address: `0x${string}` },
  explorer: Explorer,
): Promise<VerifyOutcome> {
  const { verifyContract } = await import("@nomicfoundation/hardhat-verify/verify");
  const outcome = { name, address: args.address, explorer };
  const startMs = performance.now();
  let reason = "";
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const delayMs = attempt === 1 ? 0 : firstWaitMs * 2 ** (attempt - 2);
    if (performance.now() - startMs + delayMs > maxMs)
      return { ...outcome, verified: false, attempts: attempt - 1, reason };
    await wait(delayMs);
    try {
      const attemptMs = maxMs - (performance.now() - startMs);
      await awaitFor(verifyContract({ ...args, provider: explorer }, runtime), attemptMs);
      return { ...outcome, verified: true, attempts: attempt, reason: null };
    } catch (error) {
      if ((error as Error).name === "TimeoutError")
        return { ...outcome, verified: false, attempts: attempt, reason: `no answer within ${maxMs / 1000} s` };
      if (isAlreadyVerified(error as Error)) return { ...outcome, verified: true, attempts: attempt, reason: null };
      reason = (error as Error).message.trim().split("\n").filter(Boolean).join(" ");
      // An explorer that does not answer is not one that has not seen the contract yet.
      if (isUnreachable(error)) return { ...outcome, verified: false, attempts: attempt, reason };
    }
  }
  return { ...outcome, verified: false, attempts, reason };
}

/** Discards what the plugin prints: we report outcomes ourselves. */
async function silenceConsole<T>(run: () => Promise<T>): Promise<T> {
  const { log } = console;
  console.log = () => {};
  try {
    return await run();
  } finally {
    console.log = log;
  }
}

/** Publishes the sources of contracts. Never throws: a failure is an outcome. */
export async function verifySources(options: VerifyOptions): Promise<readonly VerifyOutcome[]> {
  const createJobs = () =>
    Object.entries(options.contracts).flatMap(([name, { address, args, txHash }]) =>
      options.explorers.map(async (explorer) => {
        const contract = SOURCES[name.split(".").at(-1)!];
        const source = contract === undefined ? {} : { contract };
        const creation = txHash === undefined ? {} : { creationTxHash: txHash };
        const call = { address, constructorArgs: [...args], ...creation, ...source };
        const outcome = await verifyContractSource(options, name, call, explorer);
        options.onOutcome(outcome);
        return outcome;
      }),
    );
  return silenceConsole(() => Promise.all(createJobs()));
}
