import { randomBytes, randomUUID } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as timers from "node:timers";
import * as timerPromises from "node:timers/promises";
import { expect } from "chai";
import { EventLoop, runAs } from "../../../lab/simulate/world/event-loop.ts";
import { installWorld } from "../../../lab/simulate/world/globals.ts";
import { root } from "../../../scripts/start/build.ts";
import { Random } from "../../../testing/random.ts";

const START_MS = Date.UTC(2031, 4, 14, 9);

/** Runs `work` with the stand-ins of a run. */
async function inWorld<T>(seed: number, work: (loop: EventLoop) => T | Promise<T>): Promise<T> {
  const loop = new EventLoop();
  const network = () => new Promise<never>(() => undefined);
  const installed = installWorld({ loop, random: new Random(seed), network, startMs: START_MS });
  try {
    return await work(loop);
  } finally {
    installed.restore();
  }
}

async function timeTimers(loop: EventLoop): Promise<readonly string[]> {
  const fired: string[] = [];
  const note = (name: string) => () => void fired.push(`${name} ${loop.nowMs}`);
  setTimeout(note("setTimeout"), 3_600_000);
  setImmediate(note("setImmediate"));
  timers.setTimeout(note("node:timers"), 7_200_000);
  void timerPromises.setTimeout(10_800_000).then(note("node:timers/promises"));
  void timerPromises.setImmediate().then(note("its setImmediate"));
  AbortSignal.timeout(14_400_000).addEventListener("abort", note("AbortSignal"));
  clearTimeout(setTimeout(note("cancelled"), 1));
  await loop.runUntil(() => false, 18_000_000);
  return fired;
}

/** Code that has no stand-in, or is bound to Node's functions before a run begins. */
const OWN: readonly RegExp[] = [
  /new Date\(\)|(?<![.\w])Date\(\)|hrtime|process\.uptime|setInterval\(|scheduler\.(wait|yield)/,
  /getRandomValues|random(?:Int|Fill|FillSync)\b|generateKey|\bcrypto\.random/,
  /\b(?:Date|performance)\.now(?!\()|Math\.random(?!\()|^const .*promisify|\bsystemClock\b/,
];

/** Files of the service with such code, and the reason why it does not affect runs. */
const REASONS: { readonly [path: string]: string } = {
  "backend/adapters/system/clock.ts": "the clock of real machines; a backend of a run is given another one",
  "backend/app/open-parts.ts": "opens the parts of real processes; backend.ts of the simulator opens those of a run",
  "backend/app/connect.ts": "connects real processes with their node",
  "backend/app/check-node.ts": "a command",
  "backend/app/copy-store.ts": "a command",
  "backend/app/restore-backup.ts": "a command",
  "backend/adapters/chain/transaction-manager/account.ts": "for remote signers, which no run has",
  "backend/adapters/signer/signers.ts": "for remote signers, which no run has",
  "backend/http/responses/text-body.ts": "agents of runs accept no compressed answers",
  "backend/http/responses/gzipped-text.ts": "no run has rounds of the league",
  "backend/adapters/policies/policy-process.ts": "no run has policies",
  "backend/adapters/node/sync.ts": "the database of a run is in memory",
};

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line);
const isImport = (line: string): boolean => /^\s*import /.test(line);

function listOwn(path: string): readonly string[] {
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  return lines.filter((line) => !isComment(line) && !isImport(line) && OWN.some((pattern) => pattern.test(line)));
}

describe("time and randomness of the service in a simulated run", () => {
  it("are those of the run's clock", async () => {
    const read = (loop: EventLoop) => runAs(null, () => [Date.now() - START_MS, performance.now(), loop.nowMs]);
    const times = await inWorld(1, async (loop) => {
      const first = read(loop);
      await loop.runUntil(() => false, 86_400_000);
      return [first, read(loop)];
    });
    expect(times).to.deep.equal([
      [0, 0, 0],
      [86_400_000, 86_400_000, 86_400_000],
    ]);
  });

  it("are ahead if the machine of the process is", async () => {
    const process = { name: "ahead", isAlive: true, pausedUntilMs: 0, wallOffsetMs: 5_000 };
    expect(await inWorld(1, () => runAs(process, () => Date.now() - START_MS))).to.equal(5_000);
  });

  it("let timers fire on simulated time", async () => {
    expect(await inWorld(1, timeTimers)).to.deep.equal([
      ...["setImmediate 0", "its setImmediate 0", "setTimeout 3600000", "node:timers 7200000"],
      ...["node:timers/promises 10800000", "AbortSignal 14400000"],
    ]);
  });

  it("wait for a suspended process, in the order in which they were due, even if it is suspended longer", async () => {
    const process = { name: "stopped", isAlive: true, pausedUntilMs: 100, wallOffsetMs: 0 };
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(name);
    await inWorld(1, async (loop) => {
      runAs(process, () => {
        setTimeout(note("third"), 70);
        setTimeout(note("first"), 10);
        setTimeout(note("second"), 20);
        const cancelled = setTimeout(note("cancelled"), 30);
        setTimeout(() => clearTimeout(cancelled), 10);
      });
      loop.schedule(50, () => {
        process.pausedUntilMs = 200;
      });
      await loop.runUntil(() => false, 199);
      expect(fired).to.deep.equal([]);
      await loop.runUntil(() => false, 300);
    });
    expect(fired).to.deep.equal(["first", "second", "third"]);
  });

  it("have no intervals", async () => {
    const errors = await inWorld(1, () =>
      [setInterval, timers.setInterval].map((set) => {
        try {
          return set(() => undefined, 1_000);
        } catch (error) {
          return (error as Error).message;
        }
      }),
    );
    expect(errors).to.deep.equal(Array(2).fill("a simulated run has no intervals"));
  });

  it("are drawn from the seed", async () => {
    const draw = () => [randomBytes(16).toString("hex"), randomUUID(), Math.random()];
    const first = await inWorld(1, draw);
    expect(first[1]).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await inWorld(1, draw)).to.deep.equal(first);
    const second = await inWorld(2, draw);
    const own = draw();
    for (const index of first.keys()) expect(new Set([first[index], second[index], own[index]]).size).to.equal(3);
  });

  it("use Node's functions only in files with a reason", () => {
    const paths = globSync("{backend,domain,games,mcp}/**/*.ts", { cwd: root });
    expect(paths.length).to.be.greaterThan(300);
    // Runs do not have the local chain, but a model of a node.
    const isReal = (path: string): boolean => path.startsWith("local-chain/");
    const found = paths.filter((path) => !isReal(path) && listOwn(path).length > 0);
    expect(found.sort()).to.deep.equal(Object.keys(REASONS).sort());
  });
});
