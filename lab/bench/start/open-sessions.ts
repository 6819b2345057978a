/** Sessions that a killed process has left open: minutes of play by a reference bot, as the recorder stores them. */

import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { findGame } from "../../../games/index.ts";
import { createSession } from "../../../test/adapters/store/rows.ts";
import { recordSession } from "../../../test/games/recorded-session.ts";
import { SLUG, toSessionId, toWallet } from "../growth/stored-sessions.ts";

/** Far from the numbers of stored sessions and wallets. */
const FIRST_NUMBER = 10_000_000;
const SEEDS_MAX = 10_000;

/** Adds `count` open sessions of `ticks` ticks each. Throws if the bot plays too few runs of that length. */
export async function addOpenSessions(file: string, count: number, ticks: number): Promise<void> {
  const game = findGame(SLUG)!;
  const store = await openStore({ databaseUrl: `sqlite:${file}` });
  try {
    let added = 0;
    for (let seedNumber = 1; added < count; seedNumber++) {
      if (seedNumber > SEEDS_MAX)
        throw new Error(`the bot plays only ${added} of ${SEEDS_MAX} runs for ${ticks} ticks`);
      const { replay, claims } = recordSession({ game, seedNumber, bot: game.bots.reference(), exitAt: ticks });
      if (replay.ticks < ticks) continue;
      const number = FIRST_NUMBER + added;
      const { seedCommitment } = claims;
      const { seed, rulesVersion, tickHz, inputs, finalScore, entropy, pauses } = replay;
      const sessionId = toSessionId(number);
      const facts = { sessionId, slug: SLUG, wallet: toWallet(number), seed, seedCommitment, rulesVersion, tickHz };
      await store.sessions.add(createSession({ ...facts, startedAtMs: Date.now() }));
      const recording = { inputs, entropy, pauses };
      await store.sessions.record([
        { sessionId, tick: replay.ticks, score: finalScore, phase: "running", ...recording },
      ]);
      added += 1;
    }
  } finally {
    await store.close();
  }
}
