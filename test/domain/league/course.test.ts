import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { playPolicy } from "../../../domain/league/course.ts";
import { createEngine, type Engine } from "../../../domain/league/engine.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import { POLICY_BOUNDS } from "../../../domain/league/policy-text.ts";
import { findGame } from "../../../games/index.ts";

const game = findGame("flappybots")!;
const TICKS = 5;
const FUEL_MAX = POLICY_BOUNDS.meanTickFuel * TICKS;
const FLAP = game.inputs.find(({ mode }) => mode === "once")!;
const FLAPPED = FLAP.code.toString(36);
const flap = JSON.stringify(FLAP.message);

/** Plays a course whose policy makes these moves, and has then used this fuel. */
const play = (moves: readonly string[], fuels: readonly number[] = []) => {
  let tick = 0;
  const policy = {
    get fuel(): number {
      return tick === 0 ? 100 : 100 + (fuels[tick - 1] ?? 0);
    },
    move: () => {
      tick += 1;
      return moves[tick - 1] ?? "null";
    },
  };
  const engine: Engine = { load: async () => policy };
  return playPolicy(engine, "", { game, seed: `0x${"42".repeat(32)}`, tickHz: game.tickHz, ticksMax: TICKS });
};

describe("a course of a policy", () => {
  it("records a move for each tick, and counts those that the game does not know", async () => {
    expect(await play([flap])).to.include({ ticks: TICKS, moves: `${FLAPPED}....`, unknown: null, forfeit: null });
    const [first, second] = ['{"t":"fly"}', '{"t":"swim"}'];
    expect(await play(["null", first, flap, second, first])).to.deep.include({
      moves: `..${FLAPPED}..`,
      unknown: { count: 3, example: first },
    });
    expect((await play([first])).unknown).to.deep.equal({ count: 1, example: first });
  });

  it("ends when the policy has used more fuel than a course has, loading not counted", async () => {
    expect(await play([], [0, FUEL_MAX])).to.deep.include({ ticks: TICKS, forfeit: null });
    const { ticks, moves, forfeit } = await play([flap], [0, FUEL_MAX + 1]);
    expect({ ticks, moves }).to.deep.equal({ ticks: 1, moves: FLAPPED });
    expect(forfeit).to.include({ reason: "fuel", tick: 1, line: null, column: null });
  });

  it("is lost if the policy cannot be loaded, but not if the engine fails", async () => {
    const options = { game, seed: `0x${"42".repeat(32)}`, tickHz: game.tickHz, ticksMax: TICKS } as const;
    const fail = (error: Error) => playPolicy({ load: () => Promise.reject(error) }, "", options);
    const { forfeit, ...run } = await fail(new PolicyFault("text", "a test", { line: 3, column: 4 }));
    expect(run).to.deep.equal({ score: 0, ticks: 0, fuel: 0, moves: "", unknown: null });
    expect(forfeit).to.deep.equal({ reason: "text", text: "a test", tick: 0, line: 3, column: 4 });
    expect(await fail(new Error("no memory")).catch(({ message }) => message)).to.equal("no memory");
  });

  it("is lost by a text that does not parse; the reason mentions Markdown if the text has it", async () => {
    const path = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
    const engine = createEngine(new WebAssembly.Module(readFileSync(path)));
    const load = (text: string) =>
      engine.load(text, [1, 2, 3, 4]).then(
        () => null,
        (error: PolicyFault) => error,
      );
    expect(await load("() => null")).to.equal(null);
    const hint = "send the JavaScript only, without Markdown";
    const plain = (await load("() => {"))!;
    expect(plain).to.include({ kind: "text" });
    expect(plain.message).to.not.include(hint);
    for (const fence of ["```", "~~~"]) {
      const fenced = (await load(`Here it is:\n${fence}js\n() => null\n${fence}`))!;
      expect(fenced).to.include({ kind: "text", line: 1 });
      expect(fenced.message).to.include(hint);
    }
    // Another fault of a text that has such a line is not about Markdown.
    const thrown = (await load("/*\n```\n*/ throw new Error('a test')"))!;
    expect(thrown).to.include({ kind: "error" });
    expect(thrown.message).to.include("a test").and.not.include(hint);
  });
});
