import { expect } from "chai";
import { computeGameSessionHash, computeReplayDigest, type Replay } from "../../../domain/replay/replay.ts";
import { computeSeedCommitment, NO_ENTROPY } from "../../../domain/replay/seed.ts";
import { runInputs, verifyReplay } from "../../../domain/replay/verify.ts";
import type { Game } from "../../../games/game.ts";
import { games, getRules } from "../../../games/index.ts";
import { UNPUBLISHED_RULES } from "../../../games/rules-hash.ts";

const toSeed = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`;

/** Plays a game with inputs derived only from `n`, and records it. */
function recordReplay(game: Game, n: number, ticksMax = 2000): Replay {
  const codes = game.inputs.filter((input) => input.mode !== "idle").map((input) => input.code);
  const planned: [number, number][] = [];
  for (let tick = 1 + (n % 7); tick <= ticksMax; tick += 3 + ((n * tick) % 11)) {
    planned.push([tick, codes[(tick * (n + 1)) % codes.length]!]);
  }
  const core = { slug: game.slug, rulesVersion: game.rulesVersion, tickHz: game.tickHz, seed: toSeed(n + 1) };
  const state = runInputs(game, { ...core, inputs: planned, ticks: ticksMax });
  const exits = !state.over;
  const inputs = planned.filter(([tick]) => tick <= state.tick);
  return {
    v: 2,
    ...core,
    serverSeed: core.seed,
    seedCommitment: computeSeedCommitment(core.seed),
    entropy: NO_ENTROPY,
    rulesHash: UNPUBLISHED_RULES,
    pauses: [],
    inputs: exits ? [...inputs, [state.tick + 1, 12]] : inputs,
    ticks: state.tick,
    finalScore: state.score,
    endReason: exits ? "exit" : "lives_lost",
    sessionId: "0190a0a0-0000-7000-8000-000000000001",
    wallet: `0x${"11".repeat(20)}`,
    chainId: 31337,
    rewards: `0x${"22".repeat(20)}`,
    sequence: "7",
  };
}

describe("replay verification", () => {
  const getDifferingFields = (replay: unknown, claims = {}) =>
    verifyReplay(replay as Replay, getRules, claims).differences.map(({ field }) => field);

  for (const game of games) {
    it(`derives the same result from 30 recorded sessions of ${game.slug}`, () => {
      for (let n = 0; n < 30; n++) {
        const replay = recordReplay(game, n);
        const verdict = verifyReplay(replay, getRules, { replayDigest: computeReplayDigest(replay) });
        expect(verdict.differences).to.deep.equal([]);
        expect(verdict).to.include({ ok: true, finalScore: replay.finalScore, ticks: replay.ticks });
        const facts = { ...replay, replayDigest: verdict.replayDigest, sequence: 7n };
        expect(verdict.gameSessionHash).to.equal(computeGameSessionHash(facts));
      }
    });

    it(`detects one changed bit anywhere in a replay of ${game.slug}`, () => {
      const replay = recordReplay(game, 3);
      const claims = { replayDigest: computeReplayDigest(replay) };
      const detected = (change: Partial<Replay>) => {
        expect(
          getDifferingFields({ ...replay, ...change }, claims),
          JSON.stringify(change).slice(0, 80),
        ).to.not.deep.equal([]);
      };
      for (let bit = 0; bit < 256; bit += 5) {
        const seed = BigInt(replay.seed) ^ (1n << BigInt(bit));
        detected({ seed: `0x${seed.toString(16).padStart(64, "0")}` });
      }
      for (let bit = 0; bit < 20; bit++) {
        detected({ finalScore: replay.finalScore ^ (1 << bit) });
        detected({ ticks: replay.ticks ^ (1 << bit) });
        detected({ tickHz: replay.tickHz ^ (1 << (bit % 8)) });
      }
      replay.inputs.forEach(([tick, code], i) => {
        for (let bit = 0; bit < 12; bit++) {
          const changed = (input: [number, number]) => replay.inputs.map((other, j) => (i === j ? input : other));
          detected({ inputs: changed([tick ^ (1 << bit), code]) });
          detected({ inputs: changed([tick, code ^ (1 << (bit % 5))]) });
        }
        detected({ inputs: replay.inputs.filter((_, j) => i !== j) });
      });
      expect(getDifferingFields({ ...replay, finalScore: replay.finalScore + 1 })).to.deep.equal(["finalScore"]);
    });
  }

  it("reports the fields that differ", () => {
    const replay = recordReplay(games[0]!, 1);
    expect(getDifferingFields({ ...replay, v: 3 })).to.deep.equal(["v"]);
    expect(getDifferingFields({ ...replay, seed: "0x12" })).to.deep.equal(["seed"]);
    expect(getDifferingFields({ ...replay, slug: "chess" })).to.deep.equal(["rulesVersion"]);
    expect(getDifferingFields({ ...replay, rulesVersion: 999 })).to.deep.equal(["rulesVersion"]);
    expect(getDifferingFields({ ...replay, ticks: replay.ticks + 1 })).to.include("ticks");
    expect(getDifferingFields({ ...replay, ticks: 10 ** 9 })).to.deep.equal(["ticks"]);
    expect(getDifferingFields({ ...replay, tickHz: 100_000 })).to.include("tickHz");
    expect(getDifferingFields({ ...replay, endReason: "never_joined" })).to.include("endReason");
    expect(getDifferingFields({ ...replay, endReason: "bored" })).to.deep.equal(["endReason"]);
    expect(
      getDifferingFields(replay, { replayDigest: toSeed(1), gameSessionHash: toSeed(2), finalScore: -1 }),
    ).to.deep.equal(["replayDigest", "finalScore (claimed)", "gameSessionHash"]);
    expect(verifyReplay({ ...replay, sequence: "0" }, getRules).gameSessionHash).to.equal(null);
  });

  it("rejects inputs that no session records", () => {
    const replay = recordReplay(games[0]!, 1);
    const withInputs = (...inputs: unknown[]) => getDifferingFields({ ...replay, inputs });
    expect(withInputs([1, 1], [1, 2])).to.deep.equal(["inputs[1]"]);
    expect(withInputs([5, 1], [4, 2])).to.deep.equal(["inputs[1]"]);
    expect(withInputs([1, 9])).to.deep.equal(["inputs[0]"]);
    expect(withInputs([0, 1])).to.deep.equal(["inputs[0]"]);
    expect(withInputs([replay.ticks + 1, 1])).to.deep.equal(["inputs[0]"]);
    expect(withInputs([1.5, 1], "left", [1], [1, 1, 1])).to.have.length(4);
    expect(withInputs([1, 11])).to.deep.equal(["inputs[0]"]);
    expect(withInputs([1, 10], [2, 10])).to.deep.equal(["inputs[1]"]);
    expect(withInputs([1, 12], [2, 1])).to.deep.equal(["inputs[0]"]);
    const pauses = [1, 2, 3, 4].flatMap((tick) => [
      [tick, 10],
      [tick, 11],
    ]);
    expect(withInputs(...pauses)).to.deep.equal(["inputs[6]"]);
  });

  it("never throws, for any input", () => {
    const replay = recordReplay(games[0]!, 1);
    for (const field of Object.keys(replay)) {
      for (const value of [null, undefined, -1, 1.5, Number.NaN, "x", [], {}, [[]], 1e308]) {
        expect(
          () => verifyReplay({ ...replay, [field]: value } as never, getRules),
          `${field}=${value}`,
        ).to.not.throw();
      }
    }
  });
});
