/**
 * `npm run deploy -- --rehearse`: runs the deployment on a local copy of the chain, with every fault that it must
 * survive.
 */
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type DeployOptions, type PreparedDeployment, prepareDeployment } from "../../deploy/execute-public.ts";
import { checkHandOver } from "../../deploy/public/hand-over.ts";
import { createRpcRequest, type RpcRequest } from "../../deploy/public/rpc.ts";
import { readSent } from "../../deploy/public/sent-log.ts";
import { getFees } from "../../deploy/public/transactions.ts";
import { CommandError } from "../cli/failures.ts";
import { formatCount, formatInteger, padEnd } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import { startAnvil } from "./anvil.ts";
import { formatShortEther } from "./show.ts";

/** Seconds between blocks of the copy, and the polling interval. */
const BLOCK_SECONDS = 0.2;
const POLL_MS = 20;
/** A delayed transaction reaches the copy some blocks later. */
const DELAY_MS = 1_000;
const MAX_RUNS = 200;

/** The fault of one request: the run ends before or after the node gets it, or the request is lost or delayed. */
type Fault = "none" | "end before" | "end after" | "drop" | "delay";

interface Scenario {
  readonly name: string;
  readonly fault: Fault;
  /** The requests that get the fault, each once; for `delay` each time. */
  readonly method: string;
}

const SEND = "eth_sendRawTransaction";
const SCENARIOS: readonly Scenario[] = [
  { name: "not disturbed", fault: "none", method: SEND },
  { name: "ended before each send", fault: "end before", method: SEND },
  { name: "ended after each send", fault: "end after", method: SEND },
  { name: "ended before each receipt", fault: "end before", method: "eth_getTransactionReceipt" },
  { name: "dropped once at each send", fault: "drop", method: SEND },
  { name: "delayed at each send", fault: "delay", method: SEND },
];

/** The run was ended on purpose, as if its process had been killed: every later request fails too. */
class EndedRun extends Error {
  /** EIP-1193: not retried. */
  readonly code = 4_001;
}

/** Requests to the copy, with the faults of a scenario. `begin` starts the next run. */
function injectFaults(request: RpcRequest, scenario: Scenario) {
  const seen = new Set<string>();
  let isEnded = false;
  const ask: RpcRequest = async (call) => {
    if (isEnded) throw new EndedRun();
    const key = JSON.stringify(call.params);
    const isMeant = call.method === scenario.method && (scenario.fault === "delay" || !seen.has(key));
    const fault = isMeant ? scenario.fault : "none";
    if (isMeant) seen.add(key);
    if (fault === "end before") isEnded = true;
    if (isEnded) throw new EndedRun();
    // The node accepts the transaction and loses it.
    if (fault === "drop") return null;
    if (fault === "delay") await wait(DELAY_MS);
    const answer = await request(call);
    if (fault === "end after") isEnded = true;
    if (isEnded) throw new EndedRun();
    return answer;
  };
  const begin = (): boolean => {
    const wasEnded = isEnded;
    isEnded = false;
    return wasEnded;
  };
  return { request: ask, begin };
}

interface Outcome {
  readonly scenario: string;
  readonly runs: number;
  readonly transactions: number;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** Addresses and code hashes by name. */
  readonly contracts: { readonly [name: string]: string };
  readonly isHandedOver: boolean;
}

/** Repeats a deployment until it is complete. Throws errors that the scenario did not cause. */
async function runUntilComplete(options: DeployOptions, begin: () => boolean) {
  for (let run = 1; run <= MAX_RUNS; run++) {
    try {
      const prepared = await prepareDeployment(options);
      return { run, prepared, record: await prepared.execute(() => {}) };
    } catch (error) {
      if (!begin()) throw error;
    }
  }
  throw new CommandError(`The deployment is not complete after ${MAX_RUNS} runs`);
}

async function playScenario(options: DeployOptions, isOld: boolean, scenario: Scenario): Promise<Outcome> {
  const { account, parameters, folder, recordPath } = options;
  const place = await mkdtemp(join(tmpdir(), "arcade-rehearsal-"));
  try {
    const own = { folder: join(place, "sent"), recordPath: join(place, "addresses.json") };
    // What an interrupted deployment has signed, and the contracts that a growing one keeps.
    if (existsSync(folder)) await cp(folder, own.folder, { recursive: true });
    if (existsSync(recordPath)) await cp(recordPath, own.recordPath);
    const earlier = new Set(readSent(own.folder).map(({ txHash }) => txHash));
    const node = createRpcRequest(options.rpcUrl);
    const countNonces = async () =>
      Number(await node({ method: "eth_getTransactionCount", params: [account.address, "latest"] }));
    const firstNonce = await countNonces();
    const { request, begin } = injectFaults(node, scenario);
    const { run, prepared, record } = await runUntilComplete({ ...options, ...own, request }, begin);
    const { client } = prepared;
    const sent = readSent(own.folder).filter(({ txHash }) => !earlier.has(txHash));
    const facts = await Promise.all(
      sent.map(async ({ txHash: hash }) => ({
        used: (await client.getTransactionReceipt({ hash })).gasUsed,
        limit: (await client.getTransaction({ hash })).gas,
      })),
    );
    const handOver = await checkHandOver(client, parameters, record, account.address);
    return {
      scenario: scenario.name,
      runs: run,
      transactions: (await countNonces()) - firstNonce,
      gasUsed: facts.reduce((sum, { used }) => sum + used, 0n),
      gasLimit: facts.reduce((sum, { limit }) => sum + limit, 0n),
      contracts: Object.fromEntries(
        Object.entries(record.contracts).map(([name, { address, codeHash }]) => [name, `${address} ${codeHash}`]),
      ),
      isHandedOver: isOld || handOver.every(({ holds }) => holds),
    };
  } finally {
    await rm(place, { recursive: true });
  }
}

const toFacts = ({ transactions, contracts, isHandedOver }: Outcome): string =>
  JSON.stringify([transactions, Object.entries(contracts).sort(), isHandedOver]);

/** Rehearses a deployment on a local copy of its chain; sends nothing to the chain itself. */
export async function rehearse(options: DeployOptions, prepared: PreparedDeployment, terminal: Terminal) {
  const { network, rpcUrl } = options;
  const { style, print: write } = terminal;
  const { client, plan, progress } = prepared;
  write(`\n  ${style.bold("Rehearsal")} on a local copy of ${network.title}; nothing is sent to the chain itself`);
  const flags = ["--chain-id", String(network.chainId), "--block-time", String(BLOCK_SECONDS)];
  const copy = await startAnvil(flags);
  const isOld = progress === "growing" || progress === "complete";
  const outcomes: Outcome[] = [];
  try {
    const request = createRpcRequest(copy.rpcUrl);
    const job = { ...options, rpcUrl: copy.rpcUrl, pollMs: POLL_MS };
    for (const scenario of SCENARIOS) {
      // Keeps the node's URL, which may hold a key, out of the list of processes.
      await request({ method: "anvil_reset", params: [{ forking: { jsonRpcUrl: rpcUrl } }] });
      const outcome = await playScenario(job, isOld, scenario).catch((cause: Error) => {
        const message = `The rehearsal "${scenario.name}" failed: ${cause.message}`;
        throw new CommandError(message, {
          next: "nothing was sent to the chain; do not deploy before you understand this",
          cause,
        });
      });
      outcomes.push(outcome);
      const { runs, transactions, gasUsed } = outcome;
      const isGood = outcome.isHandedOver && toFacts(outcome) === toFacts(outcomes[0]!);
      write(
        `  ${isGood ? style.good("✓") : style.bad("✗")} ${padEnd(scenario.name, 27)} ${formatCount(runs, "run")}, ${formatCount(transactions, "transaction")}, ${formatInteger(gasUsed)} gas`,
      );
    }
  } finally {
    await copy.close();
  }
  const [first] = outcomes;
  const isEqual = outcomes.every((outcome) => outcome.isHandedOver && toFacts(outcome) === toFacts(first!));
  const fees = await getFees(client);
  const others = plan.dataFeeWei + plan.factoryWei;
  const worst = (select: (outcome: Outcome) => bigint): bigint =>
    outcomes.map(select).reduce((most, gas) => (gas > most ? gas : most));
  const costWei = worst(({ gasUsed }) => gasUsed) * plan.gasPrice + others;
  const worstCostWei = worst(({ gasLimit }) => gasLimit) * (fees.maxFeePerGas ?? fees.gasPrice) + others;
  write(
    isEqual
      ? "  every run ended with the same contracts, at the addresses of the plan"
      : `  ${style.bad("the runs did not end with the same contracts and roles")}`,
  );
  write(
    `  cost at the fees of now ${style.bold(`${formatShortEther(costWei)} ETH`)}, at most ${style.bold(`${formatShortEther(worstCostWei)} ETH`)}`,
  );
  const scenarios = outcomes.map(({ gasUsed, gasLimit, ...outcome }) => ({
    ...outcome,
    gasUsed: String(gasUsed),
    gasLimit: String(gasLimit),
  }));
  return { isEqual, costWei: String(costWei), worstCostWei: String(worstCostWei), scenarios };
}
