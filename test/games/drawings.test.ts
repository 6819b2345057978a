import { expect } from "chai";
import type { PlayFrame } from "../../games/game.ts";
import { toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";
import { games } from "../fixtures/games.ts";
import { createCheckingContext } from "./checking-context.ts";

describe("drawings", () => {
  for (const game of games) {
    const { draw } = game;
    if (!draw) continue;

    it(`draw every kind of ${game.slug} between any two frames`, () => {
      const bot = game.bots.reference();
      const state = game.init(toSeed(1), game.tickHz);
      const seen = new Set<string>();
      let previous: PlayFrame | null = null;
      while (!state.over) {
        const frame = toPlayFrame(game, state);
        game.step(state, toInputCodes(game, bot(frame)));
        for (const { kind } of frame.entities) seen.add(kind);
        if (frame.tick % 15 === 0) {
          const ctx = createCheckingContext();
          draw(ctx, frame, previous, (frame.tick % 4) / 4);
          expect(ctx.depth).to.equal(0);
          expect(ctx.calls).to.be.within(50, 5000);
        }
        previous = frame;
      }
      for (const [status, texts] of [
        ["with_status", true],
        ["without_status", false],
      ] as const) {
        const ctx = createCheckingContext();
        draw(ctx, toPlayFrame(game, game.init(toSeed(1), game.tickHz)), null, 1, status);
        expect(ctx.texts > 0, status).to.equal(texts);
      }
      expect([...seen]).to.have.members(game.kinds.map(({ kind }) => kind));
    });
  }
});
