/**
 * The repository's configuration for a run that counts: its artifacts are in a separate folder, so that they are never
 * deployed. It is not in the lab, because Hardhat takes the nearest folder with a package.json for the project.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "hardhat/config";
import type { SolcUserConfig } from "hardhat/types/config";
import config from "../../hardhat.config.ts";
import { createBranchPlugin, TEST_FOLDERS } from "../../lab/coverage/plugin.ts";

const { profiles } = config.solidity as { profiles: { default: { compilers: [SolcUserConfig] } } };
const [compiler] = profiles.default.compilers;
// The older code generator: the other one inlines conditions and then lacks space on the stack for their marks.
const settings = { ...compiler.settings, viaIR: false, optimizer: { enabled: true, runs: 1 } };

const folder = fileURLToPath(new URL("../../coverage", import.meta.url));
mkdirSync(folder, { recursive: true });

export default defineConfig({
  ...config,
  plugins: [...(config.plugins ?? []), createBranchPlugin(`${folder}/branches.json`)],
  paths: { ...config.paths, artifacts: `${folder}/artifacts`, cache: `${folder}/cache` },
  solidity: { compilers: [{ ...compiler, settings }] },
  coverage: { skipFiles: TEST_FOLDERS.map((folder) => `${folder}**`) },
});
