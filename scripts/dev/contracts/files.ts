/** The generated files with the contracts' compiled code, and their expected content after a compile. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";
import { getCompiledPath } from "../../../deploy/artifacts.ts";
import { root } from "../../start/build.ts";
import { ABI_FILE, ERRORS_ABI_FILE, renderAbi, renderErrorsAbi } from "./render-abi.ts";

/** Compiled contracts by the folder of their artifact. The timelock is OpenZeppelin's, compiled with our settings. */
const CONTRACTS: { readonly [contract: string]: string } = {
  AgentIdentity: "contracts/AgentIdentity.sol",
  GameNFT: "contracts/GameNFT.sol",
  RewardsV2: "contracts/RewardsV2.sol",
  RewardToken: "contracts/RewardToken.sol",
  TimelockController: "@openzeppelin/contracts/governance/TimelockController.sol",
};

/** Called by code that was compiled for coverage (`hardhat --coverage`). */
const COVERAGE_ADDRESS = "c0bec0bec0bec0bec0bec0bec0bec0bec0bec0be";

/** The fields of a Hardhat artifact that we keep. */
interface HardhatArtifact {
  readonly contractName: string;
  readonly sourceName: string;
  readonly inputSourceName: string;
  readonly buildInfoId: string;
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
  readonly linkReferences: unknown;
  readonly deployedLinkReferences: unknown;
  readonly immutableReferences: ImmutableReferences;
}

/** Byte positions of each immutable in the code. */
interface ImmutableReferences {
  readonly [astId: string]: readonly { readonly length: number; readonly start: number }[];
}

interface BuildInfo {
  readonly solcLongVersion: string;
  readonly input: { readonly settings: { readonly [name: string]: unknown } };
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

/** Throws for code that was compiled for coverage: it must never be deployed. */
export function rejectCoverageBuild<T extends Pick<HardhatArtifact, "contractName" | "bytecode">>(artifact: T): T {
  if (!artifact.bytecode.toLowerCase().includes(COVERAGE_ADDRESS)) return artifact;
  throw new Error(
    `The contract ${artifact.contractName} is compiled for coverage: run npx hardhat build --force first.`,
  );
}

/** Lists have one entry per line, so that a changed function is a changed line. */
function stringify(fields: { readonly [name: string]: unknown }): string {
  const lines = Object.entries(fields).map(([name, value]) => {
    if (!Array.isArray(value)) return `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const items = value.map((item) => `    ${JSON.stringify(item)}`);
    return `  ${JSON.stringify(name)}: [\n${items.join(",\n")}\n  ]`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

/**
 * The same references under numbers that depend only on the contract. The compiler uses syntax tree ids, which change
 * with the other files of a compilation.
 */
const numberImmutables = (references: ImmutableReferences): ImmutableReferences =>
  Object.fromEntries(
    Object.values(references)
      .map((places) => places.toSorted((a, b) => a.start - b.start))
      .sort(([a], [b]) => a!.start - b!.start)
      .map((places, index) => [index, places]),
  );

/** Every file has compiler and settings, so that the sources can be verified against it. */
function renderContract(contract: string): string {
  const folder = join(root, "artifacts");
  const artifact = readJson<HardhatArtifact>(join(folder, CONTRACTS[contract]!, `${contract}.json`));
  const { contractName, sourceName, inputSourceName, abi, bytecode, deployedBytecode } = rejectCoverageBuild(artifact);
  const { linkReferences, deployedLinkReferences } = artifact;
  const immutableReferences = numberImmutables(artifact.immutableReferences);
  const { solcLongVersion, input } = readJson<BuildInfo>(join(folder, `build-info/${artifact.buildInfoId}.json`));
  const { outputSelection: _, ...settings } = input.settings;
  return stringify({
    _format: "hh3-artifact-1",
    contractName,
    sourceName,
    inputSourceName,
    compiler: { version: solcLongVersion, settings },
    abi,
    bytecode,
    deployedBytecode,
    linkReferences,
    deployedLinkReferences,
    immutableReferences,
  });
}

const SEAPORT_PACKAGE = "@opensea/seaport-js";
const SEAPORT_FACTORIES: { readonly [contract: string]: string } = {
  Seaport: "Seaport__factory",
  LocalConduitController: "conduit/ConduitController.sol/LocalConduitController__factory",
};

/** Creation bytecode of the market's contracts for a local chain, copied from their package. */
function renderSeaportContract(contract: string): string {
  const require = createRequire(import.meta.url);
  const { version } = require(`${SEAPORT_PACKAGE}/package.json`) as { version: string };
  const file = `${SEAPORT_PACKAGE}/lib/typechain-types/factories/seaport/contracts/${SEAPORT_FACTORIES[contract]}.js`;
  const { bytecode } = (require(file) as { [factory: string]: { bytecode: Hex } })[`${contract}__factory`]!;
  return stringify({ contractName: contract, package: `${SEAPORT_PACKAGE}@${version}`, bytecode });
}

/** Paths and texts of the generated files, from the compiled contracts in `artifacts/`. */
export const generateContractFiles = (): { readonly [path: string]: string } => ({
  [ABI_FILE]: renderAbi(),
  [ERRORS_ABI_FILE]: renderErrorsAbi(),
  ...Object.fromEntries(
    Object.keys(CONTRACTS).map((contract) => [getCompiledPath(contract), renderContract(contract)]),
  ),
  ...Object.fromEntries(
    Object.keys(SEAPORT_FACTORIES).map((contract) => [getCompiledPath(contract), renderSeaportContract(contract)]),
  ),
});

/** Paths of the generated files that differ from the compiled contracts. */
export const findStaleContractFiles = (): string[] =>
  Object.entries(generateContractFiles()).flatMap(([path, text]) => {
    try {
      return readFileSync(path, "utf8") === text ? [] : [path];
    } catch {
      return [path];
    }
  });
