import { constants, getPriority } from "node:os";
import { expect } from "chai";
import { openEngine } from "../../../backend/adapters/policies/engine-file.ts";
import { getCpuMsMax, playCourses } from "../../../backend/adapters/policies/play-courses.ts";
import { PolicyProcess } from "../../../backend/adapters/policies/policy-process.ts";
import { playPolicy, type Run } from "../../../domain/league/course.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import { POLICY_BOUNDS } from "../../../domain/league/policy-text.ts";
import { findGame } from "../../../games/index.ts";
import { listChildProcesses } from "../../helpers/child-processes.ts";
import { ABSENT, ESCAPES, KILLED, PROTOTYPE_TRICKS } from "./escapes.ts";

const FRAME = { tick: 7, pawn: { y: 1 } };
const SEED = `0x${"11".repeat(32)}` as const;
const engine = openEngine();

const describeFault = (error: unknown): string => {
  if (error instanceof PolicyFault) return `${error.kind} ${error.message} @${error.line}:${error.column}`;
  throw error;
};

/** The first move of a policy, or its error. */
const move = (text: string): Promise<unknown> =>
  engine
    .load(text, [1, 2, 3, 4])
    .then((policy) => JSON.parse(policy.move(JSON.stringify(FRAME))) as unknown)
    .catch(describeFault);

/** Evaluates each expression in the policy; the move has the numbers of those that did not throw. */
const listWorking = (expressions: readonly string[]): string =>
  `() => [${expressions.map((each) => `() => ${each}`).join(",")}].map((run, index) => { try { run(); return index; } catch { return -1; } }).filter((index) => index >= 0)`;

describe("the engine of policies", () => {
  it("passes the frame and its memory to the policy, and uses its move", async () => {
    const policy = await engine.load(
      "(frame, memory) => { memory.n = (memory.n ?? 0) + 1; return [frame.tick, memory.n]; }",
      [],
    );
    expect([policy.move(JSON.stringify(FRAME)), policy.move(JSON.stringify(FRAME))]).to.deep.equal(["[7,1]", "[7,2]"]);
    expect(await move("function policy() { return null; }")).to.equal(null);
    expect(await move("() => undefined")).to.equal(null);
  });

  it("reports line and column of a text that does not parse and of a policy that throws", async () => {
    expect(await move("(frame) => 1 +* 2")).to.match(/^text unexpected token.*@1:15$/);
    expect(await move("(frame) => {\n  return {\n")).to.match(/^text .*@3:1$/);
    expect(await move("(frame) => {\n  return frame.missing.x;\n}")).to.match(
      /^error cannot read property 'x' of undefined @2:23$/,
    );
    expect(await move("() => 10n")).to.match(/^text .*@1:7$/);
  });

  it("rejects a text without an entry point with an example, and a long one with its length", async () => {
    expect(await move("42")).to.match(/^text the text gives no function; expected for example: \(frame, memory\) =>/);
    const text = "() => null; //";
    const fill = (bytes: number): string => text + "ä".repeat((bytes - text.length) / 2);
    expect(await move(fill(POLICY_BOUNDS.textBytes))).to.equal(null);
    expect(await move(fill(POLICY_BOUNDS.textBytes + 2))).to.match(
      /^text expected at most 65536 bytes, received 65538/,
    );
  });

  it("ends every escape of the corpus", async () => {
    for (const [text, expected] of Object.entries(ESCAPES)) {
      const outcome = await move(text);
      expect(outcome, text).to.be.a("string");
      expect(outcome as string, text).to.match(expected);
    }
  });

  it("has no clock, no randomness, no code from text and nothing of its machine", async () => {
    expect(await move(listWorking(ABSENT))).to.deep.equal([]);
  });

  it("lets a policy change only its own environment", async () => {
    for (const [text, expected] of Object.entries(PROTOTYPE_TRICKS))
      expect(await move(text), text).to.deep.equal(expected);
    expect(await move("() => [1, 2].map((x) => x + 1)")).to.deep.equal([2, 3]);
  });

  it("draws the same numbers for the same seed, and others for another", async () => {
    const draw = async (seed: `0x${string}`) => {
      const game = findGame("shellrunners")!;
      const text = "() => ({ t: 'input', dir: ['left', 'right', 'none'][Math.floor(Math.random() * 3)] })";
      return (await playPolicy(engine, text, { game, seed, tickHz: 20, ticksMax: 40 })).moves;
    };
    expect(await draw(SEED)).to.equal(await draw(SEED));
    expect(await draw(SEED)).to.not.equal(await draw(`0x${"22".repeat(32)}`));
  });

  it("counts an unknown move, and continues without it", async () => {
    const game = findGame("flappybots")!;
    const run = await playPolicy(engine, "() => ({ t: 'jump' })", { game, seed: SEED, tickHz: 20, ticksMax: 5 });
    expect(run).to.include({ moves: ".....", forfeit: null });
    expect(run.unknown).to.deep.equal({ count: 5, example: '{"t":"jump"}' });
  });
});

describe("the fuel of a course", () => {
  const play = (text: string) =>
    playPolicy(engine, text, { game: findGame("flappybots")!, seed: SEED, tickHz: 20, ticksMax: 5 });
  const all = 5 * POLICY_BOUNDS.meanTickFuel;

  it("may be spent evenly or at once, up to the last unit", async () => {
    const { fuel: loadFuel } = await play("() => null");
    for (const fuel of [POLICY_BOUNDS.meanTickFuel - 1, POLICY_BOUNDS.meanTickFuel])
      expect(await play(`() => { "x".repeat(${fuel}); }`)).to.include({ fuel: loadFuel + 5 * fuel, forfeit: null });
    expect(await play(`(frame) => { if (frame.tick === 2) "x".repeat(${all}); }`)).to.include({ forfeit: null });
  });

  it("ends with a forfeit when exceeded, at the same tick everywhere", async () => {
    const text = `more than ${all} units of fuel in this course`;
    const spread = await play(`() => { "x".repeat(${POLICY_BOUNDS.meanTickFuel + 1}); }`);
    expect(spread.forfeit).to.include({ reason: "fuel", text, tick: 4 });
    const atOnce = await play(`(frame) => { if (frame.tick === 2) "x".repeat(${all + 1}); }`);
    expect(atOnce.forfeit).to.include({ reason: "fuel", text, tick: 2 });
  });

  it("does not count what loading used", async () => {
    const { fuel, forfeit } = await play(`"x".repeat(60_000); () => { "x".repeat(${POLICY_BOUNDS.meanTickFuel}); }`);
    expect(forfeit).to.equal(null);
    expect(fuel).to.be.greaterThan(all + 60_000);
  });
});

describe("the process of a policy", () => {
  it("gives the same runs as the engine, and the position of an error", async () => {
    const text = "(frame) => frame.tick % 9 === 0 ? { t: 'action', action: 'FLAP' } : null";
    const policy = await PolicyProcess.start(text);
    try {
      const courses = { slug: "flappybots", seeds: [SEED], tickHz: 20, ticksMax: 100 };
      const runs: Run[] = [];
      await policy.play(courses, { onRun: (run) => runs.push(run) });
      const game = findGame("flappybots")!;
      expect(runs).to.deep.equal([await playPolicy(engine, text, { game, seed: SEED, tickHz: 20, ticksMax: 100 })]);
      expect(await policy.move(FRAME)).to.equal(null);
    } finally {
      policy.stop();
    }
    const refused = await PolicyProcess.start("(frame) => 1 +* 2").catch(describeFault);
    expect(refused).to.match(/^text .*@1:15$/);
  });

  it("runs the policy with a lower priority than the service, and starts with it unless it is prompt", async () => {
    const { PRIORITY_BELOW_NORMAL } = constants.priority;
    for (const isPrompt of [false, true]) {
      const before = listChildProcesses();
      const starting = PolicyProcess.start("() => null", { isPrompt });
      const [pid, ...others] = listChildProcesses().filter((each) => !before.includes(each));
      expect(others).to.deep.equal([]);
      const atStart = getPriority(pid);
      const policy = await starting;
      try {
        const expected = [isPrompt ? getPriority() : PRIORITY_BELOW_NORMAL, PRIORITY_BELOW_NORMAL];
        expect([atStart, getPriority(pid)]).to.deep.equal(expected);
      } finally {
        policy.stop();
      }
    }
  });

  it("is killed if the policy gets past its fuel", async () => {
    const policy = await PolicyProcess.start(KILLED);
    const outcome = await policy.move(FRAME).catch(describeFault);
    expect(outcome).to.match(/^stopped The policy did not return within 3 s of CPU time/);
    expect(await policy.move(FRAME).catch(describeFault)).to.match(/^stopped/);
  });

  it("is killed if its courses take too much time in total, and then also forfeits those it has played", async () => {
    // Statements without a call or a jump use no fuel.
    const text = `() => { let n = 0; for (let i = 0; i < 10; i++) {${"n++;".repeat(14_000)}} return null; }`;
    const courses = { slug: "flappybots", seeds: Array(60).fill(SEED), tickHz: 20, ticksMax: 20 };
    expect(getCpuMsMax(courses)).to.equal(3_000 + 60 * 20 * 5);
    const stopped = (await playCourses(text, courses, 1_000)).map(
      ({ forfeit }) => `${forfeit?.reason} ${forfeit?.text}`,
    );
    expect(stopped).to.deep.equal(Array(60).fill("stopped The policy used more than 1 s of CPU time."));
    const played = await playCourses(text, { ...courses, seeds: [SEED] });
    expect(played.map(({ forfeit }) => forfeit)).to.deep.equal([null]);
  });
});
