import { createHash } from "node:crypto";
import { expect } from "chai";
import {
  digestJson,
  gameIdOf,
  gameSessionHashOf,
  type Hex,
  type Replay,
  type ReplayInput,
  replayDigest,
  STATE_DIGEST_EVERY_TICKS,
} from "../../backend/domain/replay.ts";
import { seedBytes } from "../../backend/domain/verify-replay.ts";
import { games } from "../../backend/games/index.ts";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import { verifyReplay } from "../../client/verify-replay.ts";
import { WALLET } from "./fake-service.ts";

const rewards = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

/** A whole game steered by a fixed pattern, recorded as the server would. */
function record(slug: string): Replay {
  const game = games.find((one) => one.slug === slug)!;
  const seed: Hex = `0x${"5a".repeat(32)}`;
  const acting = game.inputs.filter(({ mode }) => mode !== "idle");
  const inputs: ReplayInput[] = [];
  const stateDigests: Hex[] = [];
  let state = game.init(seedBytes(seed), game.tickHz);
  while (!state.over) {
    const tick = state.tick + 1;
    const codes = tick % 9 === 0 ? [acting[(tick / 9) % acting.length]!.code] : [];
    for (const code of codes) inputs.push([tick, code]);
    state = game.step(state, codes);
    if (state.tick % STATE_DIGEST_EVERY_TICKS === 0) stateDigests.push(digestJson(state));
  }
  return {
    ...{ v: 1, slug, rulesVersion: game.rulesVersion, tickHz: game.tickHz, seed, inputs, stateDigests },
    ...{ ticks: state.tick, finalScore: state.score, endReason: "lives_lost" },
    sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab",
    ...{ wallet: WALLET, chainId: 31337, rewards, sequence: "3" },
  };
}

function eventOf(replay: Replay): SnapshotEvent {
  const facts = { ...replay, replayDigest: replayDigest(replay), sequence: BigInt(replay.sequence) };
  return {
    ...{ chainId: replay.chainId, rewards: replay.rewards, wallet: replay.wallet, gameId: gameIdOf(replay.slug) },
    gameSessionHash: gameSessionHashOf(facts),
    score: String(replay.finalScore),
    scorebank: "1000",
    txHash: `0x${"77".repeat(32)}`,
    block: 9,
  };
}

const fieldsOf = (verdict: { readonly differences: readonly { readonly field: string }[] }): string[] =>
  verdict.differences.map(({ field }) => field);

for (const { slug } of games) {
  describe(`client: verifyReplay of ${slug}`, () => {
    const replay = record(slug);
    const event = eventOf(replay);
    const seedCommitment: Hex = `0x${createHash("sha256").update(seedBytes(replay.seed)).digest("hex")}`;

    it("agrees with an honest record, event and commitment", async () => {
      const verdict = await verifyReplay(replay, { event, seedCommitment, replayDigest: replayDigest(replay) });
      expect(verdict.differences).to.deep.equal([]);
      expect(verdict).to.include({ ok: true, finalScore: replay.finalScore, gameSessionHash: event.gameSessionHash });
    });

    it("names a score that was not played", async () => {
      const forged = { ...replay, finalScore: replay.finalScore + 1 };
      const verdict = await verifyReplay(forged, { event });
      expect(verdict.ok).to.equal(false);
      expect(fieldsOf(verdict)).to.deep.equal(["finalScore", "event.gameSessionHash"]);
      expect(verdict.finalScore).to.equal(replay.finalScore);
    });

    it("names an event with another score", async () => {
      const verdict = await verifyReplay(replay, { event: { ...event, score: "999999" } });
      expect(fieldsOf(verdict)).to.deep.equal(["event.score"]);
      expect(verdict.differences[0]).to.include({ expected: String(replay.finalScore), received: "999999" });
    });

    const others: readonly (readonly [string, Partial<SnapshotEvent>])[] = [
      ["event.wallet", { wallet: rewards }],
      ["event.rewards", { rewards: WALLET }],
      ["event.chainId", { chainId: 1 }],
      ["event.gameId", { gameId: gameIdOf("another") }],
      ["event.gameSessionHash", { gameSessionHash: `0x00${event.gameSessionHash.slice(4)}` }],
    ];
    for (const [field, change] of others) {
      it(`names an event with another ${field.slice(6)}`, async () => {
        expect(fieldsOf(await verifyReplay(replay, { event: { ...event, ...change } }))).to.deep.equal([field]);
      });
    }

    it("names another sequence", async () => {
      const verdict = await verifyReplay({ ...replay, sequence: "4" }, { event });
      expect(fieldsOf(verdict)).to.deep.equal(["event.gameSessionHash", "event.sequence"]);
    });

    it("names a seed that was not committed to, and a digest that differs", async () => {
      const verdict = await verifyReplay(replay, {
        seedCommitment: `0x${"00".repeat(32)}`,
        replayDigest: `0x${"00".repeat(32)}`,
      });
      expect(fieldsOf(verdict)).to.deep.equal(["replayDigest", "seedCommitment"]);
    });

    it("does not throw for rules that nobody knows", async () => {
      const verdict = await verifyReplay({ ...replay, rulesVersion: 99_999 });
      expect(fieldsOf(verdict)).to.include("rulesVersion");
    });
  });
}
