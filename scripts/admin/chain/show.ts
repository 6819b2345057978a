/** What a chain command shows, as text and as JSON. */

import { formatEther, formatGwei } from "viem";
import { type AdminCall, formatCall } from "../../../deploy/admin/calls.ts";
import { toIso } from "../../../domain/time.ts";
import { formatInteger, formatTable } from "../../cli/style.ts";
import type { Terminal } from "../../cli/terminal.ts";
import type { ChangePlan, Proposal } from "./plan.ts";
import type { ContractHolder } from "./senders.ts";
import type { ChainTarget } from "./target.ts";

const KINDS: { readonly [kind in ContractHolder["kind"]]: string } = {
  safe: "the Safe",
  timelock: "the timelock",
  contract: "the contract",
};

export function showCalls(title: string, target: ChainTarget, calls: readonly AdminCall[], terminal: Terminal): void {
  const { network, rpcUrl } = target.context;
  const { style, print } = terminal;
  print(`\n  ${style.bold(title)} on ${network.title} (chain ${network.chainId}, node ${new URL(rpcUrl).host})\n`);
  const rows = calls.map(({ contract, functionName, change }) => [
    contract.name,
    functionName,
    change.what,
    change.from,
    change.to,
  ]);
  print(`${formatTable(["contract", "call", "what", "from", "to"], rows, style)}\n`);
}

/** The exact calls, for a wallet that this command cannot use. */
export function showExactCalls(calls: readonly AdminCall[], { style, print }: Terminal): void {
  for (const call of calls) {
    print(`  ${style.bold(formatCall(call))}`);
    print(`    to    ${call.contract.address}\n    value 0\n    data  ${call.data}`);
  }
}

function showOperation({ holder, operation }: Proposal, { print }: Terminal): void {
  if (operation === null) return;
  const { id, state, readyAt, delaySeconds, schedule, execute } = operation;
  const readyText = readyAt === null ? "" : toIso(readyAt * 1000);
  if (state === "unset") {
    print(`  1. a proposer of ${holder.address} schedules it (operation ${id}, delay ${delaySeconds} s):`);
    print(`    to    ${schedule.to}\n    value 0\n    data  ${schedule.data}`);
  } else print(`  1. scheduled already (operation ${id})`);
  const when = state === "unset" ? `after ${delaySeconds} s` : state === "waiting" ? `from ${readyText} on` : "now";
  print(`  2. ${when} an executor executes it:`);
  print(`    to    ${execute.to}\n    value 0\n    data  ${execute.data}`);
}

export function showProposals(proposals: readonly Proposal[], terminal: Terminal): void {
  for (const proposal of proposals) {
    const { holder, calls } = proposal;
    terminal.print(
      `\n  ${KINDS[holder.kind]} ${holder.address} must make ${calls.length === 1 ? "this call" : "these calls"}:\n`,
    );
    showExactCalls(calls, terminal);
    if (holder.kind === "safe") terminal.print("  --safe FILE writes them for the Safe's Transaction Builder");
    if (holder.kind === "timelock")
      terminal.print("  --safe FILE writes them for npm run admin -- chain schedule FILE, then chain execute FILE");
    showOperation(proposal, terminal);
  }
}

export function showCost({ sent, gas, gasPrice, costWei }: ChangePlan, { style, print }: Terminal): void {
  if (sent.length === 0) return;
  const addresses = [...new Set(sent.map(({ account }) => account.address))].join(" and ");
  const count = sent.length === 1 ? "1 transaction" : `${sent.length} transactions`;
  print(
    `  ${count} by ${addresses}, ${formatInteger(gas)} gas at ${formatGwei(gasPrice)} gwei: ` +
      style.bold(`${formatEther(costWei)} ETH`),
  );
}

export const toCallJson = (call: AdminCall) => ({
  contract: call.contract.name,
  call: formatCall(call),
  to: call.contract.address,
  value: "0",
  data: call.data,
  powers: call.powers,
  change: call.change,
});

export const toProposalJson = ({ holder, calls, operation }: Proposal) => ({
  holder,
  calls: calls.map(toCallJson),
  operation,
});
