import type { Hex } from "viem";
import type { Stage } from "./modules/parameters.ts";
import { isStepDone, type ProgressOptions } from "./progress.ts";
import { CREATE_X, encodeDeployCreate2 } from "./public/create2.ts";
import { getDataFee } from "./public/data-fee.ts";
import { getFactoryCost } from "./public/factory.ts";
import type { Step } from "./steps.ts";

/** Upper bounds for calls that cannot be estimated before their contracts exist. */
const CALL_GAS: { readonly [functionName: string]: bigint } = { approve: 50_000n, fund: 80_000n, transfer: 60_000n };
const DEFAULT_CALL_GAS = 200_000n;

export type PlannedStep = Step & { readonly gas: bigint; readonly isDone: boolean };

export interface Plan {
  readonly steps: readonly PlannedStep[];
  /** The gas of all remaining steps. */
  readonly gas: bigint;
  /** Current wei per unit of gas, tip included. */
  readonly gasPrice: bigint;
  readonly dataFeeWei: bigint;
  /** The cost of the factory on a testnet that lacks it. */
  readonly factoryWei: bigint;
  readonly costWei: bigint;
  readonly balanceWei: bigint;
  /** Required balance: twice the current fees, because they may rise. */
  readonly requiredWei: bigint;
}

export interface PlanOptions extends ProgressOptions {
  readonly salt: Hex;
  readonly stage: Stage;
}

async function estimateStepGas({ client, deployer, salt }: PlanOptions, step: Step): Promise<bigint> {
  if (step.kind === "call") return CALL_GAS[step.functionName] ?? DEFAULT_CALL_GAS;
  // The factory is deployed with the first step.
  if ((await client.getCode({ address: CREATE_X })) === undefined) {
    return await client.estimateGas({ account: deployer, data: step.initCode, blockTag: "latest" });
  }
  const data = encodeDeployCreate2(salt, step.initCode);
  // By default nodes estimate on top of pending transactions, where a pending creation would revert.
  return await client.estimateGas({ account: deployer, to: CREATE_X, data, blockTag: "latest" });
}

/** Gas of a step; null if it is done. A block that is mined between two requests may complete the step. */
async function estimatePendingGas(options: PlanOptions, step: Step): Promise<bigint | null> {
  const isDone = (): Promise<boolean> => isStepDone(options, step);
  if (await isDone()) return null;
  try {
    return await estimateStepGas(options, step);
  } catch (error) {
    if (await isDone()) return null;
    throw error;
  }
}

const toCall = ({ salt }: PlanOptions, step: Step) =>
  step.kind === "call"
    ? { to: step.to, data: step.data }
    : { to: CREATE_X, data: encodeDeployCreate2(salt, step.initCode) };

/** What a deployment will send and cost. Sends nothing. */
export async function createPlan(options: PlanOptions): Promise<Plan> {
  const { client, deployer } = options;
  const steps: PlannedStep[] = [];
  for (const step of options.steps) {
    const gas = await estimatePendingGas(options, step);
    steps.push({ ...step, isDone: gas === null, gas: gas ?? 0n });
  }
  const pendingSteps = steps.filter(({ isDone }) => !isDone);
  const gas = pendingSteps.reduce((sum, step) => sum + step.gas, 0n);
  const [gasPrice, dataFeeWei, factoryWei, balanceWei] = await Promise.all([
    client.getGasPrice(),
    getDataFee(
      client,
      pendingSteps.map((step) => toCall(options, step)),
    ),
    getFactoryCost(client, options.stage),
    client.getBalance({ address: deployer }),
  ]);
  const feesWei = gas * gasPrice + dataFeeWei;
  const costWei = feesWei + factoryWei;
  return { steps, gas, gasPrice, dataFeeWei, factoryWei, costWei, balanceWei, requiredWei: costWei + feesWei };
}
