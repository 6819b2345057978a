import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { loadArtifact } from "./artifacts.ts";
import { describeArcade } from "./modules/arcade.ts";
import type { BuildModule } from "./modules/builder.ts";
import type { ArcadeParameters } from "./modules/parameters.ts";

export interface CreateStep {
  readonly kind: "create";
  /** Ignition's id with a dot, as in the addresses file: `Rewards.RewardsV2`. */
  readonly name: string;
  readonly contract: string;
  readonly address: Address;
  readonly args: readonly unknown[];
  readonly initCode: Hex;
}

export interface CallStep {
  readonly kind: "call";
  readonly name: string;
  readonly functionName: string;
  readonly to: Address;
  readonly data: Hex;
}

/** One transaction of a deployment. */
export type Step = CreateStep | CallStep;

export interface StepOptions {
  readonly deployer: Address;
  /** The address that a contract has or will have. Called once for each creation, in step order. */
  readonly predictAddress: (name: string, initCode: Hex) => Address;
  /** Constructor arguments of an existing contract; null for others, whose arguments come from the parameters. */
  readonly getKnownArguments?: (name: string) => readonly unknown[] | null;
}

class ContractReference {
  readonly moduleId: string;
  readonly contractName: string;
  readonly name: string;
  constructor(moduleId: string, contractName: string) {
    this.moduleId = moduleId;
    this.contractName = contractName;
    this.name = `${moduleId}.${contractName}`;
  }
}

class DeployerReference {}

type RecordedStep =
  | { readonly kind: "create"; readonly contract: ContractReference; readonly args: readonly unknown[] }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly contract: ContractReference;
      readonly functionName: string;
      readonly args: readonly unknown[];
    };

interface RecordedModule {
  readonly submodules: Set<RecordedModule>;
  readonly steps: RecordedStep[];
  readonly results: unknown;
}

/** The part of Ignition's module builder that the modules use. Ignition itself takes seconds to load. */
function recordModule(id: string, describe: (builder: unknown) => unknown): RecordedModule {
  const submodules = new Set<RecordedModule>();
  const steps: RecordedStep[] = [];
  const builder = {
    getAccount: () => new DeployerReference(),
    useModule(module: RecordedModule) {
      submodules.add(module);
      return module.results;
    },
    contract(contractName: string, args: readonly unknown[]) {
      const contract = new ContractReference(id, contractName);
      steps.push({ kind: "create", contract, args });
      return contract;
    },
    call(contract: ContractReference, functionName: string, args: readonly unknown[]) {
      const owner = contract.moduleId === id ? "" : `${contract.moduleId}~`;
      const name = `${id}.${owner}${contract.contractName}.${functionName}`;
      steps.push({ kind: "call", name, contract, functionName, args });
    },
  };
  const results = describe(builder);
  return { submodules, steps, results };
}

function flattenSteps(module: RecordedModule, seen = new Set<RecordedStep>()): readonly RecordedStep[] {
  for (const part of module.submodules) flattenSteps(part, seen);
  for (const step of module.steps) seen.add(step);
  return [...seen];
}

/** The transactions of a deployment in order, with every address, derived from the modules. */
export async function listSteps(parameters: ArcadeParameters, options: StepOptions): Promise<readonly Step[]> {
  const addresses = new Map<string, Address>();
  const resolve = (value: unknown): unknown => {
    if (value instanceof ContractReference) return addresses.get(value.name);
    if (value instanceof DeployerReference) return options.deployer;
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolve(field)]));
  };
  const module = describeArcade(recordModule as unknown as BuildModule, parameters) as unknown as RecordedModule;
  const steps: Step[] = [];
  for (const step of flattenSteps(module)) {
    const { name: contractId, contractName } = step.contract;
    const { abi, bytecode } = await loadArtifact(contractName);
    const known = step.kind === "create" ? options.getKnownArguments?.(contractId) : null;
    const args = known ?? step.args.map(resolve);
    if (step.kind === "create") {
      const initCode = encodeDeployData({ abi: abi as Abi, bytecode: bytecode as Hex, args });
      const address = options.predictAddress(contractId, initCode);
      addresses.set(contractId, address);
      steps.push({ kind: "create", name: contractId, contract: contractName, address, args, initCode });
    } else {
      const { functionName, name } = step;
      const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
      steps.push({ kind: "call", name, functionName, to: addresses.get(contractId)!, data });
    }
  }
  return steps;
}
