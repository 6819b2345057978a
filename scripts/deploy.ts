/** `npm run deploy`: contracts onto a chain, after the plan was shown and agreed to; goes on where it was interrupted. */
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { ExecutionEventType } from "@nomicfoundation/ignition-core";
import { LOCAL_CHAIN_ID } from "../backend/config/dev-keys.ts";
import { checkHandOver } from "../deploy/public/hand-over.ts";
import { DifferentDeploymentError, type PreparedDeployment, prepareDeployment } from "../deploy/public/run.ts";
import { readDeployment } from "../deploy/record.ts";
import { runCommand, type Terminal } from "./cli/command.ts";
import { CommandError, EXIT, UsageError } from "./cli/failures.ts";
import { findDeployer } from "./deploy/keys.ts";
import { confirmationsOf, DEPLOY_FLAGS, type DeployCommand, findPlace, folderOf } from "./deploy/options.ts";
import { findParameters } from "./deploy/parameters.ts";
import { ether, showHandOver, showPlan, showRecord } from "./deploy/show.ts";
import { publishSources } from "./deploy/sources.ts";
import { buildContracts } from "./start/build.ts";

/** How often a chain is asked for its next block. */
const POLL_MS = { local: 50, public: 1_000 };

function checkPlan({ objections, plan }: PreparedDeployment): void {
  const { faults } = objections;
  if (faults.length > 0) {
    throw new CommandError(
      `Nothing was sent: ${faults.length === 1 ? "a fault stands" : `${faults.length} faults stand`} against it`,
      {
        next: "see the lines above; addresses stand in the file of --roles",
      },
    );
  }
  if (plan.balanceWei < plan.neededWei) {
    throw new CommandError(
      `Nothing was sent: the deployer has ${ether(plan.balanceWei)} ETH, ${ether(plan.neededWei)} are needed`,
      {
        exitCode: EXIT.chain,
        next: "send it the difference and run the same command again",
      },
    );
  }
}

async function agree(yes: boolean, chainId: number): Promise<void> {
  if (yes || chainId === LOCAL_CHAIN_ID) return;
  if (process.stdin.isTTY !== true) {
    throw new UsageError(`Nothing is sent on chain ${chainId} unasked: answer on a terminal, or give --yes`);
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question("  Send it? [y/N] ");
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("Nothing was sent.");
  } finally {
    reader.close();
  }
}

/** A line for each step that is through. */
function follow(terminal: Terminal): Parameters<PreparedDeployment["execute"]>[0] {
  const { style } = terminal;
  return (event) => {
    const done =
      event.type === ExecutionEventType.DEPLOYMENT_EXECUTION_STATE_COMPLETE ||
      event.type === ExecutionEventType.CALL_EXECUTION_STATE_COMPLETE;
    if (done) terminal.say(`  ${style.good("✓")} ${event.futureId.replace("#", ".")}`);
  };
}

const command: DeployCommand = {
  name: "deploy",
  summary: "contracts onto a chain: shows plan and cost, asks, deploys, checks the hand-over, publishes the sources",
  flags: DEPLOY_FLAGS,
  examples: [
    "npm run deploy -- --network baseSepolia --roles roles.json --plan",
    "ARCADE_DEPLOYER_KEY=@deployer.key npm run deploy -- --network baseSepolia --roles roles.json",
    "npm run deploy -- --network baseSepolia --verify-only",
  ],
  async run({ flags }, terminal) {
    const place = await findPlace(flags);
    const { network, rpcUrl } = place;
    const out = folderOf(flags.out, DEPLOY_FLAGS.out.default);
    const recordPath = join(out, `${network.chainId}.json`);
    await buildContracts();
    if (flags["verify-only"]) {
      const record = await readDeployment(recordPath);
      if (record === null) throw new UsageError(`--verify-only: there is no ${recordPath}`);
      const outcomes = await publishSources(place, record, flags, terminal);
      terminal.answer({ ok: outcomes.every(({ verified }) => verified), verification: outcomes });
      return outcomes.every(({ verified }) => verified) ? EXIT.ok : EXIT.fault;
    }
    const account = await findDeployer(place);
    const parameters = await findParameters(network, flags.roles);
    const prepared = await prepareDeployment({
      ...{ rpcUrl, account, network, parameters, recordPath },
      saltLabel: flags.salt ?? DEPLOY_FLAGS.salt.default,
      folder: join(out, String(network.chainId)),
      confirmations: confirmationsOf(flags, network),
      pollMs: network.chainId === LOCAL_CHAIN_ID ? POLL_MS.local : POLL_MS.public,
    }).catch((cause: unknown) => {
      if (!(cause instanceof DifferentDeploymentError)) throw cause;
      const next = "for a new deployment give another folder with --out; to go on, give what it was begun with";
      throw new CommandError(cause.message, { next, cause });
    });
    showPlan({ place, parameters, deployer: account.address, prepared }, terminal);
    const { steps, gas, costWei, balanceWei } = prepared.plan;
    const plan = {
      ...{ gas: String(gas), costWei: String(costWei), balanceWei: String(balanceWei) },
      ...prepared.objections,
      steps: steps.map((step) => ({
        name: step.name,
        address: step.kind === "create" ? step.address : step.to,
        isDone: step.isDone,
      })),
    };
    if (flags.plan) {
      terminal.answer({ ok: prepared.objections.faults.length === 0, chainId: network.chainId, plan });
      return prepared.objections.faults.length === 0 ? EXIT.ok : EXIT.fault;
    }
    if (prepared.progress !== "complete") {
      checkPlan(prepared);
      await agree(flags.yes === true, network.chainId);
    }
    const record = await prepared.execute(follow(terminal));
    showRecord(record, recordPath, network.explorerUrl, terminal);
    const handOver = await checkHandOver(prepared.client, parameters, record, account.address);
    showHandOver(handOver, terminal);
    // A deployment that was finished before has lived since: roles are rotated and floats are spent.
    const isHandedOver = prepared.progress === "complete" || handOver.every(({ holds }) => holds);
    const skips = flags["no-verify"] === true || network.chainId === LOCAL_CHAIN_ID;
    // What an explorer says never makes a deployment fail: the contracts are there.
    const verification = skips ? [] : await publishSources(place, record, flags, terminal);
    terminal.answer({
      ok: isHandedOver,
      chainId: network.chainId,
      path: recordPath,
      plan,
      record,
      handOver,
      verification,
    });
    if (isHandedOver) return EXIT.ok;
    throw new CommandError("The hand-over is not complete", {
      next: "do not use this deployment; see the lines above",
    });
  },
};

process.exitCode = await runCommand(command);
