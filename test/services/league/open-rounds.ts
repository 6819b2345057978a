/** What ends the seasons of a store, in this process or in one that a test kills. */
import { openPolicyRunner } from "../../../backend/adapters/policies/policy-runner.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { Log } from "../../../backend/ports/system.ts";
import { Rounds } from "../../../backend/services/league/rounds.ts";
import { HOUR_MS } from "../../../domain/time.ts";
import { findGame } from "../../../games/index.ts";
import { silentLog } from "../../adapters/chain/chain-fixture.ts";
import { TestClock } from "../../helpers/test-clock.ts";

export const SLUG = "flappybots";
export const OPENS_MS = Date.UTC(2030, 0, 1);
export const CLOSES_MS = OPENS_MS + HOUR_MS;
export const BLOCK = { number: 7, hash: `0x${"07".repeat(32)}` } as const;

export async function openRounds(
  databaseUrl: string,
  { nowMs = CLOSES_MS, block = BLOCK as typeof BLOCK | null, mayRun = true, log = silentLog as Log } = {},
) {
  const store = await openStore({ databaseUrl });
  const asked: number[] = [];
  const clock = new TestClock(nowMs);
  const rounds = new Rounds({
    store: store.league,
    chain: {
      async findBlockSince(timestamp) {
        asked.push(timestamp);
        return block;
      },
    },
    index: { getFinality: () => ({ safe: 9, final: 9 }) },
    runner: openPolicyRunner(log),
    games: [findGame(SLUG)!],
    clock,
    log,
    seasonHours: 1,
    rules: { courses: 6, seconds: 30 },
    mayRun: () => mayRun,
  });
  return { store, rounds, clock, asked, close: () => store.close() };
}

/** Runs as a process: plays the round, and prints each policy that was played. */
export async function playAndPrint(databaseUrl: string): Promise<void> {
  const log = { ...silentLog, debug: (_: object, text: string) => console.log(text) };
  const { rounds, close } = await openRounds(databaseUrl, { log });
  await rounds.run();
  await close();
}
