/** Publishing the sources at Etherscan and Sourcify. */
import { createRuntime } from "../../deploy/public/hardhat.ts";
import { type Explorer, type VerifyOutcome, verifySources } from "../../deploy/public/verify.ts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { type Terminal, urlOf } from "../cli/command.ts";
import type { DeployFlags, Place } from "./options.ts";

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 5_000;

/** Tries both explorers, tells each outcome, and says how to try again. Never throws for what an explorer answers. */
export async function publishSources(
  { network, rpcUrl }: Place,
  record: DeploymentRecord,
  flags: DeployFlags,
  terminal: Terminal,
): Promise<readonly VerifyOutcome[]> {
  const { style, say } = terminal;
  const etherscanKey = process.env.ETHERSCAN_API_KEY || undefined;
  say(`\n  ${style.bold("Sources")}`);
  if (etherscanKey === undefined) {
    say(`  ${style.warn("!")} Etherscan is left out: give its key as ETHERSCAN_API_KEY`);
  }
  const explorers: readonly Explorer[] = etherscanKey === undefined ? ["sourcify"] : ["sourcify", "etherscan"];
  const runtime = await createRuntime({
    ...{ network, rpcUrl },
    ...(flags["etherscan-url"] === undefined ? {} : { etherscanUrl: urlOf("etherscan-url", flags["etherscan-url"]) }),
    ...(flags["sourcify-url"] === undefined ? {} : { sourcifyUrl: urlOf("sourcify-url", flags["sourcify-url"]) }),
    ...(etherscanKey === undefined ? {} : { etherscanKey }),
  });
  const outcomes = await verifySources({
    ...{ runtime, record, explorers },
    attempts: ATTEMPTS,
    firstWaitMs: FIRST_WAIT_MS,
    tell: ({ name, explorer, verified, attempts, reason }) =>
      say(
        verified
          ? `  ${style.good("✓")} ${name} at ${explorer}`
          : `  ${style.warn("!")} ${name} at ${explorer}, ${attempts} attempts: ${reason}`,
      ),
  });
  if (outcomes.some(({ verified }) => !verified)) {
    say(`  the contracts work all the same; try again with: npm run deploy -- --network ${network.name} --verify-only`);
  }
  return outcomes;
}
