import {
  type Future,
  type IgnitionModule,
  isAccountRuntimeValue,
  isContractFuture,
  isFunctionCallFuture,
  isFuture,
  isNamedContractDeploymentFuture,
} from "@nomicfoundation/ignition-core";
import { type Abi, encodeDeployData, encodeFunctionData } from "viem";
import { loadArtifact } from "../artifacts.ts";
import { predictAddress } from "./create2.ts";

type Hex = `0x${string}`;
type Address = `0x${string}`;

/** One transaction of a deployment. */
export type Step =
  | {
      readonly kind: "create";
      /** The future's id with a dot, as in the addresses file: `Rewards.RewardsV2`. */
      readonly name: string;
      readonly contract: string;
      readonly address: Address;
      readonly args: readonly unknown[];
      readonly initCode: Hex;
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly functionName: string;
      readonly to: Address;
      readonly data: Hex;
    };

function listFutures(module: IgnitionModule, seen = new Set<Future>()): readonly Future[] {
  for (const part of module.submodules) listFutures(part as IgnitionModule, seen);
  for (const future of module.futures) seen.add(future);
  return [...seen];
}

/**
 * What a module will send, in its order, with every address it will create. Only contracts by name and calls of their
 * functions are known: that is what our modules consist of.
 */
export async function listSteps(module: IgnitionModule, deployer: Address, salt: Hex): Promise<readonly Step[]> {
  const addresses = new Map<string, Address>();
  const resolve = (value: unknown): unknown => {
    if (isFuture(value)) return addresses.get(value.id);
    if (isAccountRuntimeValue(value)) return deployer;
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolve(field)]));
  };
  const steps: Step[] = [];
  for (const future of listFutures(module)) {
    const name = future.id.replace("#", ".");
    if (isNamedContractDeploymentFuture(future)) {
      const { abi, bytecode } = await loadArtifact(future.contractName);
      const args = future.constructorArgs.map(resolve);
      const initCode = encodeDeployData({ abi: abi as Abi, bytecode: bytecode as Hex, args });
      const address = predictAddress(deployer, salt, initCode);
      addresses.set(future.id, address);
      steps.push({ kind: "create", name, contract: future.contractName, address, args, initCode });
    } else if (isFunctionCallFuture(future) && isContractFuture(future.contract)) {
      const { functionName } = future;
      const { abi } = await loadArtifact(future.contract.contractName);
      const data = encodeFunctionData({ abi: abi as Abi, functionName, args: future.args.map(resolve) });
      steps.push({ kind: "call", name, functionName, to: addresses.get(future.contract.id)!, data });
    } else {
      throw new Error(`the plan does not know how to show ${future.id}`);
    }
  }
  return steps;
}
