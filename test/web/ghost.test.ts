import { expect } from "chai";
import { games } from "../../games/index.ts";
import { findGhostPawn, findGhosts, LEAD_IN_SECONDS } from "../../web/replay/ghost.ts";
import { Recording } from "../../web/replay/recording.ts";
import { recordShortReplay } from "../helpers/short-replay.ts";

describe("the ghost of a lost life", () => {
  for (const game of games) {
    const replay = recordShortReplay(game.slug);
    const recording = new Recording(game, replay);
    const lives = recording.events.filter(({ event }) => event === "life_lost").map(({ tick }) => tick);

    it(`starts at the position of ${game.slug}'s player 3 s earlier, but not before the previous loss`, () => {
      const before = recording.frameAt(lives[0]!);
      const ghosts = findGhosts(recording);
      expect(ghosts.map(({ endTick }) => endTick))
        .to.deep.equal(lives)
        .and.have.length.above(0);
      for (const [index, ghost] of ghosts.entries()) {
        const { startTick, endTick, pawns } = ghost;
        const leadIn = endTick - LEAD_IN_SECONDS * game.tickHz;
        expect(startTick).to.equal(Math.max(leadIn, lives[index - 1] ?? 0));
        expect(pawns[0]).to.deep.equal(recording.frameAt(startTick).pawn);
        if (ghost.survives) expect(pawns).to.have.length(endTick - startTick + 1);
        expect(findGhostPawn([ghost], startTick)).to.equal(null);
        expect(findGhostPawn([ghost], startTick + 1)).to.deep.equal(pawns[1]);
        expect(findGhostPawn([ghost], endTick + 0.5)).to.equal(null);
      }
      // The recording itself is unchanged.
      expect(recording.frameAt(lives[0]!)).to.deep.equal(before);
      expect(findGhosts(recording)).to.deep.equal(ghosts);
    });
  }

  it("keeps a life that the recorded player lost", () => {
    const survivors = games.flatMap((game) =>
      findGhosts(new Recording(game, recordShortReplay(game.slug))).filter(({ survives }) => survives),
    );
    expect(survivors.length).to.be.above(0);
  });
});
