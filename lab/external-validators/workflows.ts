/** Checks the workflows of GitHub Actions against SchemaStore's schema, and that every action is pinned. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import type { Check } from "./check.ts";

interface Problem {
  readonly path?: string;
  readonly title: string;
  readonly detail?: string;
}

/** Errors as `/jobs/run: OneOf conditions are not met`. */
async function validateWorkflow(text: string): Promise<string[]> {
  // In a variable, because the package is installed on first use and the compiler may not find it.
  const validator = "@action-validator/core";
  const { validateWorkflow } = (await import(validator)) as {
    validateWorkflow(text: string): { readonly errors: readonly Problem[] };
  };
  const errors = validateWorkflow(text).errors.map(({ path, title, detail }) => `${path ?? "/"}: ${detail ?? title}`);
  for (const [, action] of text.matchAll(/\buses: *(\S+)/g))
    if (!/@[0-9a-f]{40}$/.test(action!)) errors.push(`${action}: expected the SHA of a commit after @`);
  return errors;
}

const FAULT_INJECTIONS: { readonly [error: string]: readonly [string | RegExp, string] } = {
  "a job without a runner": ["runs-on:", "run-on:"],
  "a step without an action": ["- uses:", "- use:"],
  "an event that does not exist": ["pull_request:", "pull_requests:"],
  "an action by its tag": [/@[0-9a-f]{40}/, "@v4"],
};

export const workflows: Check = async ({ isSelfTest }) => {
  const paths = globSync(".github/workflows/*.yml", { cwd: root }).map((path) => join(root, path));
  if (!isSelfTest) {
    const found = paths.map(async (path) =>
      (await validateWorkflow(readFileSync(path, "utf8"))).map((error) => `${basename(path)}: ${error}`),
    );
    return paths.length === 0 ? ["no workflow in .github/workflows"] : (await Promise.all(found)).flat();
  }
  const text = readFileSync(join(root, ".github/workflows/ci.yml"), "utf8");
  const missed: string[] = [];
  for (const [problem, [from, to]] of Object.entries(FAULT_INJECTIONS)) {
    const [first] = await validateWorkflow(text.replace(from, to));
    if (first === undefined) missed.push(problem);
    else console.log(`  ${problem}: ${first}`);
  }
  return missed.length === 0 ? Object.keys(FAULT_INJECTIONS) : [];
};
