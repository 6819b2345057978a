/** `npm run release`: builds every npm package twice, compares and checks the results, and publishes them. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { getEnvironment } from "../backend/config/environment.ts";
import { defineCommand } from "../scripts/cli/command.ts";
import { CommandError, EXIT } from "../scripts/cli/failures.ts";
import { root } from "../scripts/start/build.ts";
import { installPackages } from "./install-packages.ts";
import { buildRelease } from "./release/build.ts";
import { listObstacles } from "./release/obstacles.ts";

const OUT = "dist/release";

export const command = defineCommand({
  name: "release",
  summary: "builds each npm package in two clones, compares and checks them, writes an SBOM, and publishes",
  flags: { "dry-run": { type: "boolean", help: "publish nothing; list what would be published" } },
  examples: ["npm run release -- --dry-run"],
  notes: ["docs/releasing.md describes a release."],
  async run({ flags }, terminal) {
    const isDryRun = flags["dry-run"] === true;
    const obstacles = listObstacles(root);
    if (!isDryRun && obstacles.length > 0)
      throw new CommandError(`Nothing was built or published:\n${obstacles.map((text) => `- ${text}`).join("\n")}`);
    installPackages(terminal);
    const { packages, sbom, errors } = await buildRelease(root, join(root, OUT));
    for (const { name, version, file, bytes, integrity } of packages)
      terminal.print(`${name}@${version}: ${file}, ${bytes} bytes\n  ${integrity}`);
    terminal.print(`${sbom.file}: CycloneDX ${sbom.specVersion}, ${sbom.components} components`);
    for (const error of errors) terminal.print(`FAIL ${error}`);
    const tarballs = packages.filter(({ file }) => file.endsWith(".tgz"));
    const commands = tarballs.map(({ file }) => `npm publish ${file} --provenance --access public`);
    if (errors.length === 0 && !isDryRun)
      for (const line of commands)
        execFileSync("npm", line.split(" ").slice(1), { cwd: root, env: getEnvironment(), stdio: "inherit" });
    else {
      terminal.print("A release would run:");
      for (const line of commands) terminal.print(`  ${line}`);
      for (const { file } of packages.filter((each) => !tarballs.includes(each)))
        terminal.print(`  release.yml uploads ${file} to PyPI with an attestation`);
      for (const obstacle of obstacles) terminal.print(`Before that: ${obstacle}`);
    }
    terminal.printJson({ ok: errors.length === 0, isDryRun, packages, sbom, errors, commands, obstacles });
    return errors.length === 0 ? EXIT.ok : EXIT.error;
  },
});
