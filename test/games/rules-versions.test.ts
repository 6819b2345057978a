import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { verifyReplay } from "../../client/verify-replay.ts";
import type { Game } from "../../games/game.ts";
import { createRulesLookup } from "../../games/index.ts";
import { hashRules } from "../../scripts/dev/docs/rules-hashes.ts";
import { tally } from "../fixtures/two-rules/tally/game.ts";
import { tallyV1 } from "../fixtures/two-rules/tally/v1/game.ts";
import { recordSession } from "./recorded-session.ts";

const [current, old] = [tally, tallyV1] as unknown as readonly [Game, Game];
const getRules = createRulesLookup([current, old]);

const record = (game: Game) => recordSession({ game, seedNumber: 1, bot: game.bots.reference() });

describe("a game with two rules versions", () => {
  it("has the rules of each version", () => {
    expect(getRules("tally", 1)).to.equal(old);
    expect(getRules("tally", 2)).to.equal(current);
    expect(getRules("tally", 3)).to.equal(undefined);
  });

  it("replays each run under the rules of its time", async () => {
    for (const [game, score] of [
      [old, 39],
      [current, 78],
    ] as const) {
      const { replay, claims } = record(game);
      expect(await verifyReplay(replay, { ...claims, getRules })).to.include({ ok: true, finalScore: score });
    }
  });

  it("diverges under other rules, and cannot be replayed without its own", async () => {
    const { replay, claims } = record(old);
    const changed = createRulesLookup([{ ...current, rulesVersion: 1 }]);
    const other = await verifyReplay(replay, { ...claims, getRules: changed });
    expect(other.verdict).to.equal("DIVERGED");
    expect(other.differences.map(({ field }) => field)).to.deep.equal(["finalScore"]);
    const none = await verifyReplay(replay, { ...claims, getRules: createRulesLookup([current]) });
    expect(none.verdict).to.equal("CANNOT_RECOMPUTE");
  });

  it("keeps the published digest of the old rules, whose files have moved aside", () => {
    const folder = fileURLToPath(new URL("../fixtures/two-rules/", import.meta.url));
    // `sha256sum tally-state.ts tally/sim.ts | sha256sum`, before `sim.ts` moved into `v1`.
    const published = "0xe91a2b9408afe203b115e607ce95a89f6c0d6d742a326f7e5159211535c3408f";
    expect(hashRules("tally", 1, { folder })).to.equal(published);
    expect(hashRules("tally", 2, { folder })).to.not.equal(published);
    expect(() => hashRules("tally", 3, { folder })).to.throw("does not have rules 3");
  });
});
