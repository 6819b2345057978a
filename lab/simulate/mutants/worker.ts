/** A process that simulates single runs, each with one mutant of the service or with none. */
import { enableCompileCache, registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../../scripts/start/build.ts";
import { drawMutants, instrumentSources, listSources } from "../../mutate-ts/mutants.ts";
import type { RunOptions } from "../run/run.ts";
import { STAGES } from "../run/stages.ts";

/** The mutants of the process: all processes draw the same ones. */
export interface Drawn {
  readonly paths: readonly string[];
  readonly sample: number;
  readonly seed: number;
}

export interface MutantRun {
  readonly mutant: number | null;
  readonly run: RunOptions;
}

export interface MutantRunResult {
  readonly digest: string;
  /** The invariant that was broken, or the error that ended the run. */
  readonly broken: string | null;
  /** The mutants that the run reached. */
  readonly reached: readonly number[];
  readonly ms: number;
}

const { paths, sample, seed: drawSeed } = JSON.parse(process.argv[2]!) as Drawn;
const sources = instrumentSources(drawMutants(listSources(paths), sample, drawSeed));
const reached = new Set<number>();
let on: number | null = null;

Object.assign(globalThis, {
  $mutant(id: number): boolean {
    reached.add(id);
    return id === on;
  },
});

enableCompileCache(join(root, "node_modules/.cache/node"));
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith("file:")) return loaded;
    const source = sources.get(fileURLToPath(url).slice(root.length));
    return source === undefined ? loaded : { ...loaded, source };
  },
});

const { Simulator } = await import("../run/simulator.ts");
const { toFirstSeed } = await import("../run/kinds.ts");
const simulator = await Simulator.create();
Error.stackTraceLimit = 0;
// The runs that each stage starts from have no mutant.
for (const stage of STAGES) await simulator.run({ seed: toFirstSeed(stage) });

async function simulate({ mutant, run }: MutantRun): Promise<MutantRunResult> {
  reached.clear();
  on = mutant;
  const startedMs = performance.now();
  const finish = (digest: string, broken: string | null): MutantRunResult => {
    return { digest, broken, reached: [...reached], ms: performance.now() - startedMs };
  };
  try {
    const { digest, violation } = await simulator.run(run);
    return finish(digest, violation?.invariant ?? null);
  } catch (error) {
    return finish("", `the run ended with ${String(error)}`);
  } finally {
    on = null;
  }
}

process.on("message", (order: MutantRun) => void simulate(order).then((result) => process.send!(result)));
process.send!("ready");
