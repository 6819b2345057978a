/** Publishes the sources at Etherscan, Blockscout and Sourcify. */
import { getEnvironment } from "../../backend/config/environment.ts";
import { createRuntime } from "../../deploy/public/hardhat.ts";
import {
  type Explorer,
  findSilence,
  type VerifyOptions,
  type VerifyOutcome,
  verifySources,
} from "../../deploy/public/verify.ts";
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

const COMMON_FLAGS = ["network", "rpc", "out", "etherscan-url", "blockscout-url", "sourcify-url"] as const;

/** The command that publishes the sources of the same deployment, with the same flags. */
export const renderVerifyCommand = (flags: DeployFlags): string =>
  ["npm run deploy --", ...renderFlags(flags, COMMON_FLAGS), "--verify-only"].join(" ");

/** The command that finds the same timelock on chain and publishes its sources. */
export const renderTimelockCommand = (flags: DeployFlags): string =>
  [
    "npm run deploy -- timelock",
    ...renderFlags(flags, ["proposers", "executors", "delay-seconds", "salt", ...COMMON_FLAGS]),
  ].join(" ");

/** Explorers do not know local chains, and `--no-verify` skips them. */
export const isPublishing = (flags: DeployFlags, chainId: number): boolean =>
  flags["no-verify"] !== true && !isLocalChain(chainId);

/** The API of each explorer: the given one, or the explorer's default. */
function listExplorers(
  { network }: DeployContext,
  flags: DeployFlags,
  etherscanKey: string | undefined,
): readonly (readonly [Explorer, string])[] {
  const { blockscoutUrl } = network;
  const own: readonly (readonly [Explorer, string | null])[] = [
    ["sourcify", "https://sourcify.dev/server"],
    ["blockscout", blockscoutUrl === null ? null : `${blockscoutUrl}/api`],
    ["etherscan", etherscanKey === undefined ? null : "https://api.etherscan.io/v2/api"],
  ];
  return own.flatMap(([explorer, url]): [Explorer, string][] => {
    const given = flags[`${explorer}-url`];
    if (explorer === "etherscan" && etherscanKey === undefined) return [];
    if (given !== undefined) return [[explorer, parseUrl(`${explorer}-url`, given)]];
    return url === null ? [] : [[explorer, url]];
  });
}

/** The explorers that answer. The others are reported, and nothing is compiled for them. */
async function findAnsweringExplorers(
  explorers: readonly (readonly [Explorer, string])[],
  onSilent: (explorer: Explorer, reason: string) => void,
): Promise<readonly (readonly [Explorer, string])[]> {
  const reasons = await Promise.all(explorers.map(([, url]) => findSilence(url)));
  return explorers.filter(([explorer, url], index) => {
    const reason = reasons[index] ?? null;
    if (reason !== null) onSilent(explorer, `${new URL(url).host} does not answer (${reason})`);
    return reason === null;
  });
}

/**
 * Sends the sources to every explorer that answers, and reports each outcome and the command to retry. Never throws for
 * an explorer's answer.
 */
export async function publishSources(
  context: DeployContext,
  contracts: VerifyOptions["contracts"],
  flags: DeployFlags,
  retryCommand: string,
  terminal: Terminal,
): Promise<readonly VerifyOutcome[]> {
  const { style, print: write } = terminal;
  const etherscanKey = getEnvironment().ETHERSCAN_API_KEY || undefined;
  const outcomes: VerifyOutcome[] = [];
  write(`\n  ${style.bold("Sources")}`);
  if (etherscanKey === undefined) {
    write(`  ${style.warn("!")} Etherscan is skipped: set its key as ETHERSCAN_API_KEY`);
  }
  const answering = await findAnsweringExplorers(listExplorers(context, flags, etherscanKey), (explorer, reason) => {
    write(`  ${style.warn("!")} ${explorer}: ${reason}`);
    for (const [name, { address }] of Object.entries(contracts))
      outcomes.push({ name, address, explorer, verified: false, attempts: 0, reason });
  });
  if (answering.length > 0) {
    await compileContracts(() => write("  compiling the sources that are published …"));
    const runtime = await createRuntime({
      ...context,
      explorers: Object.fromEntries(answering),
      ...(etherscanKey === undefined ? {} : { etherscanKey }),
    });
    const tried = await verifySources({
      runtime,
      contracts,
      explorers: answering.map(([explorer]) => explorer),
      attempts: ATTEMPTS,
      maxMs: MAX_MS,
      initialDelayMs: INITIAL_DELAY_MS,
      onOutcome: ({ name, explorer, verified, attempts, reason }) =>
        write(
          verified
            ? `  ${style.good("✓")} ${name} at ${explorer}`
            : `  ${style.warn("!")} ${name} at ${explorer}, ${attempts} attempts: ${reason}`,
        ),
    });
    outcomes.push(...tried);
  }
  if (outcomes.some(({ verified }) => !verified)) {
    write(`  the contracts work without this; try again with: ${retryCommand}`);
  }
  return outcomes;
}
