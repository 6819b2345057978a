import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findGame } from "../../games/index.ts";
import { playBot, toSeed } from "../../scripts/evaluate/play.ts";
import { type Evaluation, summarizeRuns } from "../../scripts/evaluate/table.ts";

const SLUG = "flappybots";

function evaluate(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["scripts/run.mjs", "evaluate", "--game", SLUG, ...args], (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

describe("npm run evaluate", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-evaluate-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const writeBot = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };

  it("prints the results of a built-in bot's runs, the same each time", async () => {
    const game = findGame(SLUG)!;
    const runs = [0, 1, 2].map((seed) => playBot(game, toSeed(seed), game.bots.reference()));
    const { code, out, err } = await evaluate(["--seeds", "3", "--json"]);
    expect(code, err).to.equal(0);
    expect(JSON.parse(out)).to.deep.equal({ ok: true, evaluations: [summarizeRuns(SLUG, "reference", runs)] });
  });

  it("waits in every tick for a bot that returns promises, with the same result as for a synchronous one", async () => {
    const move = `frame.tick % 9 === 0 ? { t: "action", action: "FLAP" } : null`;
    const bots = [
      await writeBot("sync.mjs", `export const bot = (frame) => ${move};`),
      await writeBot("async.mjs", `export const bot = async (frame) => ${move};`),
    ];
    const outcomes = await Promise.all(bots.map((bot) => evaluate(["--seeds", "2", "--json", "--bot", bot])));
    const [sync, async] = outcomes.map(({ out }) => {
      const { bot: _, ...figures } = (JSON.parse(out) as { evaluations: [Evaluation] }).evaluations[0];
      return figures;
    });
    expect(async).to.deep.equal(sync);
    expect(sync!.seconds[2]).to.be.greaterThan(0);
  });

  for (const [name, text, code, error] of [
    [
      "bot(frame)",
      "export const bot = async ({ tick }) => tick === 3 ? new Promise(() => {}) : null;",
      1,
      "at tick 3 of",
    ],
    [
      "makeBot(slug)",
      "export const makeBot = async () => () => null;",
      2,
      "expected a function of a frame, received a promise",
    ],
    ["top level", "await new Promise(() => {});\nexport const bot = () => null;", 2, "never settles"],
  ] as const)
    it(`names ${name} if its promise is never settled`, async () => {
      const outcome = await evaluate(["--seeds", "1", "--bot", await writeBot("never.mjs", text)]);
      expect(outcome.err).to.include(name).and.include(error).and.not.include("Warning");
      expect(outcome.code).to.equal(code);
    });

  it("names bot(frame) if a promise for a saved frame is never settled", async () => {
    const bot = await writeBot("pending.mjs", "export const bot = () => new Promise(() => {});");
    const frames = await writeBot(
      "frames.json",
      JSON.stringify({ slug: SLUG, frames: [{ tick: 7, phase: "running" }] }),
    );
    const { code, err } = await evaluate(["--bot", bot, "--frames", frames]);
    expect(err).to.include("bot(frame) never settles it").and.include("at tick 7");
    expect(code).to.equal(1);
  });

  it("reports the tick and the allowed moves when a bot returns another one", async () => {
    const bot = await writeBot("jump.mjs", `export const bot = () => ({ t: "action", action: "JUMP" });`);
    const { code, err } = await evaluate(["--seeds", "1", "--bot", bot]);
    expect(code).to.equal(1);
    expect(err).to.include("at tick 0").and.to.include('"JUMP"').and.to.include('"FLAP"');
  });
});
