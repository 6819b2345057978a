/** `npm run pack:contracts`: ABIs, addresses and clear-signing descriptors as an npm package. */
import { resolve } from "node:path";
import { defineCommand } from "./cli/command.ts";
import { openOutputFolder } from "./cli/user-paths.ts";
import { DEPLOY_FLAGS, resolveFolder } from "./deploy/options.ts";
import { buildPackage } from "./packages/build.ts";
import { CONTRACTS_PACKAGE, readDeployments, writeContractsSource } from "./packages/contracts.ts";
import { packPackage } from "./packages/pack.ts";

export const command = defineCommand({
  name: "pack:contracts",
  summary: `builds ${CONTRACTS_PACKAGE.name} into dist/contracts and packs it as a tarball`,
  flags: {
    deployments: {
      type: "string",
      value: "DIR",
      help: "the addresses files of public chains",
      default: DEPLOY_FLAGS.out.default,
    },
    out: { type: "string", value: "FOLDER", help: "folder of the tarball", default: "." },
  },
  examples: ["npm run pack:contracts -- --out /tmp"],
  async run({ flags }, terminal) {
    const deployments = await readDeployments(resolveFolder(flags.deployments, DEPLOY_FLAGS.out.default));
    await writeContractsSource(deployments);
    await buildPackage(CONTRACTS_PACKAGE);
    const folder = openOutputFolder("out", flags.out ?? ".");
    const packed = await packPackage(CONTRACTS_PACKAGE, folder);
    const file = resolve(folder, packed.filename);
    const chainIds = deployments.map(({ chainId }) => chainId);
    terminal.print(`${file}: ${packed.entryCount} files, the addresses of ${chainIds.join(", ") || "no chain"}`);
    if (chainIds.length === 0) terminal.print("npm start or npm run deploy writes addresses");
    return { file, ...packed, chainIds };
  },
});
