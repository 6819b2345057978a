/** `npm run deploy -- timelock`: a timelock to be the admin of a deployment. */
import { join } from "node:path";
import type { Address } from "viem";
import { createPublicClient, custom, formatGwei, getAddress, isAddress, zeroAddress } from "viem";
import { isWellKnownAddress } from "../../backend/config/dev-keys.ts";
import { LEAST_DELAY_SECONDS } from "../../deploy/modules/parameter-errors.ts";
import type { NetworkConfig } from "../../deploy/networks.ts";
import { findFactoryFault } from "../../deploy/public/factory.ts";
import { createRpcRequest } from "../../deploy/public/rpc.ts";
import {
  checkTimelock,
  type PreparedTimelock,
  prepareTimelock,
  TIMELOCK_CONTRACT,
  type TimelockOptions,
  type TimelockParameters,
} from "../../deploy/timelock.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { DAY_SECONDS } from "../../domain/time.ts";
import { confirmSending } from "../cli/confirm.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { formatInteger } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import { findDeployer } from "./keys.ts";
import { DEPLOY_FLAGS, type DeployContext, type DeployFlags, parseConfirmations } from "./options.ts";
import { formatShortEther } from "./show.ts";
import { isPublishing, publishSources, renderTimelockCommand } from "./sources.ts";
import { createProgressReporter } from "./waiting.ts";

const MAX_DELAY_SECONDS = 30 * DAY_SECONDS;
const DEFAULT_DELAY_SECONDS = { local: 0, testnet: 5 * 60, mainnet: 2 * DAY_SECONDS };
const POLL_MS = { local: 50, public: 1_000 };

function parseAddresses(name: string, text: string): readonly Address[] {
  const addresses = text.split(",").map((part) => part.trim());
  for (const address of addresses) {
    if (!isAddress(address))
      throw new UsageError(`--${name}: expected addresses separated by commas, received "${address}"`);
  }
  const unique = new Set(addresses.map((address) => getAddress(address)));
  if (unique.size !== addresses.length)
    throw new UsageError(`--${name}: expected different addresses, received one twice`);
  return [...unique];
}

/** The accounts that may execute calls; the zero address means anyone. */
function parseExecutors(text: string | undefined, proposers: readonly Address[]): readonly Address[] {
  if (text === undefined) return proposers;
  return text === "any" ? [zeroAddress] : parseAddresses("executors", text);
}

/** Reads the timelock's flags. Throws `UsageError`. */
function parseTimelockParameters(flags: DeployFlags, { stage }: NetworkConfig): TimelockParameters {
  if (flags.proposers === undefined)
    throw new UsageError("--proposers: expected the addresses that may schedule calls, separated by commas");
  const proposers = parseAddresses("proposers", flags.proposers);
  const executors = parseExecutors(flags.executors, proposers);
  const least = LEAST_DELAY_SECONDS[stage];
  const text = flags["delay-seconds"] ?? String(DEFAULT_DELAY_SECONDS[stage]);
  const minDelaySeconds = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (minDelaySeconds < least || minDelaySeconds > MAX_DELAY_SECONDS)
    throw new UsageError(
      `--delay-seconds: expected from ${least} to ${MAX_DELAY_SECONDS} on a ${stage}, received "${text}"`,
    );
  return { minDelaySeconds, proposers, executors };
}

/** Problems of a timelock on a public chain, as sentences. */
async function findErrors({
  client,
  chainId,
  stage,
  account,
  parameters,
}: TimelockOptions): Promise<readonly string[]> {
  if (chainId === LOCAL_CHAIN_ID) return [];
  const { proposers, executors } = parameters;
  const errors: string[] = [];
  for (const address of new Set([...proposers, ...executors])) {
    if (isWellKnownAddress(address)) errors.push(`${address} is a development account, whose key is public`);
    if (isSameAddress(address, account.address)) errors.push(`${address} is the deployer, which must not keep a role`);
  }
  const factoryFault = await findFactoryFault(client, stage, chainId);
  if (factoryFault !== null) errors.push(factoryFault);
  return errors;
}

function showPlan(
  { network, rpcUrl }: DeployContext,
  { minDelaySeconds, proposers, executors }: TimelockParameters,
  prepared: PreparedTimelock,
  { style, print }: Terminal,
): void {
  const { address, isDone, gas, gasPrice, costWei, balanceWei, requiredWei } = prepared;
  const host = new URL(rpcUrl).host;
  print(`\n  ${style.bold("Deploy a timelock")} to ${network.title} (chain ${network.chainId}, node ${host})\n`);
  print(`  address    ${address}${isDone ? " (done)" : ""}`);
  print(`  delay      ${formatInteger(minDelaySeconds)} s between proposal and execution`);
  print(`  proposers  ${proposers.join(", ")}; they also cancel`);
  print(`  executors  ${executors[0] === zeroAddress ? "anyone" : executors.join(", ")}`);
  print("  admin      the timelock itself\n");
  if (isDone) return;
  print(
    `  1 transaction, ${formatInteger(gas)} gas at ${formatGwei(gasPrice)} gwei: ${style.bold(`${formatShortEther(costWei)} ETH`)}; ` +
      `the deployer has ${formatShortEther(balanceWei)} ETH and needs ${formatShortEther(requiredWei)} ETH in case fees rise\n`,
  );
}

function rejectErrors(errors: readonly string[], { requiredWei, balanceWei, isDone }: PreparedTimelock): void {
  if (errors.length > 0)
    throw new CommandError(`Nothing was sent: ${errors.join("; ")}`, { next: "correct --proposers and --executors" });
  if (isDone || balanceWei >= requiredWei) return;
  throw new CommandError(
    `Nothing was sent: the deployer has ${formatShortEther(balanceWei)} ETH, but needs ${formatShortEther(requiredWei)} ETH`,
    { exitCode: EXIT.chain, next: "send it the difference and run the same command again" },
  );
}

/** Deploys a timelock after confirmation, and reads its delay and roles from the chain. */
export async function deployTimelock(
  context: DeployContext,
  out: string,
  flags: DeployFlags,
  terminal: Terminal,
): Promise<number> {
  const { network, rpcUrl } = context;
  const { chainId } = network;
  const parameters = parseTimelockParameters(flags, network);
  const account = await findDeployer(context);
  const client = createPublicClient({
    transport: custom({ request: createRpcRequest(rpcUrl) as never }),
    cacheTime: 0,
  });
  const options: TimelockOptions = {
    client,
    rpcUrl,
    chainId,
    stage: network.stage,
    account,
    parameters,
    saltLabel: flags.salt ?? DEPLOY_FLAGS.salt.default,
    folder: join(out, String(chainId), "timelock"),
    confirmations: parseConfirmations(flags, network),
    pollMs: chainId === LOCAL_CHAIN_ID ? POLL_MS.local : POLL_MS.public,
  };
  const errors = await findErrors(options);
  const prepared = await prepareTimelock(options);
  const { address, isDone } = prepared;
  showPlan(context, parameters, prepared, terminal);
  for (const error of errors) terminal.print(`  ${terminal.style.bad("✗")} ${error}`);
  const plan = { address, isDone, gas: String(prepared.gas), costWei: String(prepared.costWei), faults: errors };
  if (flags.plan) {
    terminal.printJson({ ok: errors.length === 0, chainId, plan });
    return errors.length === 0 ? EXIT.ok : EXIT.error;
  }
  rejectErrors(errors, prepared);
  if (!isDone) await confirmSending(flags.yes === true, chainId);
  await prepared.execute(createProgressReporter(terminal));
  const checks = await checkTimelock(options, address);
  const { good, bad } = terminal.style;
  for (const { what, holds } of checks) terminal.print(`  ${holds ? good("✓") : bad("✗")} ${what}`);
  const ok = checks.every(({ holds }) => holds);
  const contracts = { [TIMELOCK_CONTRACT]: { address, args: prepared.args } };
  const verification = isPublishing(flags, chainId)
    ? await publishSources(context, contracts, flags, renderTimelockCommand(flags), terminal)
    : [];
  terminal.print(`\n  put it into the file of --roles: "admin": "${address}"`);
  terminal.printJson({ ok, chainId, plan, address, checks, verification });
  if (ok) return EXIT.ok;
  throw new CommandError("The timelock does not match the request", { next: "do not use it; see the lines above" });
}
