import { expect } from "chai";
import { END_REASONS } from "../../domain/session.ts";
import { games } from "../../games/index.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { stackSeries } from "../../web/components/plot-series.ts";
import { formatSigning } from "../../web/labels/console.ts";
import { formatAgentCommandLead } from "../../web/labels/home.ts";
import { getEndReasonLabel, toEventLogLine } from "../../web/labels/session.ts";
import { formatDuration, formatUptime } from "../../web/labels/shared.ts";
import { DemoRun } from "../../web/session/demo-run.ts";

describe("the site's labels", () => {
  it("promise a payout with one command only on the local chain", () => {
    expect(formatAgentCommandLead(31337)).to.include("to the payout");
    expect(formatAgentCommandLead(84532)).to.match(/a wallet that has ether.*A first payout waits for 24 hours/);
  });

  it("has a label for each reason a session ends", () => {
    for (const reason of END_REASONS) expect(getEndReasonLabel(reason), reason).to.match(/^[A-Z].*\.$/);
    expect(getEndReasonLabel("toString")).to.equal("toString");
  });

  it("formats minutes and seconds", () => {
    expect([0, 9.9, 61, 3599].map(formatDuration)).to.deep.equal(["0:00", "0:09", "1:01", "59:59"]);
  });

  it("formats the time since a start in hours and days", () => {
    const seconds = [108, 3599, 3600, 172_799, 172_800];
    expect(seconds.map(formatUptime)).to.deep.equal(["1:48", "59:59", "1 h 0 min", "47 h 59 min", "2 d 0 h"]);
  });

  it("describes what was signed, and shortens unknown keys", () => {
    expect(formatSigning("MintIdentity:0x1", ["0", "0xab"])).to.equal("identity 1 of this wallet");
    expect(formatSigning("MintGameNft:0x1", ["7", "409"])).to.equal("agent #7, 409 points");
    expect(formatSigning("SnapshotBatch:0x1", ["1,2"])).to.equal("runs 1, 2 of this wallet");
    expect(formatSigning("toString", [`0x${"ab".repeat(32)}`, "3"])).to.equal("0xabab…abab · 3");
  });

  it("stacks bars, so that no game's runs of a day are hidden behind another's", () => {
    const series = [
      { label: "one", values: [3, null] },
      { label: "other", values: [2, 4] },
    ];
    expect(stackSeries(series)).to.deep.equal([
      { label: "other", values: [5, 4] },
      { label: "one", values: [3, 0] },
    ]);
  });

  it("has texts for events, but none for appearing entities", () => {
    expect(toEventLogLine({ event: "spawned", kind: "gear" })).to.equal(null);
    expect(toEventLogLine({ event: "collected", kind: "starfish", points: 15 })).to.deep.equal({
      tone: "good",
      text: "Took a starfish",
      points: 15,
    });
    expect(toEventLogLine({ event: "ended", endReason: "lives_lost" })?.text).to.equal("All lives were lost.");
    expect(toEventLogLine({ event: "moon_rise" })?.text).to.equal("moon rise");
  });
});

describe("the run on the home page", () => {
  for (const game of games) {
    it(`plays ${game.slug} without end, one run after another`, () => {
      let seeds = 0;
      const run = new DemoRun(game, () => {
        seeds += 1;
        return toSeed(seeds);
      });
      let runs = 1;
      let lastTick = 0;
      for (let passed = 0; runs < 3 && passed < 3600; passed += 1) {
        run.advance(1000, true);
        const { frame, alpha } = run.sample();
        expect(alpha).to.be.within(0, 1);
        if (frame.tick < lastTick) runs += 1;
        lastTick = frame.tick;
      }
      expect(runs).to.equal(3);
      expect(seeds).to.equal(3);
    });
  }

  it("skips the time for which a tab was suspended", () => {
    const run = new DemoRun(games[0]!, () => toSeed(1));
    run.advance(60_000);
    expect(run.frame.tick).to.be.at.most(5);
  });
});
