import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Artifact, ArtifactResolver } from "@nomicfoundation/ignition-core";

const pathOf = (contract: string): string =>
  fileURLToPath(new URL(`../artifacts/contracts/${contract}.sol/${contract}.json`, import.meta.url));

/** A compiled contract. Throws with the next step where it was not compiled. */
export async function loadArtifact(contract: string): Promise<Artifact> {
  const text = await readFile(pathOf(contract), "utf8").catch((cause) => {
    throw new Error(`The contract ${contract} is not compiled: run npm run build first.`, { cause });
  });
  return JSON.parse(text) as Artifact;
}

/** Artifacts as Ignition asks for them, without loading Hardhat. */
export const artifactResolver: ArtifactResolver = {
  loadArtifact: loadArtifact as ArtifactResolver["loadArtifact"],
  getBuildInfo: async () => undefined,
};
