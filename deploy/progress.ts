import type { Address, PublicClient } from "viem";
import { isSameAddress } from "../domain/addresses.ts";
import { TOKEN_ABI } from "./abi.ts";
import type { ArcadeParameters } from "./modules/parameters.ts";
import type { CallStep, Step } from "./steps.ts";

export interface ProgressOptions {
  readonly client: PublicClient;
  readonly steps: readonly Step[];
  readonly deployer: Address;
  readonly parameters: ArcadeParameters;
}

const hasCode = async (client: PublicClient, address: Address): Promise<boolean> =>
  (await client.getCode({ address })) !== undefined;

const findAddress = (steps: readonly Step[], contract: string): Address => {
  const found = steps.find((step) => step.kind === "create" && step.contract === contract);
  if (found?.kind !== "create") throw new Error(`the deployment has no ${contract}`);
  return found.address;
};

/**
 * Whether a call had its effect. The whole supply starts at the deployer: the balance falls below the supply with the
 * funding and below supply minus float with the transfer, and no other account has tokens to raise it before.
 */
async function isCallDone({ client, steps, deployer, parameters }: ProgressOptions, step: CallStep): Promise<boolean> {
  const token = { address: findAddress(steps, "RewardToken"), abi: TOKEN_ABI } as const;
  const rewards = findAddress(steps, "RewardsV2");
  if (!(await hasCode(client, token.address)) || !(await hasCode(client, rewards))) return false;
  const { float } = parameters;
  const { supply } = parameters.token;
  const balance = await client.readContract({ ...token, functionName: "balanceOf", args: [deployer] });
  const isFunded = float === 0n || balance < supply;
  if (step.functionName === "fund") return isFunded;
  if (step.functionName === "approve") {
    if (isFunded) return true;
    return (await client.readContract({ ...token, functionName: "allowance", args: [deployer, rewards] })) >= float;
  }
  if (step.functionName !== "transfer") throw new Error(`the chain does not show whether ${step.name} is done`);
  // A transfer to the deployer itself changes nothing.
  const isNeedless = supply === float || isSameAddress(deployer, parameters.treasury);
  return isFunded && (isNeedless || balance < supply - float);
}

/** Whether a step is done, by the state on chain: CREATE2 can only put one code at a step's address. */
export const isStepDone = (options: ProgressOptions, step: Step): Promise<boolean> =>
  step.kind === "create" ? hasCode(options.client, step.address) : isCallDone(options, step);
