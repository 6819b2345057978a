import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { TICK_RATES } from "../../games/fixed.ts";
import type { GameState } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { toInputCodes, toPlayFrame } from "../../scripts/evaluate/play.ts";
import { requirePython } from "../helpers/python.ts";
import { toFreshSeed } from "./delayed-play.ts";

const RUNS = 600;
const MARK_EVERY_TICKS = 50;
const SCRIPT = fileURLToPath(new URL("../../examples/verifier/rules.py", import.meta.url));
const SLUGS = ["shellrunners", "flappybots"] as const;

const toMark = (state: GameState): number[] => [
  state.score,
  state.lives,
  state.hunger,
  (state as GameState & { distance: number }).distance,
];

/** Run number n: every game and tick rate in turn, one in six played by the reference bot. */
function playRun(n: number) {
  const slug = SLUGS[n % SLUGS.length]!;
  const tickHz = TICK_RATES[Math.floor(n / SLUGS.length) % TICK_RATES.length]!;
  const game = findGame(slug)!;
  const seed = toFreshSeed("rules as text", n);
  const bot = Math.floor(n / 12) % 6 === 0 ? game.bots.reference() : game.bots.random(n);
  const state = game.init(seed, tickHz);
  const inputs: (readonly [number, number])[] = [];
  const marks: number[][] = [];
  while (!state.over) {
    const codes = toInputCodes(game, bot(toPlayFrame(game, state)));
    for (const code of codes) inputs.push([state.tick + 1, code]);
    game.step(state, codes);
    if (state.tick % MARK_EVERY_TICKS === 0) marks.push(toMark(state));
  }
  const { tick: ticks, score, lives } = state;
  return {
    run: { slug, tickHz, seed: Buffer.from(seed).toString("hex"), inputs, ticks },
    expected: { ticks, score, lives, marks },
  };
}

describe("the rules as docs/rules.md states them", () => {
  it(`give the same ${RUNS} runs, at every tick rate, in a program in another language that follows the text`, () => {
    const python = requirePython();
    const runs = Array.from({ length: RUNS }, (_, n) => playRun(n));
    const input = runs.map(({ run }) => JSON.stringify(run)).join("\n");
    const { stdout, stderr } = spawnSync(python, [SCRIPT], { input, encoding: "utf8", maxBuffer: 2 ** 28 });
    expect(stderr).to.equal("");
    const results = stdout.trim().split("\n").map((line) => JSON.parse(line)); // biome-ignore format: short
    expect(results).to.have.length(RUNS);
    for (const [n, { run, expected }] of runs.entries())
      expect(results[n], `run ${n}: ${run.slug} at ${run.tickHz} ticks a second`).to.deep.equal(expected);
    expect(runs.filter(({ expected }) => expected.score > 500).length).to.be.above(50);
  }).timeout(400_000);
});
