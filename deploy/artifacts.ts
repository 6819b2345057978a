import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Artifact, ArtifactResolver } from "@nomicfoundation/ignition-core";

const pathOf = (contract: string): string =>
  fileURLToPath(new URL(`../artifacts/contracts/${contract}.sol/${contract}.json`, import.meta.url));

/** Called by code that was compiled to count what tests reach (`hardhat --coverage`). */
const COVERAGE_ADDRESS = "c0bec0bec0bec0bec0bec0bec0bec0bec0bec0be";

/** Throws for code that counts: a coverage run leaves it where the real code was, and it must never be deployed. */
export function refuseCounting<T extends Pick<Artifact, "contractName" | "bytecode">>(artifact: T): T {
  if (!artifact.bytecode.toLowerCase().includes(COVERAGE_ADDRESS)) return artifact;
  throw new Error(
    `The contract ${artifact.contractName} is compiled for coverage: run npx hardhat build --force first.`,
  );
}

/** A compiled contract. Throws with the next step where it was not compiled, or compiled to count coverage. */
export async function loadArtifact(contract: string): Promise<Artifact> {
  const text = await readFile(pathOf(contract), "utf8").catch((cause) => {
    throw new Error(`The contract ${contract} is not compiled: run npm run build first.`, { cause });
  });
  return refuseCounting(JSON.parse(text) as Artifact);
}

/** Artifacts as Ignition asks for them, without loading Hardhat. */
export const artifactResolver: ArtifactResolver = {
  loadArtifact: loadArtifact as ArtifactResolver["loadArtifact"],
  getBuildInfo: async () => undefined,
};
