import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import fc from "fast-check";
import { digestJson } from "../../domain/canonical-json.ts";
import type { GameState } from "../../games/game.ts";
import { games as served, versions } from "../../games/index.ts";
import { playBot, toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";
import { findGame, games, getRules } from "../fixtures/games.ts";
import { checkFrame } from "./check-frame.ts";
import { digestRun } from "./digest-run.ts";

const STATE_BYTES_MAX = 6000;

describe("the list of games", () => {
  it("finds games by canonical slug and rules by version", () => {
    expect(served.map(({ slug }) => slug)).to.include.members(["shellrunners", "flappybots"]);
    expect(served.map(({ slug }) => slug)).not.to.include("lanternlanes");
    expect(findGame("flappy-bots")).to.equal(undefined);
    for (const game of games) {
      expect(findGame(game.slug)).to.equal(game);
      expect(getRules(game.slug, game.rulesVersion)).to.equal(game);
      expect(getRules(game.slug, 999)).to.equal(undefined);
    }
    for (const game of served) expect(versions).to.include(game);
  });

  it("has the tiers that its page lists", () => {
    const page = readFileSync(new URL("../../docs/games.md", import.meta.url), "utf8");
    const named = [...page.matchAll(/^Tiers: (.*)\.$/gm)].map(([, tiers]) => tiers);
    const tiersOf = (slug: string) => findGame(slug)!.nft.tiers.map(({ name, minScore }) => `${name} ${minScore}`);
    expect(named).to.deep.equal(["shellrunners", "flappybots"].map((slug) => tiersOf(slug).join(", ")));
  });

  it("keeps the input codes of replays", () => {
    const codes = (slug: string): unknown => findGame(slug)!.inputs.map(({ code, mode }) => [code, mode]);
    expect(codes("shellrunners")).to.deep.equal([[0, "held"], [1, "held"], [2, "held"]]); // biome-ignore format: a table
    expect(codes("flappybots")).to.deep.equal([[1, "once"], [0, "idle"]]); // biome-ignore format: a table
  });
});

for (const game of games) {
  describe(`every game: ${game.slug}`, () => {
    const inputs = fc.array(fc.subarray([...game.inputs.map(({ code }) => code), 10, 99]), { maxLength: 400 });
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

    it("has ascending tiers, unique kinds and an id of at most 32 bytes", () => {
      const scores = game.nft.tiers.map(({ minScore }) => minScore);
      expect(scores).to.deep.equal([...scores].sort((a, b) => a - b));
      expect(game.nft.tiers.map(({ tier }) => tier)).to.deep.equal(scores.map((_, i) => i + 1));
      expect(new Set(game.kinds.map(({ kind }) => kind)).size).to.equal(game.kinds.length);
      expect(game.slug).to.match(/^[a-z0-9-]{1,32}$/);
      // Names of other folders below /api/metadata.
      expect(["agent", "identity"]).to.not.include(game.slug);
    });

    it("gives the same run for the same seed and inputs, here and in another process", () => {
      const digest = digestRun(game, 5, 300);
      expect(digestRun(game, 5, 300)).to.equal(digest);
      expect(digestRun(game, 6, 300)).not.to.equal(digest);
      const script = fileURLToPath(new URL("./digest-run.ts", import.meta.url));
      expect(execFileSync(process.execPath, [script, game.slug, "5", "300"], { encoding: "utf8" })).to.equal(digest);
    });

    it("continues from a JSON copy like from the state itself", () => {
      fc.assert(
        fc.property(seeds, inputs, (seed, codes) => {
          const straight = game.init(seed, game.tickHz);
          let parsed: GameState = JSON.parse(JSON.stringify(straight));
          for (const tickCodes of codes) {
            game.step(straight, tickCodes);
            parsed = JSON.parse(JSON.stringify(game.step(parsed, tickCodes)));
          }
          expect(parsed).to.deep.equal(straight);
          expect(digestJson(parsed)).to.equal(digestJson(straight));
        }),
        { numRuns: 15 },
      );
    });

    it("gives complete, bounded frames and a counting tick for any input", () => {
      fc.assert(
        fc.property(seeds, inputs, (seed, codes) => {
          const state = game.init(seed, game.tickHz);
          for (const [index, tickCodes] of codes.entries()) {
            expect(game.step(state, tickCodes)).to.equal(state);
            if (!state.over) expect(state.tick).to.equal(index + 1);
            if (index % 4 === 0) checkFrame(game, state);
          }
          checkFrame(game, state);
          expect(JSON.stringify(state).length).to.be.at.most(STATE_BYTES_MAX);
        }),
        { numRuns: 30 },
      );
    });

    it("ends by itself, with a bounded size, and with score and events that never go back", () => {
      const bot = game.bots.reference();
      const state = game.init(toSeed(1), game.tickHz);
      let score = 0;
      while (!state.over) {
        const frame = toPlayFrame(game, state);
        game.step(state, toInputCodes(game, bot(frame)));
        expect(state.score).to.be.at.least(score);
        score = state.score;
        expect(state.events.length).to.be.at.most(12);
        if (state.tick % 50 === 0) expect(JSON.stringify(state).length).to.be.at.most(STATE_BYTES_MAX);
        expect(state.tick).to.be.below(game.tickHz * 600);
      }
      expect(state.lives).to.equal(0);
      expect(game.frame(state).extra.gameOverReason).to.be.a("string");
    });

    it("does not change after the end", () => {
      const { state } = playBot(game, toSeed(2), game.bots.random(2));
      const before = JSON.stringify(state);
      game.step(state, [game.inputs[1]!.code]);
      expect(JSON.stringify(state)).to.equal(before);
    });

    it("takes one life when hunger reaches its maximum, and resets hunger", () => {
      const state = game.init(toSeed(3), game.tickHz);
      state.hunger = game.hungerMax - 1;
      game.step(state, []);
      expect(state.events.map(({ event }) => event)).to.deep.equal(["starved", "life_lost"]);
      expect(state.lives).to.equal(game.livesMax - 1);
      expect(state.hunger).to.equal(0);
      expect(state.over).to.equal(false);
      expect(Number(game.frame(state).extra.invulnerableMs)).to.be.above(1000);
    });

    it("ends by starvation on the last life", () => {
      const state = game.init(toSeed(3), game.tickHz);
      state.hunger = game.hungerMax - 1;
      state.lives = 1;
      game.step(state, []);
      expect(state).to.include({ lives: 0, over: true });
      expect(game.frame(state).extra.gameOverReason).to.equal("starvation");
    });

    it("rejects wrong seeds and tick rates", () => {
      expect(() => game.init(new Uint8Array(31), 20)).to.throw(RangeError, "32 bytes");
      expect(() => game.init(toSeed(1), 25)).to.throw(RangeError, "tickHz");
    });
  });
}
