import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createTestClient,
  http,
  keccak256,
  type PrivateKeyAccount,
  publicActions,
  stringToHex,
  walletActions,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { startFollower } from "../../../backend/adapters/chain/follower/follower.ts";
import { startLocalChain } from "../../../backend/adapters/chain/local-chain.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { createSigners } from "../../../backend/adapters/signer/index.ts";
import { openStore } from "../../../backend/adapters/store/index.ts";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import { type CallName, makeCall } from "../../../backend/domain/calls.ts";
import { makeTypedData, type PrimaryType, TYPED_MESSAGES, type TypedData } from "../../../backend/domain/typed-data.ts";
import { games } from "../../../backend/games/index.ts";
import type { Deployment, Log, SignerDuty, Store } from "../../../backend/ports.ts";
import { deployLocal, type LocalDeployOptions } from "../../../deploy/deploy.ts";
import { testAccounts } from "./accounts.ts";

type Hex = `0x${string}`;

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const serviceKey = (offset: number): Hex => developmentServiceAccount(offset).privateKey;
export const testKeys: LocalDeployOptions["keys"] = {
  admin: serviceKey(0),
  guardian: serviceKey(1),
  operator: serviceKey(2),
  identity: serviceKey(3),
  score: serviceKey(4),
  nft: Object.fromEntries(games.map(({ slug }, index) => [slug, serviceKey(5 + index)])),
};

export const clientOf = (rpcUrl: string) =>
  createTestClient({ mode: "hardhat", chain: hardhat, transport: http(rpcUrl), cacheTime: 0, pollingInterval: 10 })
    .extend(publicActions)
    .extend(walletActions);

/** A local chain with the contracts on it, in a folder of its own. */
export async function startWorld() {
  const dataDir = await mkdtemp(join(tmpdir(), "arcade-world-"));
  const chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts });
  const deploying = { keys: testKeys, path: join(dataDir, "deployment.json"), publicUrl: "http://127.0.0.1:1", games };
  const { deployment } = await deployLocal({ ...deploying, rpcUrl: chain.rpcUrl });
  const client = clientOf(chain.rpcUrl);
  return {
    chain,
    client,
    deployment,
    rpcUrl: chain.rpcUrl,
    players: testAccounts.map(({ privateKey }) => privateKeyToAccount(privateKey)),
    act: makeActs(client, deployment),
    close: async () => {
      await chain.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
export type World = Awaited<ReturnType<typeof startWorld>>;

/** What agents do on chain: each act is signed by its duty and sent by the wallet; answers the transaction's hash. */
function makeActs(client: ReturnType<typeof clientOf>, deployment: Deployment) {
  const signers = createSigners(testKeys);
  const deadlineOf = async (): Promise<string> => String((await client.getBlock()).timestamp + 3_600n);

  async function sign(duty: SignerDuty, type: PrimaryType, to: Hex, slug: string, message: TypedData["message"]) {
    const place = { chainId: deployment.chainId, verifyingContract: to, slug };
    return (await signers(duty).sign(makeTypedData(type, place, message))).signature;
  }
  async function send(from: PrivateKeyAccount, to: Hex, name: CallName, args: readonly unknown[]): Promise<Hex> {
    const { data } = makeCall(deployment.chainId, to, name, args);
    return await client.sendTransaction({ account: from, to, data });
  }

  return {
    register: async (wallet: PrivateKeyAccount, nonce = 0) => {
      const [to, deadline, metadataDigest] = [deployment.identity, await deadlineOf(), `0x${"ab".repeat(32)}`];
      const message = { to: wallet.address, metadataDigest, nonce: String(nonce), deadline };
      const signature = await sign("identity", "MintIdentity", to, "", message);
      return await send(wallet, to, "mintIdentityWithSignature", [wallet.address, metadataDigest, deadline, signature]);
    },
    snapshot: async (wallet: PrivateKeyAccount, slug: string, score: number, sequence: number) => {
      const [to, deadline, gameId] = [deployment.rewards, await deadlineOf(), stringToHex(slug, { size: 32 })];
      // A hash of its own for each wallet; the low 64 bits are the wallet's sequence.
      const gameSessionHash: Hex = `0x${keccak256(wallet.address).slice(2, 50)}${sequence.toString(16).padStart(16, "0")}`;
      const message = { wallet: wallet.address, gameId, score: String(score), gameSessionHash, deadline };
      const signature = await sign("score", "Snapshot", to, "", message);
      const args = [wallet.address, gameId, String(score), gameSessionHash, deadline, signature];
      return await send(wallet, to, "snapshotScoreSigned", args);
    },
    nft: async (kind: "mint" | "upgrade", wallet: PrivateKeyAccount, slug: string, agentId: bigint, score: number) => {
      const [to, deadline] = [deployment.nft[slug]!, await deadlineOf()];
      const message = { wallet: wallet.address, agentId: String(agentId), score: String(score), deadline };
      const type = kind === "mint" ? "MintGameNft" : "UpgradeGameNft";
      const signature = await sign(`nft:${slug}`, type, to, slug, message);
      const args = [wallet.address, String(agentId), String(score), deadline, signature];
      return await send(wallet, to, kind === "mint" ? "mintSigned" : "upgradeSigned", args);
    },
    payout: (wallet: PrivateKeyAccount) => send(wallet, deployment.rewards, "payout", [wallet.address]),
  };
}

export const openMemoryStore = (): Promise<Store> => openStore({ databaseUrl: "sqlite::memory:" });

export const connect = (rpcUrl: string, chainId = hardhat.id as number) =>
  createRpc({ rpcUrl, chainId, clock: systemClock });

export const follow = (rpcUrl: string, deployment: Deployment, store: Store) =>
  startFollower({
    rpc: connect(rpcUrl),
    deployment,
    store: store.chain,
    clock: systemClock,
    pollMs: 20,
    log: silentLog,
  });

/** Waits until `check` answers something; the test's own time limit ends it. */
export async function eventually<T>(check: () => Promise<T | null | false> | T | null | false): Promise<T> {
  for (;;) {
    const value = await check();
    if (value !== null && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const typedMessages = Object.entries(TYPED_MESSAGES);
