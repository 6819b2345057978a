import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect } from "chai";
import type { Bot } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { getQuantile, playBot, toSeed } from "../../scripts/evaluate/play.ts";
import { renderStarter } from "../../scripts/new-bot/files.ts";
import { command } from "../../scripts/new-bot.ts";
import { buildPackage } from "../../scripts/packages/build.ts";
import { CLIENT_PACKAGE } from "../../scripts/packages/client.ts";
import { packPackage } from "../../scripts/packages/pack.ts";
import { root } from "../../scripts/start/build.ts";
import { callCommand } from "../helpers/commands.ts";

const RUNS = 60;
const files = renderStarter({
  slug: "shellrunners",
  url: "http://127.0.0.1:4100",
  tarball: "client.tgz",
  versions: {},
});

/** Runs on the seeds of `npm run evaluate`: medians, and the share that reached the first tier. */
function measure(slug: string, createBot: () => Bot) {
  const runs = Array.from({ length: RUNS }, (_, seed) => playBot(findGame(slug)!, toSeed(seed), createBot()));
  const getMedian = (values: readonly number[]): number =>
    getQuantile(
      values.toSorted((a, b) => a - b),
      0.5,
    );
  return {
    points: getMedian(runs.map(({ state }) => state.score)),
    seconds: getMedian(runs.map(({ seconds }) => seconds)),
    firstTier: runs.filter(({ tier1Seconds }) => tier1Seconds !== null).length / RUNS,
  };
}

describe("the bot of a starter", () => {
  let bot: Bot;
  before(async () => {
    ({ bot } = await import(`data:text/javascript,${encodeURIComponent(files["bot.js"]!)}`));
  });

  for (const slug of ["shellrunners", "flappybots"])
    it(`reaches the first tier of ${slug} in most runs, and leaves the reference bot ahead of it`, () => {
      const starter = measure(slug, () => bot);
      expect(starter.firstTier).to.be.at.least(0.9);
      expect(starter.seconds).to.be.at.least(slug === "shellrunners" ? 60 : 40);
      expect(starter.points).to.be.below(measure(slug, findGame(slug)!.bots.reference).points / 2);
    });
});

describe("npm run new-bot", () => {
  it("reports a folder that cannot be created, and a file in its place", async () => {
    const { code, err } = await callCommand(command, ["/proc/my-bot"]);
    expect(code).to.equal(1);
    expect(err).to.include("/proc/my-bot: this folder cannot be created");
    expect((await callCommand(command, [import.meta.filename])).err).to.include("expected a folder, found a file");
  });
});

describe("the program of a starter", () => {
  it("takes a key with or without 0x, and with a line end", () => {
    const [, expression] = /^const key = (.*);$/m.exec(files["play.js"]!)!;
    const digits = "a1".repeat(32);
    for (const text of [digits, `0x${digits}\r\n`, ` 0X${digits}\n`]) {
      const readKey = new Function("readFileSync", `return ${expression}`);
      expect(readKey(() => text)).to.equal(`0x${digits}`);
    }
  });

  it("reports a node that does not answer, without a key in its address", async () => {
    const [, statement] = /^await (chain\.getChainId[\s\S]*?^\}\));$/m.exec(files["play.js"]!)!;
    const getChainId = () => Promise.reject({ details: "fetch failed" });
    for (const [url, place] of [
      ["http://127.0.0.1:1/v3/secret", "127.0.0.1:1 (fetch failed)"],
      ["127.0.0.1:1/v3/secret", "an address without http://"],
      ["localhost:1/v3/secret", "an address without http://"],
    ]) {
      const lines: (string | number)[] = [];
      const push = (line: string | number) => lines.push(line);
      const chain = { transport: { url }, getChainId };
      await new Function("chain", "console", "exit", `return ${statement}`)(chain, { error: push }, push);
      const text = `The chain's node does not answer at ${place}; set another one in ARCADE_RPC_URL.`;
      expect(lines).to.deep.equal([text, 1]);
    }
  });

  it("reports a snapshot's outcome, and the whole amount of a payout", () => {
    const program = files["play.js"]!;
    const statements = /^const \{ mode, scoreDelta \} = await snapshotScore.*\n([\s\S]*?)^await mintOrUpgradeNft/m.exec(
      program,
    )![1]!;
    const report = (mode: string, scoreDelta: number): string => {
      let line = "";
      new Function("console", "mode", "scoreDelta", statements)(
        { log: (text: string) => (line = text) },
        mode,
        scoreDelta,
      );
      return line;
    };
    expect(report("none", 0)).to.equal("snapshot: no points to bring on chain");
    expect(report("recorded", 7)).to.equal("snapshot: 7 points put on chain");
    expect(report("already_done", 7)).to.equal("snapshot: 7 points were already on chain");
    expect(program).to.include("formatUnits(BigInt(amount), decimals)");
    const unpaid = /^\} else \{\n([\s\S]*?)^\}/m.exec(program)![1]!;
    const reportUnpaid = (payout: object): string => {
      let line = "";
      new Function("console", "payout", unpaid)({ log: (text: string) => (line = text) }, payout);
      return line;
    };
    expect(reportUnpaid({ reasons: ["PAUSED"], nextEligibleAt: null })).to.equal("not paid yet: PAUSED");
    expect(reportUnpaid({ reasons: ["DAILY_CAP"], nextEligibleAt: "2026" })).to.match(/DAILY_CAP, next time 2026$/);
  });
});

describe("the client of a starter", () => {
  it("is packed by a user who may not write to the installation", async () => {
    // Not even root may write there.
    const definition = { ...CLIENT_PACKAGE, folder: relative(root, "/sys/arcade-package") };
    const folder = await mkdtemp(join(tmpdir(), "arcade-new-bot-"));
    try {
      await buildPackage(definition);
      const { filename } = await packPackage(definition, folder);
      expect(await readdir(folder)).to.deep.equal([filename]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
