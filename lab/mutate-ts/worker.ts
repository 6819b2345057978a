/** A warm process that loads each test file once, and runs chosen tests with one active mutant. */
import { readFileSync, writeFileSync } from "node:fs";
import Mocha from "mocha";
import "../../test/helpers/fixed-examples.ts";

export interface Order {
  readonly file: string;
  /** The active mutant. */
  readonly mutant: number | null;
  /** Full titles; null for all tests of the file. */
  readonly titles: readonly string[] | null;
  /** Records which mutants each test reaches, and does not stop at a failure. */
  readonly isMeasured: boolean;
}

type Ids = readonly number[];
export interface Answer {
  readonly atLoad: Ids;
  /** Mutants reached outside of single tests, in hooks. */
  readonly ofAll: Ids;
  readonly ofTests: readonly { readonly title: string; readonly ids: Ids }[];
  readonly failures: readonly { readonly title: string; readonly isHook: boolean; readonly message: string }[];
  readonly ms: number;
}

const loaded = new Map<string, Mocha>();
const { $forgetReached } = globalThis as unknown as { readonly $forgetReached: () => void };

// Late errors of an earlier run must not end the process. Mocha reports those of the current one.
process.on("unhandledRejection", () => undefined);
process.on("uncaughtException", () => undefined);

/** The switches reached since the last call. */
function takeReached(): Ids {
  const path = process.env.MUTANT_HITS;
  if (path === undefined) return [];
  const text = readFileSync(path, "utf8");
  if (text !== "") writeFileSync(path, "");
  $forgetReached();
  return [...new Set(text.split("\n").filter(Boolean).map(Number))];
}

async function load(file: string): Promise<Mocha> {
  const mocha = loaded.get(file) ?? new Mocha({ timeout: 60_000, reporter: class {} as never });
  if (loaded.has(file)) return mocha;
  loaded.set(file, mocha);
  mocha.addFile(file);
  mocha.cleanReferencesAfterRun(false);
  await mocha.loadFilesAsync();
  (mocha as unknown as { lazyLoadFiles(isLazy: boolean): void }).lazyLoadFiles(true);
  return mocha;
}

async function run({ file, mutant, titles, isMeasured }: Order): Promise<Answer> {
  if (isMeasured) process.env.MUTANT_HITS = process.env.MUTANT_HITS_FILE;
  const mocha = await load(file);
  const atLoad = takeReached();
  if (mutant !== null) process.env.MUTANT_ON = String(mutant);
  const ofAll = new Set<number>();
  const ofTests: { title: string; ids: Ids }[] = [];
  const failures: { title: string; isHook: boolean; message: string }[] = [];
  const quote = (title: string): string => title.replace(/[^\w ]/g, "\\$&");
  const startedMs = performance.now();
  mocha.grep(titles === null ? /.*/ : new RegExp(`^(?:${titles.map(quote).join("|")})$`));
  mocha.bail(!isMeasured);
  const addToAll = (): void => {
    for (const id of takeReached()) ofAll.add(id);
  };
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on("test", addToAll);
    runner.on("test end", (test) => ofTests.push({ title: test.fullTitle(), ids: takeReached() }));
    runner.on("fail", (test, error: Error) => {
      const isHook = String(test.type) === "hook";
      failures.push({ title: test.fullTitle(), isHook, message: error.message.slice(0, 200) });
    });
  });
  addToAll();
  delete process.env.MUTANT_ON;
  delete process.env.MUTANT_HITS;
  return { atLoad, ofAll: [...ofAll], ofTests, failures, ms: performance.now() - startedMs };
}

process.on("message", (order: Order) => {
  run(order).then(
    (answer) => process.send!(answer),
    () => process.exit(1),
  );
});
// Its group does not end with the command.
process.on("disconnect", () => process.exit(1));
process.send!("ready");
