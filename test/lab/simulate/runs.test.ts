import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { queryObjects } from "node:v8";
import { expect } from "chai";
import { PLAIN_BEHAVIOR } from "../../../lab/simulate/run/behavior.ts";
import type { Fault } from "../../../lab/simulate/run/faults.ts";
import { readRegressions } from "../../../lab/simulate/run/regressions.ts";
import { Simulator } from "../../../lab/simulate/run/simulator.ts";
import { EventLoop, finishRealTurn, getOwner, runAs } from "../../../lab/simulate/world/event-loop.ts";
import { root } from "../../../scripts/start/build.ts";
import { withoutWarnings } from "../../helpers/without-warnings.ts";

/** Runs of two agents. */
const HABITS_SEEDS = [1, 2, 3];

/** Turns of Node's event loop. */
const TURNS = 20;

/** Counts the runs in memory after a garbage collection. */
const countEventLoops = (): number => withoutWarnings(() => queryObjects(EventLoop, { format: "count" }));

describe("simulated runs", () => {
  let simulator: Simulator;

  before(async () => {
    simulator = await Simulator.create();
  });

  it("pays every agent of a run without faults", async () => {
    const { violation } = await simulator.run({ seed: 1, plan: [] });
    expect(violation).to.equal(null);
  });

  it("keeps every invariant of a run in which the backend is killed and the chain is reorganized", async () => {
    const { violation } = await simulator.run({
      seed: 2,
      plan: [
        { kind: "crash at commit", count: 20, downMs: 700 },
        { kind: "crash at statement", count: 260, downMs: 700 },
        { kind: "reorg", atMs: 11_000, depth: 3, forgotten: 1 },
      ],
    });
    expect(violation).to.equal(null);
  });

  it("lets one of three backends on a store serve, and the next when it is suspended beyond its lease", async () => {
    const plan = [{ kind: "backend paused", atMs: 9_000, forMs: 40_000 }] as const;
    const { violation, trace } = await simulator.run({ seed: 1_000_001, plan, backends: 3, isTraceKept: true });
    expect(violation).to.equal(null);
    const count = (pattern: RegExp): number => trace.filter(({ text }) => pattern.test(text)).length;
    expect(count(/ backend-[123] starts$/)).to.equal(3);
    expect(count(/ backend-[123] runs$/)).to.be.greaterThan(1);
  });

  it("follows the chain after missing more blocks than the indexer reads one by one", async () => {
    const { violation } = await simulator.run({
      seed: 10_000_000,
      plan: [
        { kind: "crash", atMs: 15_000, downMs: 78_000 },
        { kind: "blocks frequent", atMs: 15_200, forMs: 80_000, depth: 0 },
      ],
      behavior: PLAIN_BEHAVIOR,
    });
    expect(violation).to.equal(null);
  });

  it("keeps every invariant of harsh runs that are short", async () => {
    const runs = [];
    for (const seed of [10_000_000, 10_000_001, 10_000_002]) runs.push(await simulator.run({ seed }));
    expect(runs.map(({ violation }) => violation)).to.deep.equal([null, null, null]);
    const lateFaults = runs.flatMap(({ plan }) => plan.filter((fault) => "atMs" in fault && fault.atMs > 20_000));
    expect(lateFaults).to.deep.equal([]);
  });

  it("speaks HTTP and WebSocket to the service", async () => {
    const { trace } = await simulator.run({ seed: 1, plan: [], isTraceKept: true });
    for (const line of [
      "auth.verify: answered",
      "sessions.start: answered",
      "rewards.payout: answered",
      "end message: ",
    ])
      expect(
        trace.some(({ text }) => text.includes(line)),
        line,
      ).to.equal(true);
  });

  for (const { name, invariant, ...run } of readRegressions())
    it(`holds in the run that once broke "${invariant}" (${name})`, async () => {
      const { violation } = await simulator.run(run);
      expect(violation).to.equal(null);
    });

  it("pays for agents without ether until the day's gas is used up, and repeats a key's answer", async () => {
    const behavior = { ...PLAIN_BEHAVIOR, areSponsored: true, useKeys: true };
    const traces: string[] = [];
    for (const seed of HABITS_SEEDS) {
      const { violation, trace } = await simulator.run({ seed, plan: [], behavior, isTraceKept: true });
      expect(violation, `seed ${seed}`).to.equal(null);
      traces.push(...trace.map(({ text }) => text));
    }
    for (const line of ["SPONSORSHIP_EXHAUSTED", "IDEMPOTENCY_CONFLICT"])
      expect(
        traces.some((text) => text.includes(line)),
        line,
      ).to.equal(true);
  });

  const RARE: readonly { readonly fault: Fault; readonly line: string }[] = [
    { fault: { kind: "bump ordered", waitMs: 9_000 }, line: "bump of" },
    { fault: { kind: "cancel ordered", waitMs: 4_000 }, line: "cancel of" },
    { fault: { kind: "nonce wrong once", count: 1, by: 1 }, line: "filling a gap in the operator's nonces" },
    { fault: { kind: "nonce wrong once", count: 1, by: -1 }, line: "eth_getTransactionCount: wrong by -1 once" },
    { fault: { kind: "receipt missing once", count: 2 }, line: "the receipt is missing once" },
    { fault: { kind: "estimate too high", count: 1 }, line: "the estimate is too high" },
    { fault: { kind: "estimate too high", count: 1, isError: true }, line: "the estimate is too high" },
  ];
  for (const { fault, line } of RARE)
    it(`keeps every invariant with a rare fault (${JSON.stringify(fault)})`, async () => {
      const behavior = { ...PLAIN_BEHAVIOR, areSponsored: true };
      const { violation, trace } = await simulator.run({
        seed: 10_000_000,
        plan: [fault],
        behavior,
        isTraceKept: true,
      });
      expect(violation).to.equal(null);
      expect(trace.filter(({ text }) => text.includes(line))).to.have.length(1);
    });

  it("keeps every invariant with agents that call out of turn, and send signed calls late", async () => {
    const behavior = { ...PLAIN_BEHAVIOR, callOutOfTurn: true };
    const traces: string[] = [];
    for (let seed = 10_000_000; seed < 10_000_010; seed++) {
      const { violation, trace } = await simulator.run({ seed, plan: [], behavior, isTraceKept: true });
      expect(violation, `seed ${seed}`).to.equal(null);
      traces.push(...trace.map(({ text }) => text));
    }
    for (const line of ["IDENTITY_REQUIRED", "ALREADY_REGISTERED", "PAYOUT_NOT_READY", "SessionAlreadyConsumed"])
      expect(
        traces.some((text) => text.includes(line)),
        line,
      ).to.equal(true);
  });

  it("gives the same trace for the same seed, even after other runs", async () => {
    const first = await simulator.run({ seed: 3 });
    await simulator.run({ seed: 4 });
    const second = await simulator.run({ seed: 3 });
    expect(second.digest).to.equal(first.digest);
    expect(second.steps).to.equal(first.steps);
  });

  it("counts what it exercised, without the runs before its stage", async () => {
    const { coverage } = await (await Simulator.create()).run({ seed: 100_000_003, plan: [] });
    expect(coverage["check every agent is done in the end"]).to.deep.equal({ runs: 1, times: 1 });
    expect(coverage["check every payout is settled"]).to.deep.equal({ runs: 1, times: 1 });
  });

  it("restores Node's time and randomness after a run", async () => {
    const before = [Date.now, performance.now, Math.random, setTimeout, fetch];
    await simulator.run({ seed: 1, plan: [] });
    expect([Date.now, performance.now, Math.random, setTimeout, fetch]).to.deep.equal(before);
  });

  it("reports an error that no code handles while its process is alive", async () => {
    const loop = new EventLoop();
    const owner = { name: "backend-1", isAlive: true, pausedUntilMs: 0, wallOffsetMs: 0 };
    const others = process.listeners("unhandledRejection");
    const alive: (boolean | undefined)[] = [];
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", () => alive.push(getOwner()?.isAlive));
    try {
      runAs(owner, () => loop.schedule(10, () => void Promise.reject(new Error("not handled"))));
      loop.schedule(500, () => {
        owner.isAlive = false;
      });
      await loop.runUntil(() => false, 1_000);
      await finishRealTurn();
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of others) process.on("unhandledRejection", listener);
    }
    expect(alive).to.deep.equal([true]);
  });

  it("is released when it is over", async () => {
    // Node releases a run's last promises within some turns. A leak would keep each run.
    const countLeft = async (): Promise<number> => {
      for (let turn = 0; turn < TURNS; turn++) await finishRealTurn();
      return countEventLoops();
    };
    const before = await countLeft();
    for (let seed = 10_000_000; seed < 10_000_005; seed++) await simulator.run({ seed });
    // An earlier run may be collected only now, so there can be fewer. Five leaked runs would be more.
    expect(await countLeft()).to.be.at.most(before);
  });

  it("does not use Node's sleep, wall clock or randomness", () => {
    const forbidden =
      /Math\.random\(|Date\.now\(|new Date\(\)|performance\.now\(|timers\/promises|setInterval\(|setTimeout\(|setImmediate\(|hrtime|getRandomValues|randomUUID|randomBytes/;
    const paths = globSync("lab/simulate/{run,chain,world}/*.ts", { cwd: root });
    const found = paths.filter((path) => {
      const text = readFileSync(join(root, path), "utf8");
      // Except for the file that replaces them with stand-ins.
      return !path.endsWith("world/globals.ts") && forbidden.test(text);
    });
    expect(paths.length).to.be.greaterThan(10);
    expect(found).to.deep.equal([]);
  });
});
