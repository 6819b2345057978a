import { expect } from "chai";
import { FeedbackPublisher } from "../../backend/services/reputation/feedback-publisher.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { findGame } from "../../games/index.ts";
import { TestClock } from "../helpers/test-clock.ts";

const HOUR_MS = 3_600_000;
const WALLETS = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;

describe("feedback that is rejected", () => {
  it("keeps no other agent's away, and is tried again after an hour", async () => {
    const clock = new TestClock();
    const game = findGame("shellrunners")!;
    const rows = WALLETS.map((wallet, n) => ({ wallet, agentId: String(n + 1) }));
    const best = { score: game.nft.tiers[0]!.minScore, snapshotBlock: 1, verification: "verified" };
    const digests = { gameSessionHash: `0x${"3".repeat(64)}`, replayDigest: `0x${"4".repeat(64)}` };
    const submitted: string[] = [];
    let isRejected = true;
    const ports = {
      games: [game],
      clock,
      registry: WALLETS[0],
      getPublicUrl: () => "https://arcade.example",
      log: { debug() {}, info() {}, warn() {}, error() {} },
      sessions: { listRuns: async () => ({ items: rows }), findBestOnChain: async () => ({ ...best, ...digests }) },
      index: { getFinality: () => ({ safe: 1, final: 1, included: 1 }) },
      transactions: { findByKeys: async () => [] },
      subjects: { find: async ({ agentId }: { agentId: string }) => BigInt(agentId), isHeld: async () => true },
      writer: {
        submit: async ({ key }: { key: string }) => {
          submitted.push(key.split(":")[1]!);
          if (key.includes(":1:") && isRejected) throw new ArcadeError("TX_FAILED", "The contract rejects the call.");
        },
      },
    };
    const publisher = new FeedbackPublisher(ports as unknown as ConstructorParameters<typeof FeedbackPublisher>[0]);
    await publisher.publish();
    await publisher.publish();
    expect(submitted).to.deep.equal(["1", "2"]);
    isRejected = false;
    clock.advance(HOUR_MS);
    await publisher.publish();
    await publisher.publish();
    expect(submitted).to.deep.equal(["1", "2", "1"]);
  });
});
