/** `npm run lab -- compare-model`: the chain model of simulated runs beside the compiled contracts. */
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import { CHANGED_RULES, loadChanged } from "./simulate/compare/changed-rules.ts";
import { RealContracts } from "./simulate/compare/real-contracts.ts";
import { type Recording, recordSequence } from "./simulate/compare/record.ts";
import { findDifference } from "./simulate/compare/replay.ts";

const SEQUENCES = 40;

function parseCount(name: string, text: string | undefined, fallback: number): number {
  const count = text === undefined ? fallback : Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`--${name}: expected a whole number above 0, received ${text}`);
}

async function listUnseen(real: RealContracts, recordings: readonly Recording[]): Promise<readonly string[]> {
  const unseen: string[] = [];
  for (const name of Object.keys(CHANGED_RULES)) {
    const findWith = await loadChanged(name);
    if (!recordings.some((recording) => findWith(real.config, recording) !== null)) unseen.push(name);
  }
  return unseen;
}

export const command = defineCommand({
  name: "lab compare-model",
  summary: "compares the chain model of simulated runs with the compiled contracts, over random calls",
  flags: {
    sequences: { type: "string", value: "N", help: "how many sequences of calls", default: String(SEQUENCES) },
    seed: { type: "string", value: "S", help: "the seed of the first sequence; drawn when left out" },
    "changed-rules": { type: "boolean", help: "also change rules of the model; each change must be found" },
  },
  examples: ["npm run lab -- compare-model", "npm run lab -- compare-model --seed 7 --sequences 1"],
  async run({ flags }, terminal) {
    const sequences = parseCount("sequences", flags.sequences, SEQUENCES);
    const seed = parseCount("seed", flags.seed, 1 + Math.floor(Math.random() * 2 ** 31));
    const real = await RealContracts.deploy();
    const recordings: Recording[] = [];
    let difference: string | null = null;
    for (let index = 0; index < sequences && difference === null; index++) {
      const recording = await recordSequence(real, seed + index);
      recordings.push(recording);
      difference = findDifference(real.config, recording);
    }
    const unseen = flags["changed-rules"] === true && difference === null ? await listUnseen(real, recordings) : [];
    await real.close();
    const calls = recordings.reduce((sum, { steps }) => sum + steps.length, 0);
    const views = recordings.flatMap(({ steps }) => steps).reduce((sum, step) => sum + step.views.length, 0);
    terminal.print(`${recordings.length} sequences from seed ${seed}: ${calls} calls and ${views} views`);
    if (difference !== null) terminal.print(`different: ${difference}`);
    if (flags["changed-rules"] === true && difference === null)
      terminal.print(`${Object.keys(CHANGED_RULES).length - unseen.length} changed rules found`);
    for (const name of unseen) terminal.print(`not found: ${name}`);
    terminal.printJson({ seed, sequences: recordings.length, calls, views, difference, unseen });
    return difference === null && unseen.length === 0 ? EXIT.ok : EXIT.error;
  },
});
