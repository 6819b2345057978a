/** On a public network nothing is spent before the plan was shown and agreed to. */
import { createInterface } from "node:readline/promises";
import { formatEther } from "viem";
import type { Terminal } from "../cli/command.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { thousands } from "../cli/style.ts";
import { LOCAL_CHAIN_ID, type Place } from "./place.ts";

/** Upper figures of gas for one transaction of a kind; the payout is sent and paid for by the operator. */
const GAS = { identity: 150_000n, snapshot: 90_000n, nft: 120_000n } as const;

export interface PlanFacts {
  readonly agents: number;
  readonly games: number;
  /** Of each game. */
  readonly sessions: number;
}

export interface Plan {
  readonly lines: readonly { readonly what: string; readonly count: number; readonly gas: bigint }[];
  readonly gas: bigint;
}

/** The most that a run can send. */
export function planOf({ agents, games, sessions }: PlanFacts): Plan {
  const rounds = agents * games * sessions;
  const lines = [
    { what: "register an identity", count: agents, gas: GAS.identity },
    { what: "snapshot a score", count: rounds, gas: GAS.snapshot },
    { what: "mint or upgrade an NFT", count: rounds, gas: GAS.nft },
  ];
  return { lines, gas: lines.reduce((sum, { count, gas }) => sum + BigInt(count) * gas, 0n) };
}

/** Shows the plan and asks. Throws `UsageError` where nobody can answer, `CommandError` where the answer is no. */
export async function confirmPlan(place: Place, facts: PlanFacts, yes: boolean, terminal: Terminal): Promise<void> {
  if (place.chainId === LOCAL_CHAIN_ID) return;
  const { style } = terminal;
  const plan = planOf(facts);
  const gasPrice = await place.publicClient.getGasPrice();
  terminal.say(`\n  ${style.bold("Plan")} on chain ${place.chainId}: at most`);
  for (const { what, count, gas } of plan.lines) terminal.say(`    ${count} x ${what}, ${thousands(gas)} gas each`);
  const cost = formatEther(plan.gas * gasPrice);
  terminal.say(
    `    ${thousands(plan.gas)} gas, ${style.bold(`${cost} ETH`)} at the price of now, plus the network's data fee where it has one\n`,
  );
  if (yes) return;
  if (process.stdin.isTTY !== true) {
    throw new UsageError(`Nothing is spent on chain ${place.chainId} unasked: answer on a terminal, or give --yes`);
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question("  Spend it? [y/N] ");
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("Nothing was sent.");
  } finally {
    reader.close();
  }
}
