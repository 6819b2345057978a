import { expect } from "chai";
import type { PlayFrame } from "../../backend/games/game.ts";
import { drawings, games } from "../fixtures/games.ts";
import { codesOf, seedOf, toPlayFrame } from "./helpers.ts";

/** A canvas context that checks what it is told: finite numbers, and every save restored. */
class CheckingContext {
  calls = 0;
  texts = 0;
  depth = 0;
}

function makeContext(): CheckingContext & CanvasRenderingContext2D {
  const record = new CheckingContext();
  const gradient = { addColorStop: (at: number) => check([at]) };
  const check = (args: readonly unknown[]): void => {
    record.calls += 1;
    // Plain comparisons: thousands of calls a drawing.
    for (const arg of args) if (typeof arg === "number" && !Number.isFinite(arg)) throw new RangeError(`${arg}`);
  };
  return new Proxy(record, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      return (...args: unknown[]) => {
        check(args);
        if (name === "fillText") target.texts += 1;
        if (name === "save") target.depth += 1;
        if (name === "restore") target.depth -= 1;
        return String(name).startsWith("create") ? gradient : undefined;
      };
    },
    set(_target, _name, value) {
      check([value]);
      if (typeof value === "string" && /NaN|undefined/.test(value)) throw new RangeError(value);
      return true;
    },
  }) as CheckingContext & CanvasRenderingContext2D;
}

describe("drawings", () => {
  it("belong to games of the list", () => {
    expect(games.map(({ slug }) => slug)).to.include.members(Object.keys(drawings));
  });

  for (const game of games) {
    const draw = drawings[game.slug];
    if (!draw) continue;

    it(`draw every kind of ${game.slug} between any two frames`, () => {
      const bot = game.bots.reference();
      const state = game.init(seedOf(1), game.tickHz);
      const seen = new Set<string>();
      let previous: PlayFrame | null = null;
      while (!state.over) {
        const frame = toPlayFrame(game, state);
        game.step(state, codesOf(game, bot(frame)));
        for (const { kind } of frame.entities) seen.add(kind);
        if (frame.tick % 15 === 0) {
          const ctx = makeContext();
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
        const ctx = makeContext();
        draw(ctx, toPlayFrame(game, game.init(seedOf(1), game.tickHz)), null, 1, status);
        expect(ctx.texts > 0, status).to.equal(texts);
      }
      expect([...seen]).to.have.members(game.kinds.map(({ kind }) => kind));
    });
  }
});
