import { gzipSync } from "node:zlib";
import type { Round } from "../../domain/league/round.ts";
import { DAY_MS } from "../../domain/time.ts";
import { withStore } from "../../testing/ended-session.ts";
import type { TestStack } from "./suite.ts";

/** Ends the first season of a game with the given round; the second one is open for a day. */
export async function addPlayedRound(stack: TestStack, round: Round): Promise<void> {
  const { slug, courses, policies, serverSeed } = round;
  const nowMs = Date.now();
  const open = { slug, opensAtMs: nowMs, closesAtMs: nowMs + DAY_MS, serverSeed };
  const file = gzipSync(JSON.stringify(round));
  const winner = policies.map(({ id }) => id).find((id) => round.ratings.some((rating) => rating.id === id))!;
  await withStore(stack, async ({ league }) => {
    await league.openFirst(open);
    await league.finish({ slug, season: 1 }, { file, policies: policies.length, courses, winner }, open);
  });
}
