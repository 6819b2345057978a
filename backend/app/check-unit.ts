/**
 * Data, chain and deployment belong together: a store holds what happened on one chain with the contracts of one
 * deployment. Everything that opens a store compares them here before it acts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isSameAddress } from "../../domain/addresses.ts";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { createRpc, type Rpc, type RpcCallOptions } from "../adapters/chain/rpc.ts";
import { ConfigError } from "../config/config.ts";
import type { BlockRef, ChainStore } from "../ports/store/chain.ts";
import type { DeploymentKey } from "../ports/store/deployment.ts";
import type { Store } from "../ports/store/store.ts";
import type { Clock } from "../ports/system.ts";

/** A public chain may drop this many blocks while the service is stopped. */
const REORG_BLOCKS = 64;
/** By then a node of the service's chain has the last stored block, even while the service follows a reorganization. */
const SAME_HEAD_WAIT_MS = { local: 1_500, public: 15_000 };
const POLL_MS = 250;
/** A start must not wait long for a node that does not respond. */
const START_DEADLINE_MS = 3_000;

const MOVE = "for a new deployment or chain, npm run admin -- store move begins a new store (docs/contracts.md)";

/** The differences between the deployment of a store and another one; games that only one of them has do not count. */
function listDifferences(stored: DeploymentKey, given: Partial<DeploymentKey>): readonly string[] {
  if (given.chainId !== undefined && given.chainId !== stored.chainId)
    return [`chain ${stored.chainId}, received chain ${given.chainId}`];
  const contracts = (["identity", "rewards", "token"] as const).map(
    (name) => [name, stored[name], given[name]] as const,
  );
  const games = Object.entries(stored.nft).map(([slug, own]) => [`nft.${slug}`, own, given.nft?.[slug]] as const);
  return [...contracts, ...games].flatMap(([name, own, other]) =>
    other === undefined || isSameAddress(own, other) ? [] : [`${name} ${own}, received ${other}`],
  );
}

/** Throws `ConfigError` if the store belongs to another deployment. A new store does not belong to any yet. */
export async function checkDeployment(
  { deployment }: Pick<Store, "deployment">,
  given: Partial<DeploymentKey>,
): Promise<void> {
  const stored = await deployment.find();
  const [difference] = stored === null ? [] : listDifferences(stored, given);
  if (difference === undefined) return;
  throw new ConfigError([
    `ARCADE_DEPLOYMENT: expected the deployment of the store's data, with ${difference}; name its addresses file, or set ARCADE_DATA_DIR or ARCADE_DATABASE_URL to the data of this deployment; ${MOVE}`,
  ]);
}

/**
 * Records the deployment in a store that is new or has no rows of these games yet. Throws `ConfigError` for another
 * one.
 */
export async function claimStore(store: Pick<Store, "deployment">, given: DeploymentKey): Promise<void> {
  await checkDeployment(store, given);
  await store.deployment.record(given);
  // Another backend may have been faster.
  await checkDeployment(store, given);
}

/** Reads a block from the node; null: the latest. */
export type ReadBlock = (number: number | null) => Promise<BlockRef>;

/** Throws `CHAIN_UNAVAILABLE` if the node does not answer. */
export const createBlockReader =
  (rpc: Pick<Rpc, "withDeadline">, options: RpcCallOptions = {}): ReadBlock =>
  async (number) => {
    const which = number === null ? {} : { blockNumber: BigInt(number) };
    const block = await rpc.withDeadline((client) => client.getBlock(which), options);
    return { number: Number(block.number), hash: block.hash! };
  };

/**
 * Who compares. `command`: acts on the chain now, so the node must have the last stored block. `start`: a service that
 * was stopped; the node may have dropped some blocks or lag. `restore`: a copy of an earlier time.
 */
export type UnitCheck = "command" | "start" | "restore";

/** The node's block, if it differs from a stored block that the node must have; null if nothing differs. */
async function findForeignBlock(
  chain: ChainStore,
  readBlock: ReadBlock,
  { reorgBlocks, mayLag }: { readonly reorgBlocks: number; readonly mayLag: boolean },
): Promise<{ readonly stored: BlockRef; readonly received: string } | null> {
  const { number: head } = await readBlock(null);
  const cursor = await chain.getCursor();
  if (cursor === null) return null;
  const highest = mayLag ? Math.min(head, cursor.number - reorgBlocks) : cursor.number;
  const stored = (await chain.findLastBlock(highest)) ?? (await chain.getFirstBlock())!;
  if (stored.number > head) return { stored, received: `a chain with ${head} blocks` };
  const { hash } = await readBlock(stored.number);
  return hash === stored.hash ? null : { stored, received: hash };
}

/** Throws `ConfigError` if the node is not on the chain of the store. */
export async function checkChain(
  { chain }: Pick<Store, "chain">,
  readBlock: ReadBlock,
  { chainId, check }: { readonly chainId: number; readonly check: UnitCheck },
): Promise<void> {
  const isLocal = isLocalChain(chainId);
  const mayLag = check !== "command";
  // The local chain creates a block for each transaction: a different chain may differ only in its last 64 blocks.
  const reorgBlocks = check === "restore" || (check === "start" && !isLocal) ? REORG_BLOCKS : 0;
  const waitMs = mayLag ? 0 : SAME_HEAD_WAIT_MS[isLocal ? "local" : "public"];
  const deadlineMs = performance.now() + waitMs;
  let found = await findForeignBlock(chain, readBlock, { reorgBlocks, mayLag });
  while (found !== null && performance.now() < deadlineMs) {
    await sleep(POLL_MS);
    found = await findForeignBlock(chain, readBlock, { reorgBlocks, mayLag });
  }
  if (found === null) return;
  const { stored, received } = found;
  throw new ConfigError([
    `ARCADE_RPC_URL: expected a node of the store's chain, whose block ${stored.number} is ${stored.hash}, received ${received}; name a node of that chain (--rpc, ARCADE_RPC_URL) or the data of this one (ARCADE_DATA_DIR, ARCADE_DATABASE_URL); if the chain has dropped its blocks: npm run admin -- chain resync --from ${stored.number}; ${MOVE}`,
  ]);
}

/** Checks each node when a service starts. The indexer checks nodes that respond only later. */
export async function checkNodes(
  store: Pick<Store, "chain">,
  { rpcUrls, chainId, clock }: { readonly rpcUrls: readonly string[]; readonly chainId: number; readonly clock: Clock },
): Promise<void> {
  const checks = rpcUrls.map(async (rpcUrl) => {
    const rpc = createRpc({ rpcUrl, chainId, clock });
    const readBlock = createBlockReader(rpc, { deadlineMs: START_DEADLINE_MS });
    await checkChain(store, readBlock, { chainId, check: "start" }).catch((error: unknown) => {
      if (!(error instanceof ArcadeError && error.code === "CHAIN_UNAVAILABLE")) throw error;
    });
  });
  await Promise.all(checks);
}
