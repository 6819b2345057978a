/**
 * `npm run lab -- prove-packed-words`: proves the packed words of contracts/types over all their values, with z3. The terms are
 * translated from the Solidity sources and from the layouts drawn there, so the proof cannot describe other code.
 */
import { spawnSync } from "node:child_process";
import { defineCommand } from "../scripts/cli/command.ts";
import { INJECTED_BUGS } from "./prove-packed-words/injected-bugs.ts";
import { listProperties } from "./prove-packed-words/properties.ts";
import { type Change, readSources } from "./prove-packed-words/solidity.ts";
import { bv, Translator, WORD_BITS } from "./prove-packed-words/to-smt.ts";
import type { Property } from "./prove-packed-words/word-properties.ts";

const SECONDS_PER_PROPERTY = 60;

/** The question whether a property can be false, for z3. */
function writeQuestion({ name, variables, assume, claim }: Property): string {
  const sort = `(_ BitVec ${WORD_BITS})`;
  const names = Object.entries(variables);
  return [
    "(push)",
    `(declare-const word ${sort})`,
    ...names.map(([variable]) => `(declare-const ${variable} ${sort})`),
    ...names.map(([variable, bits]) => `(assert (bvult ${variable} ${bv(1n << BigInt(bits))}))`),
    ...assume.map((term) => `(assert ${term})`),
    `(assert (not ${claim}))`,
    `(echo "${name}")`,
    "(check-sat)",
    "(pop)",
  ].join("\n");
}

/** Runs z3. Returns the properties that do not hold (or were not decided), and the number of all properties. */
function prove(change: Change | null): { readonly failed: readonly string[]; readonly count: number } {
  const properties = listProperties(new Translator(readSources(change)));
  const functions = [7, 60].map((n) => `(declare-fun div${n} ((_ BitVec ${WORD_BITS})) (_ BitVec ${WORD_BITS}))`);
  const input = [
    "(set-logic QF_UFBV)",
    `(set-option :timeout ${SECONDS_PER_PROPERTY * 1_000})`,
    ...functions,
    ...properties.map(writeQuestion),
  ].join("\n");
  const { stdout, error } = spawnSync("z3", ["-in"], { input, encoding: "utf8", maxBuffer: 1 << 26 });
  if (error !== undefined) throw new Error(`z3 does not start (Debian: apt-get install z3): ${error.message}`);
  const lines = stdout.trim().split("\n");
  const unexpected = lines.find((line) => line.startsWith("(error"));
  if (unexpected !== undefined) throw new Error(`z3 does not understand a question: ${unexpected}`);
  const failed = properties.filter((_, index) => lines[2 * index + 1] !== "unsat").map(({ name }) => name);
  return { failed, count: properties.length };
}

/** Proves the sources as they are. Returns whether all of it holds. */
function proveAll(): boolean {
  const { failed, count } = prove(null);
  for (const name of failed) console.error(`not proven: ${name}`);
  console.info(`${count - failed.length} of ${count} properties of the packed words hold over all values`);
  return failed.length === 0;
}

/** Injects each bug in turn. Returns whether every one of them breaks the proof. */
function proveInjectedBugs(): boolean {
  let found = 0;
  for (const change of INJECTED_BUGS) {
    const name = `${change.file}: "${change.from}" -> "${change.to}"`;
    const { failed } = prove(change);
    if (failed.length === 0) console.error(`not noticed: ${name}`);
    else found += 1;
  }
  console.info(`${found} of ${INJECTED_BUGS.length} injected bugs break the proof`);
  return found === INJECTED_BUGS.length;
}

export const command = defineCommand({
  name: "lab prove-packed-words",
  summary: "proves the packed words of the contracts over all their values (needs z3: apt-get install z3)",
  flags: { "self-test": { type: "boolean", help: "inject known bugs, exit 1 where the proof does not break" } },
  examples: ["npm run lab -- prove-packed-words", "npm run lab -- prove-packed-words --self-test"],
  async run({ flags }, terminal) {
    const ok = flags["self-test"] === true ? proveInjectedBugs() : proveAll();
    terminal.printJson({ ok });
    return ok ? 0 : 1;
  },
});
