import { spawn } from "node:child_process";
import { expect } from "chai";
import { createWarmProcess, findInSoundProcess } from "../../lab/mutate-ts/warm-process.ts";

/** Answers an order with its number and the process's count of orders. Does not answer 0. */
const WORKER = `let count = 0;
process.on("message", ({ number }) => { count += 1; if (number > 0) process.send({ number, count }); });
process.send("ready");`;
const start = (script: string) =>
  spawn(process.execPath, ["-e", script], { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] });

interface Answer {
  readonly number: number;
  readonly count: number;
}

describe("a warm process", () => {
  const create = (runsMax: number, script = WORKER) =>
    createWarmProcess<{ readonly number: number }, Answer>({ start: () => start(script), runsMax });

  it("is replaced after its runs, and after a run without an answer", async () => {
    const warm = create(2);
    const run = async (number: number, limitMs = 20_000) => (await warm.run({ number }, limitMs))?.count;
    expect([await run(1), await run(2), await run(3)]).to.deep.equal([1, 2, 1]);
    expect(warm.isFresh()).to.equal(false);
    expect(await run(0, 1)).to.equal(undefined);
    expect(warm.isFresh()).to.equal(true);
    expect(await run(1)).to.equal(1);
    warm.stop();
  });

  it("that cannot start is an error", async () => {
    const error = await create(2, "process.exit(1)")
      .run({ number: 1 }, 20_000)
      .catch((failed: Error) => failed.message);
    expect(error).to.equal("expected the process of the mutants to start, it ended");
  });
});

describe("a finding with a mutant", () => {
  /** Looks in a used process, with the given results of each look. */
  async function find(found: readonly (string | null)[], isSound: boolean) {
    let [looks, isFresh] = [0, false];
    const stop = (): void => {
      isFresh = true;
    };
    const look = async (): Promise<string | null> => {
      isFresh = false;
      return found[looks++]!;
    };
    const result = await findInSoundProcess({ isFresh: () => isFresh, stop }, look, async () => isSound);
    return { result, looks };
  }

  it("counts if the process still behaves as before without a mutant", async () => {
    expect(await find(["a"], true)).to.deep.equal({ result: "a", looks: 1 });
    expect(await find([null], false)).to.deep.equal({ result: null, looks: 1 });
  });

  it("is otherwise repeated in a new process", async () => {
    expect(await find(["a", null], false)).to.deep.equal({ result: null, looks: 2 });
    expect(await find(["a", "b"], false)).to.deep.equal({ result: "b", looks: 2 });
  });
});
