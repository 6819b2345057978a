/** Shows what a change of the contracts does, asks for confirmation, and sends it or prints the calls to propose. */
import { formatEther } from "viem";
import { type AdminCall, type AdminChange, formatCall } from "../../../deploy/admin/calls.ts";
import { confirmSending } from "../../cli/confirm.ts";
import { quoteWord } from "../../cli/endings.ts";
import { CommandError, EXIT, UsageError } from "../../cli/failures.ts";
import { compareWithServerStore } from "../../cli/server-store.ts";
import type { Terminal } from "../../cli/terminal.ts";
import { type ChangePlan, planChange } from "./plan.ts";
import { writeSafeFile } from "./safe-file.ts";
import { type SentTransaction, sendCalls } from "./send.ts";
import { describeHolders, findContractHolder, SenderFinder } from "./senders.ts";
import { showCalls, showCost, showExactCalls, showProposals, toCallJson, toProposalJson } from "./show.ts";
import { type ChainFlags, type ChainTarget, loadChainTarget } from "./target.ts";

/** Fees may rise before the block. */
const BALANCE_FACTOR = 2n;

async function checkBalances({ client }: ChainTarget, { sent, costWei }: ChangePlan): Promise<void> {
  for (const address of new Set(sent.map(({ account }) => account.address))) {
    const balance = await client.getBalance({ address });
    if (balance >= BALANCE_FACTOR * costWei) continue;
    throw new CommandError(
      `Nothing was sent: ${address} has ${formatEther(balance)} ETH, but needs ${formatEther(BALANCE_FACTOR * costWei)} ETH in case fees rise.`,
      { exitCode: EXIT.chain, next: "send it the difference and run the same command again" },
    );
  }
}

async function showPlanOnly(target: ChainTarget, { calls, notes }: AdminChange, terminal: Terminal) {
  const holders = await Promise.all(calls.map((call) => describeHolders(target, call)));
  showExactCalls(calls, terminal);
  for (const text of new Set(holders)) terminal.print(`  may be sent by ${text}`);
  return {
    chainId: target.context.network.chainId,
    status: "planned",
    calls: calls.map((call, index) => ({ ...toCallJson(call), senders: holders[index] })),
    notes,
  };
}

/**
 * Writes the calls to a file for the contract that makes them. Throws if a call would be rejected, or if several
 * contracts must make them.
 */
async function writeCalls(
  title: string,
  file: string,
  target: ChainTarget,
  { calls, notes }: AdminChange,
  terminal: Terminal,
) {
  const { chainId } = target.context.network;
  const found = await Promise.all(calls.map((call) => findContractHolder(target, call)));
  const [holder = null] = found;
  if (found.some((one) => one?.address !== holder?.address))
    throw new CommandError("Several accounts must make these calls, but one file is for one account.", {
      next: "write a file for each of them, with --contract",
    });
  if (holder !== null)
    await planChange(
      target,
      calls.map((call) => [call, holder]),
    );
  const isTimelock = holder?.kind === "timelock";
  const description = isTimelock
    ? `Calls of the timelock ${holder.address}, for npm run admin -- chain schedule. A Safe cannot make them.`
    : "";
  const path = await writeSafeFile(file, calls, { title, chainId, holder: holder?.address ?? null, description });
  const next = isTimelock
    ? `Next: npm run admin -- chain schedule ${quoteWord(file)}, by a proposer of the timelock ${holder.address}`
    : "Next: open it in the Safe's Transaction Builder; its owners sign";
  for (const note of [...notes, `Wrote ${path}`, next]) terminal.print(`  ${note}`);
  return { chainId, status: "written", file: path, holder, calls: calls.map(toCallJson), notes: [...notes, next] };
}

/** Sends or proposes a change. Throws `CommandError` for a missing key or role, a revert, or too little ether. */
async function applyChange(
  title: string,
  target: ChainTarget,
  change: AdminChange,
  flags: ChainFlags,
  terminal: Terminal,
): Promise<{ readonly status: string; readonly [field: string]: unknown }> {
  const { calls, notes } = change;
  const { chainId } = target.context.network;
  if (calls.length === 0) {
    for (const note of notes) terminal.print(`  ${note}`);
    return { chainId, status: "unchanged", calls: [], notes };
  }
  showCalls(title, target, calls, terminal);
  if (flags.plan) return showPlanOnly(target, change, terminal);
  if (flags.safe !== undefined) return writeCalls(title, flags.safe, target, change, terminal);
  const finder = new SenderFinder(target);
  const senders: [(typeof calls)[number], Awaited<ReturnType<SenderFinder["find"]>>][] = [];
  for (const call of calls) senders.push([call, await finder.find(call)]);
  const plan = await planChange(target, senders);
  showCost(plan, terminal);
  let transactions: readonly SentTransaction[] = [];
  if (plan.sent.length > 0) {
    await checkBalances(target, plan);
    await confirmSending(flags.yes === true, chainId);
    transactions = await sendCalls(target, plan.sent, ({ call }, { txHash, block }) =>
      terminal.print(`  ${terminal.style.good("✓")} ${formatCall(call)}: ${txHash} in block ${block}`),
    );
  }
  showProposals(plan.proposals, terminal);
  for (const note of notes) terminal.print(`  ${note}`);
  return {
    chainId,
    status: plan.proposals.length === 0 ? "sent" : "proposed",
    calls: plan.sent.map(({ call, account, gas }, index) => ({
      ...toCallJson(call),
      from: account.address,
      gas: String(gas),
      ...transactions[index],
    })),
    gas: String(plan.gas),
    costWei: String(plan.costWei),
    proposals: plan.proposals.map(toProposalJson),
    notes,
  };
}

/** Runs one chain command: `describe` reads the chain and returns the changes. */
export async function runChainCommand(
  title: string,
  flags: ChainFlags,
  terminal: Terminal,
  describe: (target: ChainTarget) => Promise<AdminChange>,
): Promise<object> {
  const target = await loadChainTarget(flags);
  const change = await describe(target);
  const result = await applyChange(title, target, change, flags, terminal);
  if (result.status === "sent") await requireEffect(target, change, describe);
  return result;
}

/**
 * Reads the chain again, after checking that it is still the store's chain. Throws `CommandError` if a call had no
 * effect.
 */
async function requireEffect(
  target: ChainTarget,
  { calls }: AdminChange,
  describe: (target: ChainTarget) => Promise<AdminChange>,
): Promise<void> {
  await compareWithServerStore(target.client, target.record);
  // Problems that the command has now and did not have before the change.
  const left = await describe(target).catch((error: unknown) => {
    if (error instanceof CommandError || error instanceof UsageError) return { calls: [] };
    throw error;
  });
  // A later call may consume the effect of this one.
  const ends = calls.filter((_, index) => !calls[index + 1]?.needsPrevious);
  const isLeft = (call: AdminCall): boolean =>
    left.calls.some((other) => formatCall(other) === formatCall(call) && other.change.from === call.change.from);
  const missing = ends.filter(isLeft).map(formatCall);
  if (missing.length === 0) return;
  throw new CommandError(`The transactions are in blocks, but the chain does not show ${missing.join(", ")}.`, {
    exitCode: EXIT.chain,
    next: "run the same command again with another node (--rpc)",
  });
}
