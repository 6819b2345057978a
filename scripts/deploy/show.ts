/** What `npm run deploy` shows before and after. */
import { formatEther, formatGwei, formatUnits } from "viem";
import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import type { HandOverFact } from "../../deploy/public/hand-over.ts";
import type { PreparedDeployment } from "../../deploy/public/run.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import type { Terminal } from "../cli/command.ts";
import { short, table, thousands } from "../cli/style.ts";
import type { Place } from "./options.ts";

type Address = `0x${string}`;

const tokens = (amount: bigint): string => thousands(BigInt(formatUnits(amount, 18).split(".")[0]!));
/** Wei as ether with four digits that count. */
export const ether = (wei: bigint): string =>
  Number(formatEther(wei)).toLocaleString("en-US", { maximumSignificantDigits: 4 });

const delay = (seconds: number): string => (seconds === 0 ? "none" : `${thousands(seconds / 3600)} h`);

export interface Shown {
  readonly place: Place;
  readonly parameters: ArcadeParameters;
  readonly deployer: Address;
  readonly prepared: PreparedDeployment;
}

/** Who will hold what, what will be sent, and what it costs. */
export function showPlan({ place, parameters, deployer, prepared }: Shown, terminal: Terminal): void {
  const { style, say } = terminal;
  const { plan, objections, progress } = prepared;
  const { network, rpcUrl } = place;
  say(
    `\n  ${style.bold("Deploy Agent Arcade")} to ${network.title} (chain ${network.chainId}, node ${new URL(rpcUrl).host})\n`,
  );
  const { signers, rewards } = parameters;
  const holders: [string, string, string][] = [
    ["deployer", deployer, "pays the gas, keeps nothing"],
    ["admin", parameters.admin, `hand-over of the role takes ${delay(parameters.adminDelaySeconds)}`],
    ["guardian", parameters.guardian, "pauses, revokes, lowers caps"],
    ["operator", parameters.operator, "relays payouts"],
    [
      "treasury",
      parameters.treasury,
      `${tokens(parameters.token.supply - parameters.float)} ${parameters.token.symbol}, royalties`,
    ],
    ["signer identity", signers.identity, `a new signer waits ${delay(parameters.signerDelaySeconds)}`],
    ["signer score", signers.score, ""],
    ...Object.entries(signers.nft).map(([slug, address]): [string, string, string] => [`signer ${slug}`, address, ""]),
  ];
  say(`${table(["duty", "address", ""], holders, style)}\n`);
  say(
    `  float ${tokens(parameters.float)}, caps ${tokens(rewards.dailyCap)} a day and ${tokens(rewards.weeklyCap)} a week, ` +
      `cooldown ${rewards.payoutCooldownSeconds} s, least score ${rewards.minScore}, highest session ${rewards.maxScorePerSession}\n`,
  );
  const rows = plan.steps.map((step): string[] => [
    step.name,
    step.kind === "create" ? step.address : `${step.functionName} at ${short(step.to)}`,
    step.isDone ? "done" : thousands(step.gas),
  ]);
  say(`${table(["step", "address", "gas"], rows, style, [2])}\n`);
  const open = plan.steps.filter(({ isDone }) => !isDone).length;
  if (progress === "interrupted")
    say(`  ${style.warn("goes on")} with a deployment that was interrupted: ${open} steps are left`);
  say(
    `  ${open} transactions, ${thousands(plan.gas)} gas at ${formatGwei(plan.gasPrice)} gwei` +
      `${plan.dataFeeWei === 0n ? "" : ` and ${ether(plan.dataFeeWei)} ETH for data`}: ${style.bold(`${ether(plan.costWei)} ETH`)}`,
  );
  say(`  the deployer has ${ether(plan.balanceWei)} ETH, ${ether(plan.neededWei)} must be there in case fees rise\n`);
  for (const warning of objections.warnings) say(`  ${style.warn("!")} ${warning}`);
  for (const fault of objections.faults) say(`  ${style.bad("✗")} ${fault}`);
}

export function showHandOver(facts: readonly HandOverFact[], terminal: Terminal): void {
  const { style, say } = terminal;
  say(`\n  ${style.bold("Hand-over")}, read from the chain`);
  for (const { what, holds, found } of facts) {
    say(holds ? `  ${style.good("✓")} ${what}` : `  ${style.bad("✗")} ${what}; found: ${found}`);
  }
}

export function showRecord(
  record: DeploymentRecord,
  path: string,
  explorerUrl: string | null,
  terminal: Terminal,
): void {
  const { style, say } = terminal;
  const rows = Object.entries(record.contracts).map(([name, { address, block, txHash }]) => [
    name,
    address,
    String(block),
    explorerUrl === null ? short(txHash) : `${explorerUrl}/address/${address}`,
  ]);
  say(`\n${table(["contract", "address", "block", ""], rows, style)}\n\n  addresses: ${path}`);
}
