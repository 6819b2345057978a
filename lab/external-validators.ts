/** `npm run lab -- external-validators`: checks with external tools, which have their own packages. */
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import { asyncapi } from "./external-validators/asyncapi.ts";
import type { Check } from "./external-validators/check.ts";
import { clientPackage } from "./external-validators/client-package.ts";
import { manifests } from "./external-validators/manifests.ts";
import { mcp } from "./external-validators/mcp.ts";
import { nodes } from "./external-validators/nodes.ts";
import { workflows } from "./external-validators/workflows.ts";
import { installPackages } from "./install-packages.ts";

const CHECKS: { readonly [name: string]: Check } = {
  asyncapi,
  manifests,
  nodes,
  mcp,
  workflows,
  package: clientPackage,
};
const ERRORS_SHOWN_MAX = 20;

export const command = defineCommand({
  name: "lab external-validators",
  summary: "checks documents and calls with independent tools; installs them on first use",
  args: { names: { value: "NAME", help: "checks to run; all when left out", count: "any" } },
  flags: {
    "self-test": { type: "boolean", help: "inject faults; the run succeeds if every check finds them" },
  },
  examples: ["npm run lab -- external-validators", "npm run lab -- external-validators asyncapi --self-test"],
  notes: [`Checks: ${Object.keys(CHECKS).join(", ")}.`],
  async run({ flags, args }, terminal) {
    const known = Object.keys(CHECKS);
    const unknown = args.names.filter((name) => CHECKS[name] === undefined);
    if (unknown.length > 0) throw new UsageError(`NAME: expected ${known.join(", ")}, received ${unknown.join(", ")}`);
    // Checks print with console.log, but stdout is for the JSON here.
    if (terminal.json) console.log = console.error;
    installPackages(terminal);
    const isSelfTest = flags["self-test"] === true;
    const results: { readonly name: string; readonly passed: boolean; readonly errors: readonly string[] }[] = [];
    for (const name of args.names.length > 0 ? args.names : known) {
      const errors = await CHECKS[name]!({ isSelfTest });
      const passed = isSelfTest === errors.length > 0;
      results.push({ name, passed, errors });
      const selfTestVerdict = passed ? "found the injected faults" : "MISSED an injected fault";
      terminal.print(`${name}: ${isSelfTest ? selfTestVerdict : passed ? "ok" : "FAIL"}`);
      const shown = isSelfTest ? [] : errors.slice(0, ERRORS_SHOWN_MAX);
      for (const error of shown) process.stderr.write(`  ${error}\n`);
      if (!isSelfTest && errors.length > shown.length)
        process.stderr.write(`  and ${errors.length - shown.length} more\n`);
    }
    const failed = results.filter(({ passed }) => !passed).length;
    terminal.print(`${results.length - failed} passed, ${failed} failed`);
    terminal.printJson({ ok: failed === 0, checks: results });
    return failed === 0 ? EXIT.ok : EXIT.error;
  },
});
