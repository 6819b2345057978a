/** `npm run pack:testing`: the test bench as an npm package. */
import { resolve } from "node:path";
import { defineCommand } from "./cli/command.ts";
import { openOutputFolder } from "./cli/user-paths.ts";
import { packPackage } from "./packages/pack.ts";
import { buildTestingPackage, TESTING_PACKAGE } from "./packages/testing.ts";

export const command = defineCommand({
  name: "pack:testing",
  summary: `builds ${TESTING_PACKAGE.name} into ${TESTING_PACKAGE.folder} and packs it as a tarball`,
  flags: { out: { type: "string", value: "FOLDER", help: "folder of the tarball", default: "." } },
  examples: ["npm run pack:testing -- --out /tmp"],
  async run({ flags }, terminal) {
    const folder = openOutputFolder("out", flags.out ?? ".");
    await buildTestingPackage();
    const packed = await packPackage(TESTING_PACKAGE, folder);
    const file = resolve(folder, packed.filename);
    terminal.print(`${file}: ${(packed.size / 1e6).toFixed(1)} MB, ${packed.entryCount} files`);
    return { file, ...packed };
  },
});
