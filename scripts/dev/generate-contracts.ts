/** `npm run contracts:generate`: compiles the contracts and writes their generated files. */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { defineCommand } from "../cli/command.ts";
import { EXIT } from "../cli/failures.ts";
import { compileContracts, root } from "../start/build.ts";
import { findStaleContractFiles, generateContractFiles } from "./contracts/files.ts";

const FLAGS = {
  check: { type: "boolean", help: "write nothing; exit 1 if a file differs from a fresh compile" },
} as const;

export const command = defineCommand({
  name: "contracts:generate",
  summary: "compiles the contracts and writes deploy/compiled/ and the ABIs of the backend",
  flags: FLAGS,
  examples: ["npm run contracts:generate", "npm run contracts:generate -- --check"],
  async run({ flags }, terminal) {
    await compileContracts(() => terminal.print("compiling the contracts, about a minute …"));
    const stalePaths = findStaleContractFiles();
    const names = stalePaths.map((path) => relative(root, path));
    if (flags.check) {
      for (const name of names)
        terminal.print(`${name} differs from the compiled contracts: run npm run contracts:generate`);
      terminal.printJson({ ok: names.length === 0, stale: names });
      return names.length === 0 ? EXIT.ok : EXIT.error;
    }
    const files = generateContractFiles();
    for (const path of stalePaths) writeFileSync(path, files[path]!);
    terminal.print(names.length === 0 ? "every file is current" : `wrote ${names.join(", ")}`);
    terminal.printJson({ ok: true, written: names });
    return EXIT.ok;
  },
});
