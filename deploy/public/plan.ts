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
    return await client.estimateGas({ account: deployer, data: step.initCode });
  }
  return await client.estimateGas({ account: deployer, to: CREATE_X, data: encodeCreation(salt, step.initCode) });
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
    const isDone =
      step.kind === "create"
        ? (await client.getCode({ address: step.address })) !== undefined
        : options.done.has(step.name);
    steps.push({ ...step, isDone, gas: isDone ? 0n : await gasOf(options, step) });
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
