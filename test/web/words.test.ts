import { expect } from "chai";
import { END_REASONS } from "../../backend/domain/session.ts";
import { games } from "../../backend/games/index.ts";
import { parsePage } from "../../web/router.ts";
import { LocalRun } from "../../web/stage/local-run.ts";
import { clockText, endSentence, tickerLine } from "../../web/words.ts";
import { seedOf } from "../games/helpers.ts";

const SESSION = "0190f1d5-7c4e-7abc-8def-0123456789ab";

describe("the viewer's addresses", () => {
  it("finds each page", () => {
    expect(parsePage("")).to.deep.equal({ page: "home" });
    expect(parsePage("#/")).to.deep.equal({ page: "home" });
    expect(parsePage(`#/watch/flappybots/${SESSION}`)).to.deep.equal({
      page: "watch",
      slug: "flappybots",
      sessionId: SESSION,
    });
    expect(parsePage("#/practise/shellrunners")).to.deep.equal({ page: "practise", slug: "shellrunners" });
  });

  it("finds nothing for unknown games, sessions and shapes", () => {
    for (const hash of [
      "#/watch/chess/x",
      "#/watch/flappybots",
      "#/watch/flappybots/1",
      `#/watch/flappybots/${SESSION}/more`,
      "#/practise/chess",
      "#/practise/__proto__",
      "#/else",
    ]) {
      expect(parsePage(hash).page, hash).to.equal("nowhere");
    }
  });
});

describe("the viewer's words", () => {
  it("has a sentence for each reason a session ends", () => {
    for (const reason of END_REASONS) expect(endSentence(reason), reason).to.match(/^[A-Z].*\.$/);
    expect(endSentence("toString")).to.equal("toString");
  });

  it("writes minutes and seconds", () => {
    expect([0, 9.9, 61, 3599].map(clockText)).to.deep.equal(["0:00", "0:09", "1:01", "59:59"]);
  });

  it("says what happened, and keeps quiet about what appears", () => {
    expect(tickerLine({ event: "spawned", kind: "gear" })).to.equal(null);
    expect(tickerLine({ event: "collected", kind: "starfish", points: 15 })).to.deep.equal({
      mood: "good",
      text: "Took a starfish",
      points: 15,
    });
    expect(tickerLine({ event: "ended", endReason: "lives_lost" })?.text).to.equal("All lives were lost.");
    expect(tickerLine({ event: "moon_rise" })?.text).to.equal("moon rise");
  });
});

describe("the run on the home page", () => {
  for (const game of games) {
    it(`plays ${game.slug} on and on, from one run to the next`, () => {
      let seeds = 0;
      const run = new LocalRun(game, () => {
        seeds += 1;
        return seedOf(seeds);
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

  it("does not make up for the time a tab slept", () => {
    const run = new LocalRun(games[0]!, () => seedOf(1));
    run.advance(60_000);
    expect(run.frame.tick).to.be.at.most(5);
  });
});
