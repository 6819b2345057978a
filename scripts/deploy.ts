/**
 * `npm run deploy`: shows the plan, asks for confirmation and deploys the contracts; continues an interrupted
 * deployment.
 */
import { join } from "node:path";
import { writeDescriptors } from "../deploy/clear-signing.ts";
import {
  type DeployEvent,
  type DeployOptions,
  DifferentDeploymentError,
  type PreparedDeployment,
  prepareDeployment,
} from "../deploy/execute-public.ts";
import { lockDeployment } from "../deploy/folder-lock.ts";
import { findParameterErrors } from "../deploy/modules/parameter-errors.ts";
import { checkHandOver, type HandOverCheck, isChangedSince } from "../deploy/public/hand-over.ts";
import { readDeployment } from "../deploy/record.ts";
import { LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";
import { defineCommand } from "./cli/command.ts";
import { confirmSending } from "./cli/confirm.ts";
import { CommandError, EXIT, UsageError } from "./cli/failures.ts";
import type { Terminal } from "./cli/terminal.ts";
import { createDifferenceFinder } from "./deploy/current-state.ts";
import { findDeployer } from "./deploy/keys.ts";
import {
  DEPLOY_FLAGS,
  type DeployContext,
  type DeployFlags,
  loadDeployContext,
  parseConfirmations,
  resolveFolder,
} from "./deploy/options.ts";
import { loadParameters } from "./deploy/parameters.ts";
import { rehearse } from "./deploy/rehearse.ts";
import { formatShortEther, showHandOver, showPlan, showRecord } from "./deploy/show.ts";
import { isPublishing, publishSources, renderVerifyCommand } from "./deploy/sources.ts";
import { createTestnetRoles } from "./deploy/testnet-roles.ts";
import { deployTimelock } from "./deploy/timelock.ts";
import { createProgressReporter } from "./deploy/waiting.ts";

/** How often to poll a chain for its next block. */
const POLL_MS = { local: 50, public: 1_000 };

/** Checked here because a gas estimate would only give the contract's error. */
function rejectErrors(errors: readonly string[], { style, print }: Terminal): void {
  if (errors.length === 0) return;
  for (const error of errors) print(`  ${style.bad("✗")} ${error}`);
  const count = errors.length === 1 ? "a fault" : `${errors.length} faults`;
  throw new CommandError(`Nothing was sent: the parameters have ${count}: ${errors.join("; ")}`, {
    next: "correct the file of --roles",
  });
}

/** The problems that stop a deployment, as sentences. */
function listFaults({ preflight, plan, progress }: PreparedDeployment): readonly string[] {
  if (progress === "complete" || plan.balanceWei >= plan.requiredWei) return preflight.faults;
  const amounts = `has ${formatShortEther(plan.balanceWei)} ETH, but needs ${formatShortEther(plan.requiredWei)} ETH`;
  return [...preflight.faults, `deployer: ${amounts}; send it the difference`];
}

function checkPlan({ preflight: objections, plan }: PreparedDeployment): void {
  const { faults: errors } = objections;
  if (errors.length > 0) {
    throw new CommandError(
      `Nothing was sent: there ${errors.length === 1 ? "is a problem" : `are ${errors.length} problems`}`,
      {
        next: "see the lines above; the addresses are in the file of --roles",
      },
    );
  }
  if (plan.balanceWei < plan.requiredWei) {
    throw new CommandError(
      `Nothing was sent: the deployer has ${formatShortEther(plan.balanceWei)} ETH, but needs ${formatShortEther(plan.requiredWei)} ETH`,
      {
        exitCode: EXIT.chain,
        next: "send it the difference and run the same command again",
      },
    );
  }
}

/** Prints a line for each finished step, and for what a step waits for. */
function createProgressListener(terminal: Terminal): (event: DeployEvent) => void {
  const reportWaiting = createProgressReporter(terminal);
  return (event) => {
    if (event.kind === "lost") terminal.print(`  ${terminal.style.warn("!")} ${event.message}`);
    else if (event.kind === "done") terminal.print(`  ${terminal.style.good("✓")} ${event.step}`);
    else reportWaiting(event);
  };
}

/** One process works on a deployment at a time. A second one prints which process holds it, waits, and checks again. */
async function lockOut(out: string, chainId: number, { style, print }: Terminal): Promise<() => void> {
  return lockDeployment(join(out, String(chainId)), (holder) =>
    print(
      `  ${style.warn("!")} ${holder === null ? "another process" : `process ${holder.pid}`} works on this deployment${holder === null ? "" : ` since ${holder.since}`}; waiting until it is done`,
    ),
  );
}

async function runVerifyOnly(
  context: DeployContext,
  recordPath: string,
  flags: DeployFlags,
  terminal: Terminal,
): Promise<number> {
  const record = await readDeployment(recordPath);
  if (record === null) throw new UsageError(`--verify-only: there is no ${recordPath}`);
  const outcomes = await publishSources(context, record.contracts, flags, renderVerifyCommand(flags), terminal);
  const isVerified = outcomes.every(({ verified }) => verified);
  terminal.printJson({ ok: isVerified, verification: outcomes });
  return isVerified ? EXIT.ok : EXIT.error;
}

/** The plan in the JSON output. */
const toPlanJson = (prepared: PreparedDeployment) => ({
  gas: String(prepared.plan.gas),
  costWei: String(prepared.plan.costWei),
  balanceWei: String(prepared.plan.balanceWei),
  warnings: prepared.preflight.warnings,
  faults: listFaults(prepared),
  steps: prepared.plan.steps.map((step) => ({
    name: step.name,
    address: step.kind === "create" ? step.address : step.to,
    isDone: step.isDone,
  })),
});

async function runDeploy(context: DeployContext, out: string, flags: DeployFlags, terminal: Terminal): Promise<number> {
  const { network, rpcUrl } = context;
  const recordPath = join(out, `${network.chainId}.json`);
  const account = await findDeployer(context);
  const parameters = await loadParameters(network, flags.roles);
  const saltLabel = flags.salt ?? DEPLOY_FLAGS.salt.default;
  const confirmations = parseConfirmations(flags, network);
  rejectErrors(findParameterErrors(parameters, network.stage), terminal);
  const options: DeployOptions = {
    rpcUrl,
    account,
    network,
    parameters,
    recordPath,
    saltLabel,
    confirmations,
    folder: join(out, String(network.chainId)),
    pollMs: network.chainId === LOCAL_CHAIN_ID ? POLL_MS.local : POLL_MS.public,
    findDifferences: createDifferenceFinder(context, recordPath, parameters, saltLabel),
  };
  const prepared = await prepareDeployment(options).catch((cause: unknown) => {
    if (!(cause instanceof DifferentDeploymentError)) throw cause;
    const next =
      "for a new deployment set another folder with --out; to continue, use the original parameters; after an intended change use the values on chain (npm run doctor -- --roles FILE prints them)";
    throw new CommandError(cause.message, { next, cause });
  });
  const plan = toPlanJson(prepared);
  const { faults } = plan;
  showPlan({ context, parameters, deployer: account.address, prepared, faults, saltLabel, confirmations }, terminal);
  if (flags.plan || (flags.rehearse && faults.length > 0)) {
    terminal.printJson({ ok: faults.length === 0, chainId: network.chainId, plan });
    return faults.length === 0 ? EXIT.ok : EXIT.error;
  }
  if (flags.rehearse) {
    const rehearsal = await rehearse(options, prepared, terminal);
    terminal.printJson({ ok: rehearsal.isEqual, chainId: network.chainId, plan, rehearsal });
    return rehearsal.isEqual ? EXIT.ok : EXIT.error;
  }
  if (prepared.progress !== "complete") {
    checkPlan(prepared);
    await confirmSending(flags.yes === true, network.chainId);
  }
  const record = await prepared.execute(createProgressListener(terminal));
  showRecord(record, recordPath, network.explorerUrl, terminal);
  await writeDescriptors(join(out, `${network.chainId}.clear-signing`), record);
  const handOver = await checkHandOver(prepared.client, parameters, record, account.address);
  const isOld = prepared.progress === "complete" || prepared.progress === "growing";
  const isChanged = (check: HandOverCheck): boolean => isOld && isChangedSince(check, prepared.newGames);
  showHandOver(handOver, isChanged, terminal);
  const isHandedOver = handOver.every((check) => check.holds || isChanged(check));
  // An explorer never makes a deployment fail: the contracts are deployed.
  const verification = isPublishing(flags, network.chainId)
    ? await publishSources(context, record.contracts, flags, renderVerifyCommand(flags), terminal)
    : [];
  const summary = { chainId: network.chainId, path: recordPath, plan, record, handOver, verification };
  terminal.printJson({ ok: isHandedOver, ...summary });
  if (isHandedOver) return EXIT.ok;
  throw new CommandError("The roles and limits on chain are not as planned", {
    next: "do not use this deployment; see the lines above",
  });
}

function checkTarget(target: string | undefined, flags: DeployFlags): void {
  if (target !== undefined && target !== "timelock" && target !== "roles")
    throw new UsageError(`TARGET: expected timelock, roles or nothing, received "${target}"`);
  if (target !== "roles" && flags["public-url"] !== undefined)
    throw new UsageError("--public-url belongs to npm run deploy -- roles, which writes it into the file of --roles");
  const extra = (["proposers", "executors", "delay-seconds"] as const).find((name) => flags[name] !== undefined);
  if (target === "timelock" && flags.rehearse) throw new UsageError("--rehearse is for the contracts only");
  if (target === undefined && extra !== undefined)
    throw new UsageError(`--${extra} belongs to npm run deploy -- timelock`);
}

export const command = defineCommand({
  name: "deploy",
  leavesRequests: true,
  summary:
    "deploys the contracts: shows plan and cost, asks for confirmation, checks the result, publishes the sources",
  args: {
    target: {
      value: "timelock|roles",
      help: "instead of the contracts: a timelock as the admin, or keys and a file of roles for a testnet",
      count: "optional",
    },
  },
  flags: DEPLOY_FLAGS,
  examples: [
    "npm run deploy -- --network baseSepolia --roles roles.json --plan",
    "npm run deploy -- --network baseSepolia --roles roles.json --rehearse",
    "ARCADE_DEPLOYER_KEY=@deployer.key npm run deploy -- --network baseSepolia --roles roles.json",
    "npm run deploy -- --network baseSepolia --verify-only",
    "npm run deploy -- timelock --network baseSepolia --proposers 0x…,0x… --plan",
  ],
  async run({ flags, args }, terminal) {
    checkTarget(args.target, flags);
    if (args.target === "roles")
      return createTestnetRoles(flags, resolveFolder(flags.out, DEPLOY_FLAGS.out.default), terminal);
    const context = await loadDeployContext(flags);
    const { chainId } = context.network;
    const out = resolveFolder(flags.out, DEPLOY_FLAGS.out.default);
    if (flags["verify-only"]) return runVerifyOnly(context, join(out, `${chainId}.json`), flags, terminal);
    const run = args.target === "timelock" ? deployTimelock : runDeploy;
    if (flags.plan || flags.rehearse) return run(context, out, flags, terminal);
    const release = await lockOut(out, chainId, terminal);
    try {
      return await run(context, out, flags, terminal);
    } finally {
      release();
    }
  },
});
