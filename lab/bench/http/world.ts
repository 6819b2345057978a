/** What the servers are measured with: a public chain without blocks and a leaderboard with one session of each ranked wallet. */
import { join } from "node:path";
import type { Address } from "viem";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import { computeGameSessionHash } from "../../../domain/replay/replay.ts";
import { UNPUBLISHED_RULES } from "../../../games/rules-hash.ts";
import { startAnvilChain } from "../../../test/helpers/anvil-stack.ts";
import { createWallet, digest, toHex } from "../server/identities.ts";

const CHAIN_ID = 84_532;
export const SLUG = "shellrunners";
/** Each has one session on the leaderboard. */
const RANKED_WALLETS = 100;

export interface World {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly folder: string;
  readonly wallets: readonly Address[];
  /** Creates a server's database. */
  createDatabase(name: string): Promise<string>;
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

/** The sessions of the leaderboard. */
async function fillStore(store: Store, wallets: readonly Address[], { rewards }: Deployment): Promise<void> {
  for (const [n, wallet] of wallets.slice(0, RANKED_WALLETS).entries()) {
    const sessionId = await addSession(store, n, wallet);
    const result = { sessionId, endReason: "lives_lost", score: 10 + n, tick: 600, endedAtMs: Date.now() } as const;
    const digests = { replayDigest: toHex(digest(`replay ${n}`)), rulesHash: UNPUBLISHED_RULES };
    const recording = { inputs: [], pauses: [], entropy: null, ...digests };
    const replay = { sessionId, wallet, slug: SLUG, chainId: CHAIN_ID, rewards, finalScore: result.score };
    await store.sessions.end({ ...result, ...recording }, (sequence) =>
      computeGameSessionHash({ ...replay, replayDigest: recording.replayDigest, sequence }),
    );
    await store.sessions.setVerification(sessionId, "verified");
  }
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
    createDatabase: async (name) => {
      const file = join(folder, `${name}.db`);
      const store = await openStore({ databaseUrl: `sqlite:${file}` });
      await fillStore(store, wallets, deployment);
      await store.close();
      return file;
    },
  };
}
