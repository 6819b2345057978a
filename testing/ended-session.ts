/** Ended sessions with any score, without waiting: a bot plays them offline, and the replay is written to the store. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Address, Hex } from "viem";
import { openStore } from "../backend/adapters/store/open-store.ts";
import type { Deployment } from "../backend/ports/chain.ts";
import type { SessionRow } from "../backend/ports/store/sessions.ts";
import type { Store } from "../backend/ports/store/store.ts";
import type { Identity } from "../backend/services/identity/identity.ts";
import { toInputCodes } from "../client/training/input-codes.ts";
import { toSeed } from "../domain/evaluation.ts";
import { uuidV7 } from "../domain/ids.ts";
import { buildSeedFields } from "../domain/replay/build-replay.ts";
import { computeGameSessionHash, computeReplayDigest } from "../domain/replay/replay.ts";
import { computeSeedCommitment, NO_ENTROPY } from "../domain/replay/seed.ts";
import type { SessionSource } from "../domain/session.ts";
import { findGame } from "../games/index.ts";
import { toPlayFrame } from "../games/play-frame.ts";
import { getRulesHash } from "../games/rules-hash.ts";

interface BotRun {
  readonly seed: Hex;
  readonly inputs: (readonly [number, number])[];
  readonly tick: number;
  readonly score: number;
}

const SEEDS_MAX = 50;

/** The reference bot's run up to the first tick with at least `minScore` points; the same on every call. */
function playBotToScore(slug: string, minScore: number): BotRun {
  const game = findGame(slug)!;
  for (let number = 0; number < SEEDS_MAX; number += 1) {
    const seed = toSeed(number);
    const bot = game.bots.reference();
    const state = game.init(seed, game.tickHz);
    const inputs: (readonly [number, number])[] = [];
    while (!state.over && state.score < minScore) {
      const codes = toInputCodes(game, bot(toPlayFrame(game, state)));
      for (const code of codes) inputs.push([state.tick + 1, code]);
      game.step(state, codes);
    }
    if (!state.over) {
      const { tick, score } = state;
      return { seed: `0x${Buffer.from(seed).toString("hex")}`, inputs, tick, score };
    }
  }
  throw new Error(`${slug}: no seed gives ${minScore} points`);
}

/** What is needed to write into a service's store. */
export interface StoreLocation {
  readonly dataDir: string;
  readonly deployment: Pick<Deployment, "chainId" | "rewards">;
  /** Absent: the service runs in another process. */
  readonly app?: { readonly services: { readonly identity: Pick<Identity, "findAgentId"> } };
}

/** A second connection to the suite's database. */
export async function withStore<T>(
  location: Pick<StoreLocation, "dataDir">,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore({ databaseUrl: `sqlite:${join(location.dataDir, "arcade.db")}` });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

export interface EndedSessionOptions {
  readonly wallet: Address;
  readonly slug?: string;
  readonly minScore?: number;
  readonly source?: SessionSource;
  /** A false score to store instead of the run's. */
  readonly claimedScore?: number;
  /** The identity that played it; the wallet's primary one by default. */
  readonly agentId?: string;
  readonly agentName?: string;
  /** When it ended; now by default. */
  readonly endedAtMs?: number;
  /** The random part of its id; by default 10 random bytes. */
  readonly randomPart?: Buffer;
  /** False: it ended before a player joined. */
  readonly isJoined?: boolean;
}

/** Stores a real run with a score of at least `minScore` (0: it ended before the first tick). */
export async function addEndedSession(location: StoreLocation, options: EndedSessionOptions): Promise<SessionRow> {
  const { wallet, slug = "shellrunners", minScore = 1, source = "agent_api" } = options;
  const game = findGame(slug)!;
  const { seed, inputs, tick, score: botScore } = playBotToScore(slug, minScore);
  const score = options.claimedScore ?? botScore;
  const endedAtMs = options.endedAtMs ?? Date.now();
  const sessionId = uuidV7(endedAtMs, options.randomPart ?? randomBytes(10));
  const { rulesVersion, tickHz } = game;
  const endReason = "ended_by_player";
  const seedCommitment = computeSeedCommitment(seed);
  // Without the player's entropy the game starts from the service's seed.
  const entropy = options.isJoined === false ? null : NO_ENTROPY;
  const rulesHash = getRulesHash(slug, rulesVersion);
  const digest = computeReplayDigest({
    ...buildSeedFields({ seed, seedCommitment, entropy }, { pauses: [], rulesHash }),
    slug,
    rulesVersion,
    tickHz,
    inputs,
    ticks: tick,
    finalScore: score,
    endReason,
  });
  const { chainId, rewards } = location.deployment;
  const agentId = options.agentId ?? (await location.app?.services.identity.findAgentId(wallet)) ?? null;
  return withStore(location, async (store) => {
    const added = await store.sessions.add({
      sessionId,
      slug,
      source,
      wallet,
      agentId,
      agentName: options.agentName ?? null,
      practiceTokenHash: null,
      seed,
      seedCommitment,
      rulesVersion,
      tickHz,
      startedAtMs: endedAtMs,
    });
    if (!added.added) throw new Error(`${wallet} is playing ${slug} already`);
    return store.sessions.end(
      {
        sessionId,
        endedAtMs,
        endReason,
        score,
        tick,
        inputs,
        entropy,
        pauses: [],
        rulesHash,
        replayDigest: digest,
      },
      (sequence) =>
        computeGameSessionHash({
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
