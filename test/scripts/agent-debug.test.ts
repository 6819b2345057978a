import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { command as agent } from "../../scripts/agent.ts";
import { command as evaluate } from "../../scripts/evaluate.ts";
import { createFastClock } from "../../testing/clock.ts";
import { callCommand } from "../helpers/commands.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

/** Fails at its fifth frame, so that a single frame does not reproduce the failure. */
const FAILING_BOT = `let asked = 0;
export const bot = () => {
  asked += 1;
  if (asked === 5) throw new Error("lost count");
  return null;
};
`;

describe("npm run agent -- --debug", () => {
  let stack: TestStack;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-debug-"));
    stack = await startTestStack({ clock: createFastClock(4) });
  });
  after(async () => {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("saves the frames of a failing bot, with which evaluate runs a bot again", async () => {
    const env = { INIT_CWD: folder, ARCADE_DATA_DIR: folder };
    const failing = join(folder, "failing.mjs");
    await writeFile(failing, FAILING_BOT);
    const game = ["--game", "flappybots"];
    const run = await callCommand(agent, [...game, "--url", stack.httpUrl, "--bot", failing, "--debug"], env);
    expect(run.code).to.equal(1);
    expect(run.err)
      .to.include("play: ")
      .and.to.include("lost count")
      .and.to.match(/failing\.mjs:4:\d+/)
      .and.to.match(/at tick \d+ of flappybots/);
    expect(run.err).to.match(/frame: \{"score":\{"current":0,.*"pawn":\{"x":160,.*"entities":\d+\}/);
    const [name = ""] = (await readdir(folder)).filter((file) => file.startsWith("bot-failure-flappybots-"));
    expect(run.out).to.include(name);
    const saved = JSON.parse(await readFile(join(folder, name), "utf8"));
    expect(saved.frames).to.have.length(5);
    expect(saved.frames[4].entities).to.not.be.empty;

    // A process loads each module once, so the same text is used under other names.
    const same = join(folder, "same.mjs");
    await writeFile(same, FAILING_BOT);
    const again = await callCommand(evaluate, ["--bot", same, "--frames", name], env);
    expect(again.code).to.equal(1);
    expect(again.err).to.include("lost count").and.to.include(`at tick ${saved.frames[4].tick} `);
    const corrected = join(folder, "corrected.mjs");
    await writeFile(corrected, FAILING_BOT.replace("asked === 5", "asked === 6"));
    const good = await callCommand(evaluate, ["--bot", corrected, "--frames", name, "--json"], env);
    expect(good.json).to.deep.equal({ ok: true, moves: [null, null, null, null, null] });
  });

  it("requires a file of frames", async () => {
    const other = join(folder, "other.json");
    await writeFile(other, "{}");
    const { code, err } = await callCommand(evaluate, ["--frames", other]);
    expect(code).to.equal(2);
    expect(err).to.include("npm run agent -- --debug");
  });
});

describe("npm run agent on a service of another domain", () => {
  it("rejects the sign-in before any gas is spent", async () => {
    const stack = await startTestStack({ env: { ARCADE_PUBLIC_URL: "https://arcade.example" } });
    try {
      const getBlock = () => stack.chain.request("eth_blockNumber");
      const before = await getBlock();
      const args = ["--game", "flappybots", "--url", stack.httpUrl, "--bot", "quick", "--json"];
      const result = await callCommand(agent, args, { ARCADE_DATA_DIR: stack.dataDir });
      expect(result.json, result.err).to.include({ step: "sign-in", code: "MESSAGE_MISMATCH" });
      expect(await getBlock()).to.equal(before);
    } finally {
      await stack.close();
    }
  });
});
