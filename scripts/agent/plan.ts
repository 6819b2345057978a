/** On a public network the command spends nothing before the user has confirmed the plan. */
import { createInterface } from "node:readline/promises";
import { formatEther } from "viem";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { formatInteger } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { AgentContext } from "./context.ts";

/** Upper bounds of gas per transaction; the operator pays for the payout. */
const GAS = { identity: 150_000n, snapshot: 90_000n, nft: 120_000n } as const;

export interface PlanInput {
  readonly agents: number;
  readonly games: number;
  /** Number of sessions of each game. */
  readonly sessions: number;
}

export interface Plan {
  readonly lines: readonly { readonly what: string; readonly count: number; readonly gas: bigint }[];
  readonly gas: bigint;
}

/** The largest number of transactions that a run can send, and their gas. */
export function createPlan({ agents, games, sessions }: PlanInput): Plan {
  const rounds = agents * games * sessions;
  const lines = [
    { what: "register an identity", count: agents, gas: GAS.identity },
    { what: "snapshot a score", count: rounds, gas: GAS.snapshot },
    { what: "mint or upgrade an NFT", count: rounds, gas: GAS.nft },
  ];
  return { lines, gas: lines.reduce((sum, { count, gas }) => sum + BigInt(count) * gas, 0n) };
}

/**
 * Shows the plan and asks for confirmation. Throws `UsageError` without a terminal, `CommandError` if the answer is no.
 */
export async function confirmPlan(
  context: AgentContext,
  input: PlanInput,
  yes: boolean,
  terminal: Terminal,
): Promise<void> {
  if (isLocalChain(context.chainId)) return;
  const { style } = terminal;
  const plan = createPlan(input);
  const gasPrice = await context.publicClient.getGasPrice();
  terminal.print(`\n  ${style.bold("Plan")} on chain ${context.chainId}: at most`);
  for (const { what, count, gas } of plan.lines)
    terminal.print(`    ${count} x ${what}, ${formatInteger(gas)} gas each`);
  const cost = formatEther(plan.gas * gasPrice);
  terminal.print(
    `    ${formatInteger(plan.gas)} gas, ${style.bold(`${cost} ETH`)} at the current gas price, plus the network's data fee if it has one\n`,
  );
  const { identity, rewards, nft } = context.contracts;
  terminal.print("    calls only these contracts:");
  for (const [name, address] of Object.entries({ identity, rewards, ...nft }))
    terminal.print(`      ${name} ${address}`);
  if (yes) return;
  if (process.stdin.isTTY !== true) {
    throw new UsageError(
      `--yes: required on chain ${context.chainId} without a terminal, because the plan spends ether`,
    );
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question("  Spend it? [y/N] ");
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("Nothing was sent.");
  } finally {
    reader.close();
  }
}
