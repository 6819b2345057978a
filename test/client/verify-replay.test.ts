import { expect } from "chai";
import type { Hex } from "viem";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import type { Transcript } from "../../client/transcript.ts";
import { verifyReplay } from "../../client/verify-replay.ts";
import {
  computeGameSessionHash,
  computeReplayDigest,
  type Replay,
  type ReplayInput,
  toGameId,
} from "../../domain/replay/replay.ts";
import { computeSeedCommitment, NO_ENTROPY } from "../../domain/replay/seed.ts";
import { parseSeed } from "../../domain/replay/verify.ts";
import { games } from "../../games/index.ts";
import { getRulesHash } from "../../games/rules-hash.ts";
import { recordShortReplay } from "../helpers/short-replay.ts";
import { WALLET } from "./fake-service.ts";

const rewards = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

/** A whole game with a fixed pattern of inputs, recorded as the server does. */
function recordReplay(slug: string, tickHz?: number): Replay {
  const game = { ...games.find((one) => one.slug === slug)!, ...(tickHz === undefined ? {} : { tickHz }) };
  const seed: Hex = `0x${"5a".repeat(32)}`;
  const isActing = game.inputs.filter(({ mode }) => mode !== "idle");
  const inputs: ReplayInput[] = [];
  let state = game.init(parseSeed(seed), game.tickHz);
  while (!state.over) {
    const tick = state.tick + 1;
    const codes = tick % 9 === 0 ? [isActing[(tick / 9) % isActing.length]!.code] : [];
    for (const code of codes) inputs.push([tick, code]);
    state = game.step(state, codes);
  }
  return {
    v: 2,
    slug,
    rulesVersion: game.rulesVersion,
    tickHz: game.tickHz,
    seed,
    serverSeed: seed,
    seedCommitment: computeSeedCommitment(seed),
    entropy: NO_ENTROPY,
    rulesHash: getRulesHash(slug, game.rulesVersion),
    pauses: [],
    inputs,
    ticks: state.tick,
    finalScore: state.score,
    endReason: "lives_lost",
    sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab",
    wallet: WALLET,
    chainId: 31337,
    rewards,
    sequence: "3",
  };
}

function createSnapshotEvent(replay: Replay): SnapshotEvent {
  const facts = { ...replay, replayDigest: computeReplayDigest(replay), sequence: BigInt(replay.sequence) };
  return {
    chainId: replay.chainId,
    rewards: replay.rewards,
    wallet: replay.wallet,
    gameId: toGameId(replay.slug),
    gameSessionHash: computeGameSessionHash(facts),
    score: String(replay.finalScore),
    scorebank: "1000",
    txHash: `0x${"77".repeat(32)}`,
    block: 9,
  };
}

const getDifferingFields = (verdict: { readonly differences: readonly { readonly field: string }[] }): string[] =>
  verdict.differences.map(({ field }) => field);

for (const { slug } of games) {
  describe(`client: verifyReplay of ${slug}`, () => {
    const replay = recordReplay(slug);
    const event = createSnapshotEvent(replay);
    const { seedCommitment } = replay;

    it("the verifier agrees with an honest record, event and commitment", async () => {
      const verdict = await verifyReplay(replay, { event, seedCommitment, replayDigest: computeReplayDigest(replay) });
      expect(verdict.differences).to.deep.equal([]);
      expect(verdict).to.include({ ok: true, finalScore: replay.finalScore, gameSessionHash: event.gameSessionHash });
    });

    it("the verifier reports a score that was not played", async () => {
      const forged = { ...replay, finalScore: replay.finalScore + 1 };
      const verdict = await verifyReplay(forged, { event });
      expect(verdict.ok).to.equal(false);
      expect(getDifferingFields(verdict)).to.deep.equal(["finalScore", "event.gameSessionHash"]);
      // A verdict never corrects a forged replay.
      expect(verdict).to.include({ finalScore: null, ticks: null });
      for (const { expected } of verdict.differences)
        expect(expected).to.match(/^(what a fresh run gives|the hash of this replay)$/);
    });

    it("the verifier reports an event with another score", async () => {
      const verdict = await verifyReplay(replay, { event: { ...event, score: "999999" } });
      expect(getDifferingFields(verdict)).to.deep.equal(["event.score"]);
      expect(verdict.differences[0]).to.include({ expected: "what a fresh run gives", received: "999999" });
    });

    const otherReplay: readonly (readonly [string, Partial<SnapshotEvent>])[] = [
      ["event.wallet", { wallet: rewards }],
      ["event.rewards", { rewards: WALLET }],
      ["event.chainId", { chainId: 1 }],
      ["event.gameId", { gameId: toGameId("another") }],
      ["event.gameSessionHash", { gameSessionHash: `0x00${event.gameSessionHash.slice(4)}` }],
    ];
    for (const [field, change] of otherReplay) {
      it(`the verifier reports an event with another ${field.slice(6)}`, async () => {
        expect(getDifferingFields(await verifyReplay(replay, { event: { ...event, ...change } }))).to.deep.equal([
          field,
        ]);
      });
    }

    it("the verifier reports another sequence", async () => {
      const verdict = await verifyReplay({ ...replay, sequence: "4" }, { event });
      expect(getDifferingFields(verdict)).to.deep.equal(["event.gameSessionHash", "event.sequence"]);
    });

    it("the verifier reports a seed without a commitment, and a digest that differs", async () => {
      const verdict = await verifyReplay(replay, {
        seedCommitment: `0x${"00".repeat(32)}`,
        replayDigest: `0x${"00".repeat(32)}`,
      });
      expect(getDifferingFields(verdict)).to.deep.equal(["replayDigest", "seedCommitment"]);
    });

    it("the verifier reports a rate that is not the game's, and detects one that no service can have", async () => {
      const { tickHz } = replay;
      expect((await verifyReplay(replay)).reason).to.match(/^the replay gives \d+ points?, as claimed;/);
      const other = await verifyReplay(recordReplay(slug, tickHz === 60 ? 30 : 60));
      expect(other.verdict).to.equal("REPRODUCED");
      expect(other.reason).to.include(`ticks a second (the game's own rate is ${tickHz})`);
      for (const impossible of [0, 7, 25, 40, 120, 20.5]) {
        const verdict = await verifyReplay({ ...replay, tickHz: impossible });
        expect(verdict).to.include({ verdict: "DIVERGED", ok: false });
        expect(verdict.reason).to.include(`tickHz: expected one of 10, 12, 15, 20, 30, 60, received ${impossible}`);
      }
    });

    it("the verifier has a verdict for replays whose fields have another type or form", async () => {
      const transcript: Transcript = {
        sessionId: replay.sessionId,
        seedCommitment,
        entropy: null,
        tickHz: replay.tickHz,
        isPartial: false,
        sent: [],
        marks: [{ tick: 1, previousTick: null, ackSeq: 0, inputsDigest: "0x" }],
        absences: [],
      } as unknown as Transcript;
      for (const [field, value] of [
        ["slug", "é".repeat(32)],
        ["seed", [replay.seed]],
        ["inputs", null],
        ["inputs", [null]],
      ] as const) {
        const altered = { ...replay, [field]: value } as unknown as Replay;
        const verdict = await verifyReplay(altered, { event, transcript });
        expect(verdict.ok, field).to.equal(false);
        const named = getDifferingFields(verdict).map((name) => name.replace(/\[\d+\]$/, ""));
        expect(named).to.include(field === "slug" ? "rulesVersion" : field);
      }
    });

    it("the verifier has a verdict when a field has an object without a text, and without a replay", async () => {
      const noText = { toString: null };
      const current = recordShortReplay(slug);
      for (const field of [...Object.keys(current), "transcriptSignature"])
        for (const value of [noText, [noText], [[noText, 1]]]) {
          const altered = { ...current, [field]: value } as unknown as Replay;
          const verdict = await verifyReplay(altered, { event, seedCommitment });
          expect(verdict, field).to.include({ verdict: "DIVERGED", ok: false });
          expect(getDifferingFields(verdict)).to.include(field);
        }
      const verdict = await verifyReplay(null as unknown as Replay, { event });
      expect(verdict).to.include({ verdict: "DIVERGED", reason: "file: expected a replay, received null" });
    });

    it("the verifier has a verdict when a value is nested too deeply to be serialized", async () => {
      let deep: unknown = [];
      for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
      for (const field of ["another", "inputs", "pauses", "sessionId", "slug"]) {
        const verdict = await verifyReplay({ ...recordShortReplay(slug), [field]: deep } as Replay, { event });
        expect(verdict.verdict, field).to.equal("DIVERGED");
        expect(getDifferingFields(verdict)).to.deep.equal([field]);
      }
    });

    it("the verifier cannot recompute a replay of unknown rules, and reports which", async () => {
      const verdict = await verifyReplay({ ...replay, rulesVersion: 99_999 });
      expect(verdict).to.include({ verdict: "CANNOT_RECOMPUTE", ok: false });
      expect(verdict.reason).to.include(`rulesVersion: expected a known game and version, received ${slug} 99999`);
    });

    it("the verifier cannot recompute a replay whose rules had other files, and reports which", async () => {
      const current = recordShortReplay(slug);
      expect(await verifyReplay(current)).to.include({ verdict: "REPRODUCED", ok: true });
      for (const rulesHash of [`0x${"ab".repeat(32)}`, `0x${"00".repeat(32)}`] as const) {
        const verdict = await verifyReplay({ ...current, rulesHash });
        expect(verdict).to.include({ verdict: "CANNOT_RECOMPUTE", ok: false });
        expect(verdict.reason).to.equal(`rulesHash: expected ${current.rulesHash}, received ${rulesHash}`);
      }
    });

    it("other files of its rules excuse no replay that differs from the event on chain", async () => {
      const altered = { ...recordShortReplay(slug), rulesHash: `0x${"ab".repeat(32)}` as const };
      const own = createSnapshotEvent(altered);
      const upper = own.gameSessionHash.replace(/[a-f]/g, (digit) => digit.toUpperCase()) as Hex;
      for (const gameSessionHash of [own.gameSessionHash, upper])
        expect((await verifyReplay(altered, { event: { ...own, gameSessionHash } })).verdict).to.equal(
          "CANNOT_RECOMPUTE",
        );
      const { gameSessionHash } = event;
      expect((await verifyReplay(altered, { event: { ...own, gameSessionHash } })).verdict).to.equal("DIVERGED");
    });
  });
}
