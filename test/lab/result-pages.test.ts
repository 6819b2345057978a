import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import type { BenchmarkRun } from "../../lab/bench/compare/run.ts";
import { addRun, BENCHMARKS_DOCUMENT } from "../../lab/pages/benchmarks.ts";
import { DRILLS_DOCUMENT, renderDrillsDocument, type StoredResult } from "../../lab/pages/drills.ts";
import { addBatch, RELIABILITY_DOCUMENT, renderInjected } from "../../lab/pages/reliability.ts";
import type { StoredBatch } from "../../lab/simulate/result-types.ts";
import { readBlock } from "../../scripts/dev/docs/document-block.ts";
import { root } from "../../scripts/start/build.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const machine = { processor: "a processor", cores: 2, memoryGb: 8, node: "v24", load: 1, priority: 0 };
const measured = { command: "a command", measuredAt: "2031-02-03T04:05:06.000Z", machine };

/** The lines that only one of the texts has. */
function compare(
  before: string,
  after: string,
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const [old, now] = [before.split("\n"), after.split("\n")];
  return { removed: old.filter((line) => !now.includes(line)), added: now.filter((line) => !old.includes(line)) };
}

describe("docs/benchmarks.md", () => {
  const text = read(BENCHMARKS_DOCUMENT);
  const spread = { median: 5, min: 4, max: 6 };
  const run: BenchmarkRun = {
    ...{ name: "durable", measuredAt: measured.measuredAt, machine, loadAfter: 2, seconds: 3, voidRows: [] },
    rows: [
      {
        ...{ id: "P5", what: "a row", figure: { name: "CPU", unit: "us", better: "lower" }, rounds: 4 },
        sides: [
          { name: "Agent Arcade", value: spread, oursToIt: null, validRounds: 3, more: { "bytes a frame": spread } },
        ],
        bars: [{ bar: { max: 7 }, reached: spread, isMet: true }],
      },
    ],
  };

  it("has a place for every benchmark", () => {
    const files = globSync("*.ts", { cwd: join(root, "lab/bench"), exclude: ["*.d.ts"] });
    for (const file of files) expect(() => readBlock(text, basename(file, ".ts")), file).to.not.throw();
  });

  it("replaces a benchmark's bars and figures with a new run's, and keeps those of others", () => {
    const { removed, added } = compare(text, addRun(text, run));
    expect(added).to.deep.equal([
      "| P5 | a row | ≤ 7 us | 5 (4 to 6) | met | `npm run lab -- bench durable` |",
      "Measured on 2031-02-03: a processor, 2 cores, 8 GB, Node v24, load 1 before and 2 after, 3 s.",
      "| a row: CPU | Agent Arcade | 5 us (4 to 6) | 3 of 4 |  | 5 (4 to 6) bytes a frame |",
    ]);
    const bars = removed.filter((line) => /^\| P\d/.test(line));
    expect(bars).to.have.length.above(0);
    for (const line of bars) expect(line).to.include("`npm run lab -- bench durable`");
    expect(addRun(addRun(text, run), run)).to.equal(addRun(text, run));
  });
});

describe("docs/drills.md", () => {
  const text = read(DRILLS_DOCUMENT);
  const result: StoredResult = {
    ...{ id: "N1", seed: 77, share: 0.5, seconds: 9, passed: 1, figures: ["games 20"], failures: [], verdict: "ok" },
    ...{ measuredAt: measured.measuredAt, machine, isSelfTest: false },
  };
  const toCells = (line: string): readonly string[] => line.split(" | ").slice(3);

  it("replaces the result of a drill, and keeps its self-test and the results of others", () => {
    const { removed, added } = compare(text, renderDrillsDocument(text, result));
    expect(toCells(added[0]!)).to.deep.equal([
      ...["77", "0.5", "1 test in 9 s", "ok, 2031-02-03"],
      ...toCells(removed[0]!).slice(4),
    ]);
    expect(added.slice(1)).to.deep.equal(["Run on a processor, 2 cores, 8 GB, Node v24, load 1.", "- games 20"]);
  });

  it("replaces the self-test of a drill, and keeps its result", () => {
    const { removed, added } = compare(text, renderDrillsDocument(text, { ...result, isSelfTest: true }));
    expect(added).to.have.length(1);
    expect(toCells(added[0]!)).to.deep.equal([...toCells(removed[0]!).slice(0, 5), "found (seed 77, load 0.5) |"]);
  });

  it("reports which drill was never run", () => {
    const others = text.replace(/^\| N1 \|.*\n/m, "").replace(/\n## N1\n[\s\S]*?(?=\n## )/, "");
    expect(renderDrillsDocument(others)).to.match(
      /^\| N1 \|.*\| {2}\| {2}\| {2}\| not run yet \|.*\| not tried yet \|$/m,
    );
  });
});

describe("docs/reliability.md", () => {
  const text = read(RELIABILITY_DOCUMENT);
  const runs: StoredBatch = {
    ...measured,
    ...{ kind: "short", seed: 10_000_000, runs: 10, seconds: 5, processes: 1, cpuMs: 600, simulatedMs: 7_200_000 },
    ...{ faults: { reorg: 41 }, coverage: { "check a block": { runs: 2, times: 9 } }, traces: "0123456789abcdef" },
  };

  it("replaces the previous batch of the same kind, with its faults", () => {
    const { removed, added } = compare(text, addBatch(text, runs));
    const [row, ...faults] = added
      .filter((line) => line.startsWith("| short |"))
      .concat(added.filter((line) => / 41 \|/.test(line)));
    expect(row).to.equal(
      "| short | 10000000 to 10000009 | 2 | 0 | 5 s, 1 process | 60 ms | 1000 | `0123456789abcdef` | " +
        "2031-02-03: a processor, 2 cores, 8 GB, Node v24, load 1 at its end |",
    );
    expect(faults).to.have.length(1);
    const covered = added.filter((line) => line.startsWith("| check a block |"));
    expect(covered).to.have.length(1);
    // One cell for each kind of run on the page.
    expect(covered[0]).to.match(/^\| check a block \|( {2}\|)* 2 \(9\) \|( {2}\|)*$/);
    expect(removed.filter((line) => /^\| (harsh|short|stage) /.test(line))).to.have.length(1);
  });

  it("replaces the searches for an injected fault, and keeps those for others", () => {
    const toSearch = (count: number, isFound: boolean) => ({ seed: 7, runs: count, isFound });
    const searches = [toSearch(3, true), toSearch(9, true), toSearch(20, false)];
    const { removed, added } = compare(
      text,
      renderInjected(text, { ...measured, rows: [{ name: "nonce-used-twice", searches }] }),
    );
    expect(removed).to.have.length(1);
    expect(added).to.deep.equal([
      "| `nonce-used-twice` | the nonce of a sign-in works once | 2 of 3 | 9 (3 to more than 20) | from seed 7, 2031-02-03 |",
    ]);
  });
});
