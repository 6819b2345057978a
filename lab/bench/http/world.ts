/** What the servers are measured with: a public chain without blocks meanwhile, wallets with tokens, boards, sessions. */
import { join } from "node:path";
import type { Address } from "viem";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import { computeGameSessionHash } from "../../../domain/replay/replay.ts";
import { UNPUBLISHED_RULES } from "../../../games/rules-hash.ts";
import { startAnvilChain } from "../../../test/helpers/anvil-stack.ts";
import { createWallet, digest, getToken, toHex } from "../server/identities.ts";

const CHAIN_ID = 84_532;
export const SLUG = "shellrunners";
const TOKEN_TTL_MS = 24 * 3600 * 1000;
/** Each has one session on the leaderboard. */
const RANKED_WALLETS = 100;
/** A full page of the live list. */
const LIVE_SESSIONS = 25;

export interface World {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly folder: string;
  readonly wallets: readonly Address[];
  /**
   * Creates a database of its own for a server. Open sessions wait for their players for 30 s after a start; later they
   * take CPU.
   */
  createDatabase(name: string, hasLiveSessions: boolean): Promise<string>;
  close(): Promise<void>;
}

async function addSession(store: Store, n: number, wallet: Address): Promise<string> {
  const sessionId = uuidV7(Date.now(), digest(`session ${n}`).subarray(0, 10));
  const seed = digest(`seed ${n}`);
  const common = { slug: SLUG, source: "agent_api", wallet, agentId: String(n), agentName: `Agent ${n}` } as const;
  await store.sessions.add({
    ...common,
    sessionId,
    practiceTokenHash: null,
    rulesVersion: 2,
    tickHz: 20,
    startedAtMs: Date.now(),
    seed: toHex(seed),
    seedCommitment: toHex(digest(seed.toString("hex"))),
  });
  return sessionId;
}

/** Ranked sessions, open sessions and an access token for each wallet. */
async function fillStore(
  store: Store,
  wallets: readonly Address[],
  { rewards }: Deployment,
  liveSessions: number,
): Promise<void> {
  for (const [n, wallet] of wallets.slice(0, RANKED_WALLETS).entries()) {
    const sessionId = await addSession(store, n, wallet);
    const result = { sessionId, endReason: "lives_lost", score: 10 + n, tick: 600, endedAtMs: Date.now() } as const;
    const digests = { replayDigest: toHex(digest(`replay ${n}`)), rulesHash: UNPUBLISHED_RULES };
    const recording = { inputs: [], stateDigests: [], pauses: [], entropy: null, ...digests };
    const replay = { sessionId, wallet, slug: SLUG, chainId: CHAIN_ID, rewards, finalScore: result.score };
    await store.sessions.end({ ...result, ...recording }, (sequence) =>
      computeGameSessionHash({ ...replay, replayDigest: recording.replayDigest, sequence }),
    );
    await store.sessions.setVerification(sessionId, "verified");
  }
  for (let n = 0; n < liveSessions; n++) await addSession(store, RANKED_WALLETS + n, wallets[RANKED_WALLETS + n]!);
  const expiresAtMs = Date.now() + TOKEN_TTL_MS;
  await Promise.all(
    wallets.map((wallet, n) => {
      const shared = { familyId: `family ${n}`, wallet, slug: SLUG, expiresAtMs, revokedAtMs: null };
      const contract = { contractDigest: null, contractSignature: null };
      const rotation = { successorSalt: null, rotatedAtMs: null, successorAccessExpiresAtMs: null };
      return store.auth.addTokens({
        access: { ...shared, tokenHash: hashToken(getToken(n)) },
        refresh: { ...shared, ...contract, ...rotation, tokenHash: `refresh ${n}`, accessTtlSeconds: 3600 },
      });
    }),
  );
}

export async function createWorld(walletCount: number): Promise<World> {
  const { rpcUrl, deployment, dataDir: folder, close } = await startAnvilChain(CHAIN_ID);
  const wallets = Array.from({ length: walletCount }, (_, n) => createWallet(n));
  return {
    rpcUrl,
    deployment,
    folder,
    wallets,
    close,
    createDatabase: async (name, hasLiveSessions) => {
      const file = join(folder, `${name}.db`);
      const store = await openStore({ databaseUrl: `sqlite:${file}` });
      await fillStore(store, wallets, deployment, hasLiveSessions ? LIVE_SESSIONS : 0);
      await store.close();
      return file;
    },
  };
}
