/** Publishing the sources at Etherscan and Sourcify. */
import { getEnvironment } from "../../backend/config/environment.ts";
import { createRuntime } from "../../deploy/public/hardhat.ts";
import { type Explorer, type VerifyOptions, type VerifyOutcome, verifySources } from "../../deploy/public/verify.ts";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { parseUrl } from "../cli/command.ts";
import type { Terminal } from "../cli/terminal.ts";
import { compileContracts } from "../start/build.ts";
import type { DeployContext, DeployFlags } from "./options.ts";

const ATTEMPTS = 5;
const MAX_MS = 60_000;
const INITIAL_DELAY_MS = 5_000;

type Flag = keyof DeployFlags;

const renderFlags = (flags: DeployFlags, names: readonly Flag[]): readonly string[] =>
  names.flatMap((name) => (flags[name] === undefined ? [] : [`--${name} ${flags[name]}`]));

const COMMON_FLAGS = ["network", "rpc", "out", "etherscan-url", "sourcify-url"] as const;

/** The command that publishes the sources of the same deployment, with the flags that were given. */
export const renderVerifyCommand = (flags: DeployFlags): string =>
  ["npm run deploy --", ...renderFlags(flags, COMMON_FLAGS), "--verify-only"].join(" ");

/** The command that finds the same timelock on the chain and publishes its sources. */
export const renderTimelockCommand = (flags: DeployFlags): string =>
  [
    "npm run deploy -- timelock",
    ...renderFlags(flags, ["proposers", "executors", "delay-seconds", "salt", ...COMMON_FLAGS]),
  ].join(" ");

/** Explorers know no local contracts, and `--no-verify` leaves them out. */
export const isPublishing = (flags: DeployFlags, chainId: number): boolean =>
  flags["no-verify"] !== true && !isLocalChain(chainId);

/**
 * Tries both explorers, tells each outcome, and says by which command to try again. Never throws for what an explorer
 * answers.
 */
export async function publishSources(
  { network, rpcUrl }: DeployContext,
  contracts: VerifyOptions["contracts"],
  flags: DeployFlags,
  retryCommand: string,
  terminal: Terminal,
): Promise<readonly VerifyOutcome[]> {
  const { style, print: say } = terminal;
  const etherscanKey = getEnvironment().ETHERSCAN_API_KEY || undefined;
  say(`\n  ${style.bold("Sources")}`);
  if (etherscanKey === undefined) {
    say(`  ${style.warn("!")} Etherscan is left out: give its key as ETHERSCAN_API_KEY`);
  }
  const explorers: readonly Explorer[] = etherscanKey === undefined ? ["sourcify"] : ["sourcify", "etherscan"];
  await compileContracts(() => say("  compiling the sources that are published …"));
  const runtime = await createRuntime({
    network,
    rpcUrl,
    ...(flags["etherscan-url"] === undefined
      ? {}
      : { etherscanUrl: parseUrl("etherscan-url", flags["etherscan-url"]) }),
    ...(flags["sourcify-url"] === undefined ? {} : { sourcifyUrl: parseUrl("sourcify-url", flags["sourcify-url"]) }),
    ...(etherscanKey === undefined ? {} : { etherscanKey }),
  });
  const outcomes = await verifySources({
    runtime,
    contracts,
    explorers,
    attempts: ATTEMPTS,
    maxMs: MAX_MS,
    initialDelayMs: INITIAL_DELAY_MS,
    onOutcome: ({ name, explorer, verified, attempts, reason }) =>
      say(
        verified
          ? `  ${style.good("✓")} ${name} at ${explorer}`
          : `  ${style.warn("!")} ${name} at ${explorer}, ${attempts} attempts: ${reason}`,
      ),
  });
  if (outcomes.some(({ verified }) => !verified)) {
    say(`  the contracts work all the same; try again with: ${retryCommand}`);
  }
  return outcomes;
}
