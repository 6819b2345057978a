/** What `npm run deploy` shows before and after. */
import type { Address } from "viem";
import { formatEther, formatGwei, formatUnits } from "viem";
import type { PreparedDeployment } from "../../deploy/execute-public.ts";
import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { formatTokens } from "../../deploy/modules/token-amount.ts";
import type { HandOverCheck } from "../../deploy/public/hand-over.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { formatInteger, formatTable, shortenHex } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { DeployContext } from "./options.ts";

/** Wei as ether with four significant digits. */
export const formatShortEther = (wei: bigint): string =>
  Number(formatEther(wei)).toLocaleString("en-US", { maximumSignificantDigits: 4 });

const formatDelay = (seconds: number): string =>
  seconds === 0 ? "none" : seconds < 3600 ? `${seconds / 60} min` : `${formatInteger(seconds / 3600)} h`;

export interface PlanView {
  readonly context: DeployContext;
  readonly parameters: ArcadeParameters;
  readonly deployer: Address;
  readonly prepared: PreparedDeployment;
  /** The problems that stop the deployment. */
  readonly faults: readonly string[];
  readonly saltLabel: string;
  readonly confirmations: number;
}

/** Who will hold what, what will be sent, and what it costs. */
export function showPlan(
  { context: place, parameters, deployer, prepared, faults, saltLabel, confirmations }: PlanView,
  terminal: Terminal,
): void {
  const { style, print: write } = terminal;
  const { plan, preflight: objections, progress } = prepared;
  const { network, rpcUrl } = place;
  write(
    `\n  ${style.bold("Deploy Agent Arcade")} to ${network.title} (chain ${network.chainId}, node ${new URL(rpcUrl).host})\n`,
  );
  const { signers, rewards, token } = parameters;
  const holders: [string, string, string][] = [
    ["deployer", deployer, "pays the gas, keeps nothing"],
    ["admin", parameters.admin, `hand-over of the role takes ${formatDelay(parameters.adminDelaySeconds)}`],
    ["guardian", parameters.guardian, "pauses, revokes, lowers caps"],
    ["operator", parameters.operator, "relays payouts"],
    [
      "treasury",
      parameters.treasury,
      `${formatTokens(parameters.token.supply - parameters.float, parameters.token)}, royalties`,
    ],
    ["signer identity", signers.identity, `a new signer waits ${formatDelay(parameters.signerDelaySeconds)}`],
    ["signer score", signers.score, ""],
    ...Object.entries(signers.nft).map(([slug, address]): [string, string, string] => [`signer ${slug}`, address, ""]),
  ];
  write(`${formatTable(["duty", "address", ""], holders, style)}\n`);
  write(
    `  metadata at ${parameters.publicUrl}, royalty ${parameters.royaltyBasisPoints / 100} %, ` +
      `${formatUnits(rewards.scoreToTokenRate, 18)} ${parameters.token.symbol} per point, ` +
      `salt "${saltLabel}", ${confirmations} confirmations for each step`,
  );
  write(
    `  float ${formatTokens(parameters.float, token)}, caps ${formatTokens(rewards.dailyCap, token)} a day and ${formatTokens(rewards.weeklyCap, token)} a week, ` +
      `${formatTokens(rewards.maxPayout, token)} a payout, cooldown ${rewards.payoutCooldownSeconds} s, minimum score ${rewards.minScore}, maximum per session ${rewards.maxScorePerSession}\n`,
  );
  const rows = plan.steps.map((step): string[] => [
    step.name,
    step.kind === "create" ? step.address : `${step.functionName} at ${shortenHex(step.to)}`,
    step.isDone ? "done" : formatInteger(step.gas),
  ]);
  write(`${formatTable(["step", "address", "gas"], rows, style, [2])}\n`);
  const open = plan.steps.filter(({ isDone }) => !isDone).length;
  if (progress === "interrupted")
    write(`  ${style.warn("continues")} an interrupted deployment: ${open} steps are left`);
  if (progress === "growing") write(`  ${style.warn("adds")} ${open} contracts to a complete deployment`);
  write(
    `  ${open} transactions, ${formatInteger(plan.gas)} gas at ${formatGwei(plan.gasPrice)} gwei` +
      `${plan.factoryWei === 0n ? "" : `, ${formatShortEther(plan.factoryWei)} ETH to place the factory CreateX`}` +
      `${plan.dataFeeWei === 0n ? "" : ` and ${formatShortEther(plan.dataFeeWei)} ETH for data`}: ${style.bold(`${formatShortEther(plan.costWei)} ETH`)}`,
  );
  write(
    `  the deployer has ${formatShortEther(plan.balanceWei)} ETH and needs ${formatShortEther(plan.requiredWei)} ETH in case fees rise\n`,
  );
  for (const warning of objections.warnings) write(`  ${style.warn("!")} ${warning}`);
  for (const error of faults) write(`  ${style.bad("✗")} ${error}`);
}

/** `isChanged`: whether a documented command has changed the fact since the deployment. */
export function showHandOver(
  checks: readonly HandOverCheck[],
  isChanged: (check: HandOverCheck) => boolean,
  { style, print: write }: Terminal,
): void {
  write(`\n  ${style.bold("Hand-over")}, read from the chain`);
  for (const check of checks) {
    const { what, holds, found, changedBy } = check;
    if (holds) write(`  ${style.good("✓")} ${what}`);
    else if (isChanged(check)) write(`  ${style.dim("–")} ${what}; found: ${found}, changed since by ${changedBy}`);
    else write(`  ${style.bad("✗")} ${what}; found: ${found}`);
  }
  if (checks.some(isChanged)) write("  npm run doctor compares what changed with the file of --roles");
}

export function showRecord(
  record: DeploymentRecord,
  path: string,
  explorerUrl: string | null,
  terminal: Terminal,
): void {
  const { style, print: write } = terminal;
  const rows = Object.entries(record.contracts).map(([name, { address, block, txHash }]) => [
    name,
    address,
    String(block),
    explorerUrl === null ? shortenHex(txHash) : `${explorerUrl}/address/${address}`,
  ]);
  write(`\n${formatTable(["contract", "address", "block", ""], rows, style)}\n\n  addresses: ${path}`);
}
