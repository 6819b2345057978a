import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "viem";
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
import { type Indexer, startIndexer } from "../../../backend/adapters/chain/indexer/indexer.ts";
import { NodePool } from "../../../backend/adapters/chain/nodes/node-pool.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { createSigners } from "../../../backend/adapters/signer/signers.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import type { ServiceKeys } from "../../../backend/config/service-keys.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import type { Clock, Log, SignerRole } from "../../../backend/ports/system.ts";
import { deployLocal } from "../../../deploy/execute-local.ts";
import { type CallName, createCall } from "../../../domain/typed-data/calls.ts";
import {
  createTypedData,
  type PrimaryType,
  TYPED_MESSAGES,
  type TypedData,
} from "../../../domain/typed-data/messages.ts";
import { games } from "../../../games/index.ts";
import { startLocalChain } from "../../../local-chain/local-chain.ts";
import { copyChain } from "../../../testing/images.ts";
import { testAccounts } from "./accounts.ts";

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const serviceKey = (offset: number): Hex => developmentServiceAccount(offset).privateKey;
export const testKeys: ServiceKeys<Hex> = {
  admin: serviceKey(0),
  guardian: serviceKey(1),
  operator: serviceKey(2),
  identity: serviceKey(3),
  score: serviceKey(4),
  nft: Object.fromEntries(games.map(({ slug }, index) => [slug, serviceKey(5 + index)])),
};

export const createChainClient = (rpcUrl: string) =>
  createTestClient({ mode: "hardhat", chain: hardhat, transport: http(rpcUrl), cacheTime: 0, pollingInterval: 10 })
    .extend(publicActions)
    .extend(walletActions);

const SEND = "eth_sendRawTransaction";
/** A chaos node's rule for calls that send a transaction. */
export const SENDS = { of: SEND } as const;
export const isSend = ({ method }: { readonly method: string }): boolean => method === SEND;
/** The node answers each send with this error. */
export const refuseSends = (message: string) => ({ ...SENDS, error: { code: -32_000, message } });

/** Finds the contracts if the folder has them. */
async function deployChain(dataDir: string) {
  const chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts });
  const path = join(dataDir, "deployment.json");
  const publicUrl = "http://127.0.0.1:1";
  const { deployment } = await deployLocal({ rpcUrl: chain.rpcUrl, keys: testKeys, path, publicUrl, games });
  return { chain, deployment };
}

/** A local chain with the contracts, in a separate folder. */
export async function startChainFixture() {
  const dataDir = await mkdtemp(join(tmpdir(), "arcade-world-"));
  await copyChain(dataDir, "chain fixture", async (folder) => {
    await (await deployChain(folder)).chain.close();
  });
  const { chain, deployment } = await deployChain(dataDir);
  const client = createChainClient(chain.rpcUrl);
  return {
    chain,
    client,
    deployment,
    rpcUrl: chain.rpcUrl,
    players: testAccounts.map(({ privateKey }) => privateKeyToAccount(privateKey)),
    actions: createChainActions(client, deployment),
    close: async () => {
      await chain.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
export type ChainFixture = Awaited<ReturnType<typeof startChainFixture>>;

/** The chain of a suite. `prepare` runs once, before its tests. */
export function useChain(prepare: (fixture: ChainFixture) => Promise<unknown> = async () => undefined): ChainFixture {
  const fixture = {} as ChainFixture;
  before(async () => {
    Object.assign(fixture, await startChainFixture());
    await prepare(fixture);
  });
  after(() => fixture.close());
  return fixture;
}

/** Each player has an identity. */
export const registerPlayers = async ({ players, actions }: ChainFixture): Promise<void> => {
  for (const player of players) await actions.register(player);
};

/** What agents do on chain. The role's key signs each call, and the wallet sends it. Returns the transaction's hash. */
function createChainActions(client: ReturnType<typeof createChainClient>, deployment: Deployment) {
  const signers = createSigners(testKeys);
  const getDeadline = async (): Promise<string> => String((await client.getBlock()).timestamp + 3_600n);

  async function role(role: SignerRole, type: PrimaryType, to: Hex, slug: string, message: TypedData["message"]) {
    const context = { chainId: deployment.chainId, verifyingContract: to, slug };
    return (await signers(role).sign(createTypedData(type, context, message))).signature;
  }
  async function send(from: PrivateKeyAccount, to: Hex, name: CallName, args: readonly unknown[]): Promise<Hex> {
    const { data } = createCall(deployment.chainId, to, name, args);
    return await client.sendTransaction({ account: from, to, data });
  }

  return {
    register: async (wallet: PrivateKeyAccount, nonce = 0) => {
      const [to, deadline, metadataDigest] = [deployment.identity, await getDeadline(), `0x${"ab".repeat(32)}`];
      const message = { to: wallet.address, metadataDigest, nonce: String(nonce), deadline };
      const signature = await role("identity", "MintIdentity", to, "", message);
      return await send(wallet, to, "mintIdentityWithSignature", [wallet.address, metadataDigest, deadline, signature]);
    },
    snapshot: async (wallet: PrivateKeyAccount, slug: string, score: number, sequence: number) => {
      const [to, deadline, gameId] = [deployment.rewards, await getDeadline(), stringToHex(slug, { size: 32 })];
      // Each wallet has its own hash; the low 64 bits are the wallet's sequence.
      const gameSessionHash: Hex = `0x${keccak256(wallet.address).slice(2, 50)}${sequence.toString(16).padStart(16, "0")}`;
      const message = { wallet: wallet.address, gameId, score: String(score), gameSessionHash, deadline };
      const signature = await role("score", "Snapshot", to, "", message);
      const args = [wallet.address, gameId, String(score), gameSessionHash, deadline, signature];
      return await send(wallet, to, "snapshotScoreSigned", args);
    },
    nft: async (kind: "mint" | "upgrade", wallet: PrivateKeyAccount, slug: string, agentId: bigint, score: number) => {
      const [to, deadline] = [deployment.nft[slug]!, await getDeadline()];
      const message = { wallet: wallet.address, agentId: String(agentId), score: String(score), deadline };
      const type = kind === "mint" ? "MintGameNft" : "UpgradeGameNft";
      const signature = await role(`nft:${slug}`, type, to, slug, message);
      const args = [wallet.address, String(agentId), String(score), deadline, signature];
      return await send(wallet, to, kind === "mint" ? "mintSigned" : "upgradeSigned", args);
    },
    payout: (wallet: PrivateKeyAccount) => send(wallet, deployment.rewards, "payout", [wallet.address]),
  };
}

export const createTestRpc = (rpcUrl: string, chainId = hardhat.id as number) =>
  createRpc({ rpcUrl, chainId, clock: systemClock });

export const startTestIndexer = (
  rpcUrl: string,
  deployment: Deployment,
  store: Store,
  clock: Clock = systemClock,
  pollMs = 20,
): Indexer =>
  startIndexer({
    rpc: createRpc({ rpcUrl, chainId: deployment.chainId, clock }),
    deployment,
    store: store.chain,
    clock,
    pollMs,
    confirmations: 2,
    mayWrite: () => true,
    log: silentLog,
  });

/** A pool that polls each node by the wall clock. */
export const createTestPool = (rpcUrls: readonly string[], clock: Clock = systemClock): NodePool =>
  new NodePool({ rpcUrls, chainId: hardhat.id, clock, log: silentLog });

/** Waits until `check` returns a value; the test's time limit ends the wait. */
export async function waitFor<T>(check: () => Promise<T | null | false> | T | null | false): Promise<T> {
  for (;;) {
    const value = await check();
    if (value !== null && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const typedMessages = Object.entries(TYPED_MESSAGES);
