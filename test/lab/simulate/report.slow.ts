/** The report that `npm run lab -- simulate` prints about a broken invariant. */
import { execFile } from "node:child_process";
import { expect } from "chai";
import { createFaultEnvironment } from "../../../lab/injected/inject.ts";
import { runInProcesses } from "../../../lab/simulate/processes.ts";
import type { FaultPlan } from "../../../lab/simulate/run/faults.ts";
import { Simulator } from "../../../lab/simulate/run/simulator.ts";

const SEED = 10_000_000;
const RUNS = 30;

interface Ended {
  readonly code: number;
  readonly out: string;
}

/** Runs `npm run lab -- simulate` with an injected fault in all its processes, unknown to the command. */
const simulateBroken = (injected: string, ...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...createFaultEnvironment([injected]) };
    const command = ["scripts/run.mjs", "lab", "simulate", "--seed", `${SEED}`, "--runs", `${RUNS}`, ...args];
    execFile(process.execPath, command, { env }, (error, out) =>
      resolve({ code: error === null ? 0 : Number(error.code), out }),
    );
  });

describe("the report of the command", () => {
  it("has seed, invariant and fewer faults than were drawn, and the command ends with 1", async () => {
    const { code, out } = await simulateBroken("orphaned-banks-kept", "--processes", "1");
    expect(code, out).to.equal(1);
    const told = /^Seed (\d+): (derived rows equal a fresh resync: .*)\nFaults that are needed: (.*)$/m.exec(out);
    expect(told, out).to.not.equal(null);
    const [, seed, , faults] = told!;
    expect(out).to.include(`broken first in seed ${seed}`);
    const { plan, violation } = await (await Simulator.create()).run({ seed: Number(seed) });
    // Without the injected fault.
    expect(violation).to.equal(null);
    const needed = JSON.parse(faults!) as FaultPlan;
    expect(needed.length).to.be.greaterThan(0).and.lessThan(plan.length);
    const kinds = plan.map(({ kind }) => kind);
    for (const { kind } of needed) expect(kinds).to.include(kind);
    expect(out).to.match(/^Behavior of the agents: .+; backends: (1|drawn from the seed)$/m);
  });

  it("is JSON on request, with the first broken run first", async () => {
    const { code, out } = await simulateBroken("totals-not-rebuilt", "--processes", "1", "--json");
    expect(code, out).to.equal(1);
    const { failures } = JSON.parse(out) as { readonly failures: readonly { readonly seed: number }[] };
    expect(failures[0]!.seed).to.equal(SEED);
  });
});

describe("a steered batch", () => {
  it("chooses the same seeds in another process", async () => {
    const batch = { seed: SEED, runs: RUNS, processes: 1, injected: null, secondsMax: null };
    const order = { isSteered: true, isDescending: false, stopsAtFailure: false };
    const { digests } = await runInProcesses({ ...batch, ...order });
    expect((await runInProcesses({ ...batch, ...order })).digests).to.deep.equal(digests);
  });
});
