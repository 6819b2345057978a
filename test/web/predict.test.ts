import { expect } from "chai";
import type { Game, GameState, PlayFrame } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";
import { PawnPredictor } from "../../web/practice/predict.ts";

const TICK_MS = 50;
const INPUTS = { shellrunners: "left", flappybots: "FLAP" } as const;

const getCode = (game: Game, name: string): number =>
  game.inputs.find(({ message }) => (message.t === "input" ? message.dir : message.action) === name)!.code;
const toFrame = (game: Game, state: GameState, ackSeq: number): PlayFrame => ({ ...toPlayFrame(game, state), ackSeq });

describe("the player's own figure in practice", () => {
  for (const [slug, name] of Object.entries(INPUTS)) {
    const game = findGame(slug)!;

    it(`responds to a key of ${slug} in the next drawn picture, before the service`, () => {
      const state = game.init(toSeed(1), 20);
      for (let tick = 0; tick < 3; tick += 1) game.step(state, []);
      const [idle, steered] = [new PawnPredictor(game), new PawnPredictor(game)];
      for (const predictor of [idle, steered]) predictor.onFrame(toFrame(game, state, 0), 1000);
      steered.onSend(getCode(game, name), 1);
      const [before, after] = [idle.sample(1016, 16)!, steered.sample(1016, 16)!];
      expect(`${after.x} ${after.y}`).to.not.equal(`${before.x} ${before.y}`);
    });

    it(`moves in ${slug} as the service will later show`, () => {
      const state = game.init(toSeed(1), 20);
      const predictor = new PawnPredictor(game);
      for (let tick = 0; tick < 3; tick += 1) game.step(state, []);
      predictor.onFrame(toFrame(game, state, 0), 1000);
      predictor.onSend(getCode(game, name), 1);
      game.step(state, [getCode(game, name)]);
      for (let tick = 1; tick < 4; tick += 1) {
        const predicted = predictor.sample(1000 + tick * TICK_MS, TICK_MS)!;
        const { pawn } = game.frame(state);
        // A frame has rounded positions and speeds.
        expect(predicted.x).to.be.closeTo(pawn.x, 1.5);
        expect(predicted.y).to.be.closeTo(pawn.y, 1.5);
        game.step(state, []);
      }
    });
  }

  it("freezes while the connection is stalled, and then follows the frames without a jump", () => {
    const game = findGame("shellrunners")!;
    const state = game.init(toSeed(1), 20);
    const predictor = new PawnPredictor(game);
    predictor.onFrame(toFrame(game, state, 0), 0);
    predictor.onSend(getCode(game, "left"), 1);
    const far = predictor.sample(5000, 16)!;
    expect(predictor.sample(9000, 16)!.x).to.equal(far.x);
    // The service never accepted the input.
    game.step(state, []);
    predictor.onFrame(toFrame(game, state, 1), 9000);
    const first = predictor.sample(9000, 0)!;
    expect(first.x).to.be.closeTo(far.x, 0.01);
    expect(predictor.sample(9500, 500)!.x).to.be.closeTo(game.frame(state).pawn.x, 0.5);
  });

  it("follows the frames while the game is not running, and in a game that frames cannot resume", () => {
    const game = findGame("flappybots")!;
    const predictor = new PawnPredictor(game);
    expect(predictor.sample(0, 0)).to.equal(null);
    const state = game.init(toSeed(1), 20);
    predictor.onFrame({ ...toFrame(game, state, 0), phase: "paused" }, 0);
    expect(predictor.sample(10, 10)).to.equal(null);
    const other = new PawnPredictor((({ resume: _, ...rest }) => rest)(game));
    other.onFrame(toFrame(game, state, 0), 0);
    expect(other.sample(10, 10)).to.equal(null);
  });
});
