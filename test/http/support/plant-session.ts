/** Ended sessions of any score, without waiting for a game: a bot plays them offline, and the store takes the replay. */
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { openStore } from "../../../backend/adapters/store/index.ts";
import {
  digestJson,
  gameSessionHashOf,
  replayDigest,
  STATE_DIGEST_EVERY_TICKS,
} from "../../../backend/domain/replay.ts";
import type { SessionSource } from "../../../backend/domain/session.ts";
import { uuidV7 } from "../../../backend/domain/uuid.ts";
import { findGame } from "../../../backend/games/index.ts";
import type { Address, Deployment, Hex, SessionRow, Store } from "../../../backend/ports.ts";
import { codesOf, seedOf, toPlayFrame } from "../../games/helpers.ts";

interface Run {
  readonly seed: Hex;
  readonly inputs: (readonly [number, number])[];
  readonly stateDigests: Hex[];
  readonly tick: number;
  readonly score: number;
}

const SEEDS_TRIED = 50;

/** The reference bot's run up to the tick in which it has at least `minScore` points; the same on every call. */
export function runTo(slug: string, minScore: number): Run {
  const game = findGame(slug)!;
  for (let number = 0; number < SEEDS_TRIED; number += 1) {
    const seed = seedOf(number);
    const bot = game.bots.reference();
    const state = game.init(seed, game.tickHz);
    const inputs: (readonly [number, number])[] = [];
    const stateDigests: Hex[] = [];
    while (!state.over && state.score < minScore) {
      const codes = codesOf(game, bot(toPlayFrame(game, state)));
      for (const code of codes) inputs.push([state.tick + 1, code]);
      game.step(state, codes);
      if (state.tick % STATE_DIGEST_EVERY_TICKS === 0) stateDigests.push(digestJson(state));
    }
    if (!state.over) {
      const { tick, score } = state;
      return { seed: `0x${Buffer.from(seed).toString("hex")}`, inputs, stateDigests, tick, score };
    }
  }
  throw new Error(`${slug}: no seed reached ${minScore} points`);
}

/** What has to be known of a service to write into its store. */
export interface Place {
  readonly dataDir: string;
  readonly deployment: Pick<Deployment, "chainId" | "rewards">;
}

/** A second door to the suite's database. */
export async function withStore<T>(suite: Pick<Place, "dataDir">, run: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: `sqlite:${join(suite.dataDir, "arcade.db")}` });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

export interface Planting {
  readonly wallet: Address;
  readonly slug?: string;
  readonly minScore?: number;
  readonly source?: SessionSource;
  /** Claimed instead of the run's own score: a lie that no replay bears out. */
  readonly claimedScore?: number;
}

/** Stores a session that was really played, to a score of at least `minScore` (0: it ended before the first tick). */
export async function plantSession(suite: Place, planting: Planting): Promise<SessionRow> {
  const { wallet, slug = "shellrunners", minScore = 1, source = "agent_api" } = planting;
  const game = findGame(slug)!;
  const { seed, inputs, stateDigests, tick, score: played } = runTo(slug, minScore);
  const score = planting.claimedScore ?? played;
  const sessionId = uuidV7(Date.now(), randomBytes(10));
  const { rulesVersion, tickHz } = game;
  const endReason = "ended_by_player";
  const digest = replayDigest({
    v: 1,
    slug,
    rulesVersion,
    tickHz,
    seed,
    inputs,
    ticks: tick,
    finalScore: score,
    endReason,
  });
  const { chainId, rewards } = suite.deployment;
  return withStore(suite, async (store) => {
    const added = await store.sessions.add({
      sessionId,
      slug,
      source,
      wallet,
      agentId: null,
      agentName: null,
      practiceTokenHash: null,
      seed,
      seedCommitment: `0x${createHash("sha256")
        .update(Buffer.from(seed.slice(2), "hex"))
        .digest("hex")}`,
      rulesVersion,
      tickHz,
      startedAtMs: Date.now(),
    });
    if (!added.added) throw new Error(`${wallet} is playing ${slug} already`);
    return store.sessions.end(
      { sessionId, endedAtMs: Date.now(), endReason, score, tick, inputs, stateDigests, replayDigest: digest },
      (sequence) =>
        gameSessionHashOf({
          chainId,
          rewards,
          slug,
          wallet,
          sessionId,
          replayDigest: digest,
          finalScore: score,
          sequence,
        }),
    );
  });
}
