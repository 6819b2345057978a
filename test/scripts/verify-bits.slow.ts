import { expect } from "chai";
import type { Hex } from "viem";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { computeGameSessionHash, computeReplayDigest, type Replay, toGameId } from "../../domain/replay/replay.ts";
import { games } from "../../games/index.ts";
import { type CheckedEvent, checkEvents } from "../../scripts/verify/check-events.ts";
import { createFileSource } from "../../scripts/verify/replay-sources.ts";
import { findFields, isNamed } from "../helpers/replay-fields.ts";
import { recordShortReplay } from "../helpers/short-replay.ts";

const INDEX = "index.json";

function createEvent(replay: Replay): SnapshotEvent {
  const { chainId, rewards, wallet, slug, finalScore } = replay;
  const facts = { ...replay, replayDigest: computeReplayDigest(replay), sequence: BigInt(replay.sequence) };
  return {
    chainId,
    rewards,
    wallet,
    gameId: toGameId(slug),
    gameSessionHash: computeGameSessionHash(facts),
    score: String(finalScore),
    scorebank: String(finalScore),
    txHash: `0x${"77".repeat(32)}`,
    block: 9,
  };
}

async function check(event: SnapshotEvent, digest: Hex, bytes: Uint8Array): Promise<CheckedEvent> {
  const index = new TextEncoder().encode(JSON.stringify({ [event.gameSessionHash]: digest }));
  const files = new Map<string, Uint8Array>([
    [`${digest}.json`, bytes],
    [INDEX, index],
  ]);
  const { checked } = await checkEvents([event], await createFileSource("memory", files));
  return checked[0]!;
}

for (const { slug } of games) {
  describe(`a replay of ${slug} with one bit changed`, () => {
    const replay = recordShortReplay(slug);
    const event = createEvent(replay);
    const digest = computeReplayDigest(replay);
    const text = canonicalJson(replay);
    const bytes = new TextEncoder().encode(text);
    const fields = findFields(replay, text);

    it("is reproduced without the change", async () => {
      expect(await check(event, digest, bytes)).to.include({ verdict: "REPRODUCED" });
    });

    it("diverges at every byte, and the part that changed is named", async () => {
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = bytes.slice();
        // A different bit in each byte, so that all eight occur in every field.
        changed[at]! ^= 1 << (at % 8);
        const { verdict, differences } = await check(event, digest, changed);
        const label = `byte ${at}, ${JSON.stringify(text.slice(Math.max(0, at - 9), at + 9))}`;
        expect(verdict, label).to.equal("DIVERGED");
        const field = fields.find(({ from, to }) => from <= at && at < to);
        const named = differences.map((difference) => difference.field);
        expect(isNamed(field?.name ?? null, named, { original: bytes, changed }), `${label}: ${named.join()}`).to.equal(
          true,
        );
      }
    });
  });
}
