import { type PublicClient, parseAbi, serializeTransaction } from "viem";
import type { ArcadeParameters } from "../modules/parameters.ts";
import { CREATE_X, encodeCreation } from "./create2.ts";
import type { Step } from "./module-steps.ts";

type Hex = `0x${string}`;
type Address = `0x${string}`;

/** Upper figures for calls that cannot be estimated before the contracts they go to exist. */
const CALL_GAS: { readonly [functionName: string]: bigint } = { approve: 50_000n, fund: 80_000n, transfer: 60_000n };
const CALL_GAS_OTHER = 200_000n;

/** Rollups of the OP stack charge for data apart (https://specs.optimism.io/protocol/predeploys.html#gaspriceoracle). */
const GAS_PRICE_ORACLE = "0x420000000000000000000000000000000000000F";
const ORACLE_ABI = parseAbi(["function getL1Fee(bytes data) view returns (uint256)"]);

export type PlannedStep = Step & { readonly gas: bigint; readonly isDone: boolean };

export interface Plan {
  readonly steps: readonly PlannedStep[];
  /** Of the steps that are not done yet. */
  readonly gas: bigint;
  /** Wei for a unit of gas: what the network asks now, tip included. */
  readonly gasPrice: bigint;
  readonly dataFeeWei: bigint;
  readonly costWei: bigint;
  readonly balanceWei: bigint;
  /** Gas money that must be there: twice the price of now, since fees may rise on the way. */
  readonly neededWei: bigint;
}

export interface PlanOptions {
  readonly client: PublicClient;
  readonly steps: readonly Step[];
  readonly deployer: Address;
  readonly salt: Hex;
  readonly parameters: ArcadeParameters;
  /** Names of the steps that the journal of an interrupted deployment knows as done. */
  readonly done: ReadonlySet<string>;
}

async function gasOf({ client, deployer, salt }: PlanOptions, step: Step): Promise<bigint> {
  if (step.kind === "call") return CALL_GAS[step.functionName] ?? CALL_GAS_OTHER;
  // A local chain gets the factory with the first step.
  if ((await client.getCode({ address: CREATE_X })) === undefined) {
    return await client.estimateGas({ account: deployer, data: step.initCode, blockTag: "latest" });
  }
  const data = encodeCreation(salt, step.initCode);
  // Nodes estimate on top of transactions that wait unless told: of a creation that waits already the answer is a revert.
  return await client.estimateGas({ account: deployer, to: CREATE_X, data, blockTag: "latest" });
}

/** Gas of a step; null where it is done. A block may be mined between two questions, by which the step is done. */
async function openGasOf(options: PlanOptions, step: Step): Promise<bigint | null> {
  const isDone = async (): Promise<boolean> =>
    step.kind === "create"
      ? (await options.client.getCode({ address: step.address })) !== undefined
      : options.done.has(step.name);
  if (await isDone()) return null;
  try {
    return await gasOf(options, step);
  } catch (error) {
    if (await isDone()) return null;
    throw error;
  }
}

/** The data fee of the steps on a rollup; zero on other chains. */
async function dataFeeOf({ client, salt }: PlanOptions, steps: readonly Step[]): Promise<bigint> {
  if ((await client.getCode({ address: GAS_PRICE_ORACLE })) === undefined) return 0n;
  const fees = steps.map(async (step) => {
    const call =
      step.kind === "call"
        ? { to: step.to, data: step.data }
        : { to: CREATE_X, data: encodeCreation(salt, step.initCode) };
    const data = serializeTransaction({ ...call, type: "eip1559", chainId: await client.getChainId() });
    const args = [data] as const;
    return await client.readContract({ address: GAS_PRICE_ORACLE, abi: ORACLE_ABI, functionName: "getL1Fee", args });
  });
  return (await Promise.all(fees)).reduce((sum, fee) => sum + fee, 0n);
}

/** What a deployment will send and cost. Sends nothing. */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const { client, deployer } = options;
  const steps: PlannedStep[] = [];
  for (const step of options.steps) {
    const gas = await openGasOf(options, step);
    steps.push({ ...step, isDone: gas === null, gas: gas ?? 0n });
  }
  const open = steps.filter(({ isDone }) => !isDone);
  const gas = open.reduce((sum, step) => sum + step.gas, 0n);
  const [gasPrice, dataFeeWei, balanceWei] = await Promise.all([
    client.getGasPrice(),
    dataFeeOf(options, open),
    client.getBalance({ address: deployer }),
  ]);
  const costWei = gas * gasPrice + dataFeeWei;
  return { steps, gas, gasPrice, dataFeeWei, costWei, balanceWei, neededWei: 2n * costWei };
}
