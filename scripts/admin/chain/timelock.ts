/** Calls through a timelock: schedules them, and executes them after its delay. */
import { type Abi, decodeFunctionData } from "viem";
import { getAccountKind } from "../../../deploy/admin/account-kind.ts";
import {
  type AdminCall,
  type AdminChange,
  createCall,
  formatCall,
  loadToken,
  type NamedContract,
} from "../../../deploy/admin/calls.ts";
import { describeTimelockOperation, type TimelockOperation } from "../../../deploy/admin/timelock-operations.ts";
import { loadArtifact } from "../../../deploy/artifacts.ts";
import { TIMELOCK_CONTRACT } from "../../../deploy/timelock.ts";
import { isSameAddress } from "../../../domain/addresses.ts";
import { defineCommand } from "../../cli/command.ts";
import { quoteWord } from "../../cli/endings.ts";
import { CommandError, UsageError } from "../../cli/failures.ts";
import { estimateCall } from "./plan.ts";
import { toIso } from "./read.ts";
import { runChainCommand } from "./run.ts";
import { readSafeFile } from "./safe-file.ts";
import { CHAIN_FLAGS, type ChainTarget } from "./target.ts";

interface ReadOperation {
  readonly timelock: NamedContract;
  readonly calls: readonly AdminCall[];
  readonly operation: TimelockOperation;
}

/** The calls of a file by contract, to show what they do. Throws `UsageError` for unknown contracts. */
async function readOperation(target: ChainTarget, file: string): Promise<ReadOperation> {
  const { client, context, record } = target;
  const { holder, calls: plainCalls } = await readSafeFile(file, context.network.chainId);
  const kind = await getAccountKind(client, holder);
  if (kind !== "timelock")
    throw new UsageError(`FILE: expected calls of a timelock, ${holder} is ${kind === "key" ? "a key" : `a ${kind}`}`);
  const timelock = { name: "timelock", address: holder, abi: (await loadArtifact(TIMELOCK_CONTRACT)).abi as Abi };
  const contracts = [...target.contracts, await loadToken(record), timelock];
  const calls = plainCalls.map(({ to, data }, index) => {
    const contract = contracts.find(({ address }) => isSameAddress(address, to));
    if (contract === undefined)
      throw new UsageError(`FILE: transactions.${index}: expected a contract of the deployment, received ${to}`);
    try {
      const { functionName, args = [] } = decodeFunctionData({ abi: contract.abi, data });
      const change = { what: contract.name, from: "-", to: functionName };
      return createCall(contract, functionName, args, { powers: ["admin"], change });
    } catch {
      throw new UsageError(`FILE: transactions.${index}: ${contract.name} has no function ${data.slice(0, 10)}`);
    }
  });
  return { timelock, calls, operation: await describeTimelockOperation(client, holder, plainCalls) };
}

/** What the timelock calls, and which calls would fail now, such as accepting a role before its delay. */
const describeCalls = (target: ChainTarget, { timelock, calls }: ReadOperation): Promise<readonly string[]> =>
  Promise.all(
    calls.map((call) =>
      estimateCall(target, call, timelock.address).then(
        () => `The timelock calls ${formatCall(call)}`,
        (error: Error) => `The timelock calls ${formatCall(call)}; today it would fail: ${error.message}`,
      ),
    ),
  );

/** A transaction of a proposer or an executor. */
function createStep(
  { timelock, operation }: ReadOperation,
  step: "schedule" | "execute",
  change: AdminCall["change"],
): AdminCall {
  const { data } = operation[step];
  const { functionName, args = [] } = decodeFunctionData({ abi: timelock.abi, data });
  const call = createCall(timelock, functionName, args, {
    powers: [step === "schedule" ? "proposer" : "executor"],
    change,
  });
  return { ...call, args: [operation.id] };
}

async function describeSchedule(target: ChainTarget, file: string): Promise<AdminChange> {
  const read = await readOperation(target, file);
  const { id, state, readyAt, delaySeconds } = read.operation;
  if (state !== "unset")
    return { calls: [], notes: [`Nothing to do: ${id} is scheduled, and can be executed from ${toIso(readyAt!)} on.`] };
  const change = { what: `operation ${id}`, from: "not scheduled", to: `can be executed after ${delaySeconds} s` };
  const next = `Next, after ${delaySeconds} s: npm run admin -- chain execute ${quoteWord(file)}`;
  return {
    calls: [createStep(read, "schedule", change)],
    notes: [...(await describeCalls(target, read)), next],
  };
}

async function describeExecution(target: ChainTarget, file: string): Promise<AdminChange> {
  const read = await readOperation(target, file);
  const { id, state, readyAt, isRepeated } = read.operation;
  if (state === "unset" && isRepeated)
    return { calls: [], notes: ["Nothing to do: these calls were executed. To repeat them, run chain schedule."] };
  if (state === "unset")
    throw new CommandError(`The operation ${id} is not scheduled.`, {
      next: `npm run admin -- chain schedule ${quoteWord(file)}, with a proposer's key`,
    });
  if (state === "waiting")
    throw new CommandError(`The operation ${id} can be executed from ${toIso(readyAt!)} on.`, {
      next: "run the same command after that time",
    });
  const change = { what: `operation ${id}`, from: "scheduled", to: "executed" };
  return {
    calls: [createStep(read, "execute", change)],
    notes: read.calls.map((call) => `The timelock calls ${formatCall(call)}`),
  };
}

const defineTimelockCommand = (
  verb: "schedule" | "execute",
  title: string,
  summary: string,
  describe: (target: ChainTarget, file: string) => Promise<AdminChange>,
) =>
  defineCommand({
    name: `chain ${verb}`,
    args: { file: { help: "the timelock's calls, written by --safe FILE of another chain command" } },
    summary,
    flags: CHAIN_FLAGS,
    examples: [`npm run admin -- chain ${verb} unpause.json --network baseSepolia`],
    run: ({ flags, args }, terminal) =>
      runChainCommand(title, flags, terminal, (target) => describe(target, args.file)),
  });

export const TIMELOCK_COMMANDS = [
  defineTimelockCommand(
    "schedule",
    "Schedule calls of the timelock",
    "schedules a timelock's calls with a proposer's key (ARCADE_PROPOSER_KEY)",
    describeSchedule,
  ),
  defineTimelockCommand(
    "execute",
    "Execute calls of the timelock",
    "executes a timelock's scheduled calls after the delay with an executor's key (ARCADE_PROPOSER_KEY)",
    describeExecution,
  ),
];
